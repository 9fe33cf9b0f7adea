"""Writes the launch file of kernel.mlir, with the product that NumPy computes: kernel.py LAUNCH EXECUTABLE"""
import json
import pathlib
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

launch, executable = map(pathlib.Path, sys.argv[1:])
random = np.random.default_rng(7)
a = random.integers(-4, 5, (16, 48)).astype(np.float16)
b = random.integers(-4, 5, (48, 32)).astype(np.float16)
c = a.astype(np.float32) @ b.astype(np.float32)  # exact, since the numbers are small


def buffer(element: str, values: NDArray[Any]) -> dict[str, object]:
    return {"type": element, "data": values.ravel().tolist()}


launch.write_text(json.dumps({
    "executable": executable.name,
    "entry": "multiply",
    "groups": [2, 2, 1],
    "arguments": [{"buffer": name} for name in "abc"],
    "buffers": {"a": buffer("f16", a), "b": buffer("f16", b),
                "c": buffer("f32", np.full_like(c, 9)) | {"expect": c.ravel().tolist()}},
}))
