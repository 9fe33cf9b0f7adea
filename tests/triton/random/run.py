#!/usr/bin/env python3
"""Runs random Triton kernels on one of Pumice's devices, and compares with Triton's interpreter.

usage: run.py [--seed N] [--count N] [--large] [--device ID] [--keep FOLDER]

Kernel number N is the same in each run. Kernels with odd numbers get random layouts. From 100000 on, kernels also read
and write the same memory, multiply matrices, and nest control flow. --large selects blocks of up to 16384 elements.
--keep keeps the sources and results.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import generate  # noqa: E402

TOGETHER = 50  # kernels per process


def compare(folder, device, names):
    """Returns (name, error) of each kernel that differs, and the errors of those that the interpreter rejected."""
    ours, theirs = ({name: each for name, each in np.load(folder / f"{who}.npz").items()}
                    for who in (device, "interpreter"))
    errors, refused = (json.loads((folder / f"{who}.json").read_text()) for who in (device, "interpreter"))
    wrong = []
    for name in names:
        if name in errors and name not in refused:
            wrong.append((name, errors[name]))
        for key in (key for key in ours if key.startswith(name + "/") and key in theirs):
            if not np.array_equal(ours[key], theirs[key], equal_nan=ours[key].dtype.kind == "f"):
                at = int(np.flatnonzero(~((ours[key] == theirs[key]) | (ours[key] != ours[key])))[0:1].sum())
                wrong.append((name, f"{key.split('/')[1]}, element {at}: {ours[key][at]}, not {theirs[key][at]}"))
                break
    return wrong, refused


def run_some(seeds, is_large, device, folder):
    kernels = [generate.Kernel(seed, is_large, has_barriers=not device.startswith("cpu")) for seed in seeds]
    warps = {kernel.name: (1, 2, 4)[seed % 3] for kernel, seed in zip(kernels, seeds)}
    layouts = {kernel.name: seed if seed % 2 else 0 for kernel, seed in zip(kernels, seeds)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kernels.py").write_text(generate.HEADER + "".join(kernel.source() for kernel in kernels))
    (folder / "kernels.json").write_text(json.dumps({
        kernel.name: {"inputs": list(kernel.inputs), "memories": list(kernel.memories),
                      "span": generate.effects.span(kernel) * kernel.programs,
                      "outputs": kernel.outputs, "programs": kernel.programs,
                      "elements": generate.elements(is_large), "warps": warps[kernel.name],
                      "layout_seed": layouts[kernel.name]} for kernel in kernels}))
    for who in (device, "interpreter"):
        done = subprocess.run([sys.executable, HERE / "worker.py", folder, who], capture_output=True, text=True,
                              env={**os.environ, "TRITON_CACHE_DIR": str(folder / "cache")})
        if done.returncode:
            return [(f"seeds {seeds[0]} to {seeds[-1]}", f"{who} ended with {done.returncode}: {done.stderr[-800:]}")], {}
    return compare(folder, device, [kernel.name for kernel in kernels])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    differ = refused = 0
    reasons = {}
    with tempfile.TemporaryDirectory() as scratch:
        for first in range(options.seed, options.seed + options.count, TOGETHER):
            seeds = list(range(first, min(first + TOGETHER, options.seed + options.count)))
            folder = (options.keep or pathlib.Path(scratch)) / str(first)
            wrong, missing = run_some(seeds, options.large, options.device, folder)
            for name, why in wrong:
                print(f"{name}: {why}", flush=True)
            for why in missing.values():
                word = why.splitlines()[-1][:100] if why else ""
                reasons[word] = reasons.get(word, 0) + 1
            differ += len(wrong)
            refused += len(missing)
    for why, count in sorted(reasons.items(), key=lambda each: -each[1])[:10]:
        print(f"{count} that the interpreter refused: {why}")
    print(f"{options.count} kernels from seed {options.seed} on {options.device}: {differ} differ, "
          f"{refused} without the interpreter")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
