#!/usr/bin/env python3
"""Runs kernels with cooperative matrices on the CPU device and compares with NumPy.

    tests/cooperative/run-cases.py [--quick] [--only REGEX] [--seed N] [--keep FOLDER]

`pumice` and `mlir-translate` are taken from PATH; random data and shapes follow from the seed.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from cases import module  # noqa: E402
from movement import movement  # noqa: E402
from products import products  # noqa: E402


def write(array, path):
    np.ascontiguousarray(array).tofile(path)
    return {"file": path.name}


def launch(case, spirv, lanes, folder):
    """Returns the case in a launch file's form. Numbers that must be exact are compared by their bits."""
    buffers = {}
    for i, buffer in enumerate(case.buffers):
        stem = f"{case.name}.{lanes}.{buffer.name}"
        expect = buffer.data if buffer.expect is None else buffer.expect
        buffers[buffer.name] = {
            "type": "u16" if buffer.type == "bf16" else buffer.type, "binding": i,
            **write(buffer.data, folder / f"{stem}.in"),
            "expect": write(expect, folder / f"{stem}.expect")}
        if buffer.relative:
            buffers[buffer.name]["tolerance"] = {"relative": buffer.relative,
                                                 "absolute": buffer.relative}
    return {"name": f"{case.name}.{lanes}", "module": spirv.name, "entry": case.name, "groups": 1,
            "subgroup_size": lanes, "buffers": buffers}


def with_scalars(words):
    """MLIR's verifier refuses OpMatrixTimesScalar of integers: a product with a matrix that was made of
    one scalar becomes one."""
    words, at, made, changed = words.copy(), 5, {}, 0
    while at < len(words):
        length, opcode = words[at] >> 16, words[at] & 0xffff
        if opcode == 80 and length == 4:  # OpCompositeConstruct of one
            made[words[at + 2]] = words[at + 3]
        elif opcode == 132 and words[at + 4] in made:  # OpIMul
            words[at], words[at + 4] = 5 << 16 | 143, made[words[at + 4]]
            changed += 1
        at += length
    return words, changed


def run(cases, lanes, folder):
    """Prints the failures, and returns the numbers of cases that passed and failed."""
    text, spirv = folder / f"cases{lanes}.mlir", folder / f"cases{lanes}.spv"
    text.write_text(module(cases))
    subprocess.run(["mlir-translate", "--no-implicit-module", "--serialize-spirv", text, "-o",
                    spirv], check=True)
    words, changed = with_scalars(np.fromfile(spirv, np.uint32))
    assert changed == sum(case.name.startswith("scaled_") for case in cases)
    words.tofile(spirv)
    file = folder / f"cases{lanes}.json"
    file.write_text(json.dumps({"cases": [launch(c, spirv, lanes, folder) for c in cases]}))
    done = subprocess.run(["pumice", "run", "--launch", file, "--device", "cpu:0"],
                          capture_output=True, text=True)
    passed = len(re.findall(r"^PASS ", done.stdout, re.M))
    if passed != len(cases):
        print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("PASS ")))
        print(done.stderr.strip())
    return passed, len(cases) - passed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two shapes of each type")
    parser.add_argument("--only", default="", help="cases by name")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="where files go, and stay")
    parser.add_argument("--lanes", type=int, nargs="*", default=[4, 8, 16, 32, 64])
    options = parser.parse_args()
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for lanes in options.lanes:
            rng = np.random.default_rng([options.seed, lanes])
            cases = [*movement(rng, lanes), *products(rng, lanes, options.quick)]
            cases = [case for case in cases if re.search(options.only, case.name)]
            for case in cases:
                case.size = max(case.size, lanes)
            done = run(cases, lanes, folder) if cases else (0, 0)
            passed, failed = passed + done[0], failed + done[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
