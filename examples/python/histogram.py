"""Counts how often each byte occurs, by the kernel in histogram.mlir, on the device that is used.

    python histogram.py [--device vulkan:0]
"""
import argparse
import pathlib

import numpy as np

import pumice

options = argparse.ArgumentParser()
options.add_argument("--device", help="an id, a driver, or part of a name; the best, without")
device = pumice.use(options.parse_args().device) or pumice.device()

source = pathlib.Path(__file__).parent.parent / "histogram.mlir"
histogram = pumice.compile(source.read_text(), name=source.name)["histogram"]

text = np.frombuffer(source.read_bytes(), np.int8)
counts = pumice.zeros(256, np.int32)
histogram[4](text, counts)

expected = np.bincount(text.view(np.uint8), minlength=256)
print(f"{'right' if (counts.numpy() == expected).all() else 'wrong'} on {device.id}:",
      f"{counts.numpy()[ord('%')]} of {text.size} bytes are a %")
