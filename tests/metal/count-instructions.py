#!/usr/bin/env python3
"""Counts what kernels in Metal's language do, on the mock of Metal: instructions, exchanges of lanes, and barriers.

    tests/metal/count-instructions.py

Prints a table for the decision record (docs/decisions.md). Instructions are LLVM's, of the whole kernel after -O1 on the
host. Exchanges are those of one SIMD group, and barriers those of one threadgroup. MoltenVK translates the SPIR-V of the same
file with its SPIRV-Cross, so its kernels differ only in how arguments reach them: the column `descriptors`.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"
LANES = 32
FLAGS = ["-std=c++20", "-O1", "-march=native", "-ffp-contract=off", "-fdeclspec", "-Xclang", "-cl-single-precision-constant",
         "-fno-math-errno", "-fno-strict-aliasing", "-fno-exceptions", "-fno-rtti", "-fwrapv", "-w", "-S", "-emit-llvm",
         "-isystem", ROOT / "tests/metal/shim"]
RUN = """
import importlib.util, sys
import numpy, pumice
spec = importlib.util.spec_from_file_location("measure", sys.argv[1])
measure = importlib.util.module_from_spec(spec)
spec.loader.exec_module(measure)
groups, arrays, scalars, result, expected = measure.cases(numpy)[sys.argv[3]]
device = pumice.use("metal:0")
buffers = [pumice.from_numpy(array, device) for array in arrays]
pumice.load(sys.argv[2]).on(device)[sys.argv[3]][groups](*buffers, *scalars)
pumice.synchronize(device)
"""


def run(*command, **variables):
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **variables})
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-4000:]}")
    return done.stdout


def instructions(source):
    """Returns the number of LLVM's instructions in the function that runs a thread, in which the kernel is inlined."""
    text = run("clang++-22", *FLAGS, source, "-o", "-")
    body = re.search(r"^define [^\n]*@_ZL8shim_runRKN4shim6ThreadE\(.*?\n(.*?)^\}", text, re.M | re.S)
    if not body:
        sys.exit(f"{source} has no function shim_run")
    return sum(bool(re.match(r"  [%a-z]", line)) for line in body[1].splitlines())


def count(name, addressing, folder):
    """Returns the instructions of a kernel, the exchanges of a SIMD group, and the barriers of a threadgroup."""
    file, counts, kept = folder / "k.pumice", folder / "counts", folder / f"{name}-{addressing}"
    kept.mkdir()
    run(BUILD / "bin/pumice", "compile", ROOT / f"examples/{name}.mlir", "--target", "apple-m2", "--addressing", addressing,
        "-o", file)
    counts.unlink(missing_ok=True)
    run(sys.executable, "-c", RUN, ROOT / "tests/metal/measure-on-mac.py", file, name, PYTHONPATH=str(BUILD / "python"),
        PUMICE_METAL_LIBRARY=str(BUILD / "tests/pumice_mock_metal.so"), PUMICE_MSL_CACHE=str(kept), PUMICE_MSL_KEEP="1",
        PUMICE_MOCK_METAL_COUNTS=str(counts))
    launch = json.loads(counts.read_text().splitlines()[-1])
    sizes = re.search(rb"// threadgroup (\d+) (\d+) (\d+)", file.read_bytes())
    threadgroups = launch["threads"] / math.prod(map(int, sizes.groups()))
    exchanges = launch["exchanges"] / launch["threads"] * LANES
    return instructions(next(kept.glob("*.cpp"))), exchanges, launch["barriers"] / threadgroups


def main():
    print("| kernel | instructions, descriptors | instructions, addresses | exchanges | barriers |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in ("scale", "softmax", "matmul"):
            first, exchanges, barriers = count(name, "descriptors", pathlib.Path(folder))
            second = count(name, "physical", pathlib.Path(folder))[0]
            print(f"| {name} | {first} | {second} | {exchanges:.3g} | {barriers:.3g} |")


if __name__ == "__main__":
    sys.exit(main())
