#!/usr/bin/env python3
"""Compiles the kernels of examples/triton for GPUs that are not here.

    targets.py             for AMD's, whose compilers (RADV's null devices) must spill no register
    targets.py --every     for every named target: what one refuses is told, and must be for a reason
                           that no compiler can change

Needs what the examples need; `pumice` and a PYTHONPATH with its package.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AMD = ("vega10", "rdna2", "rdna3", "rdna4")

# Words of refusals, and what they are called in the table.
REASONS = {"shaderInt64": "64-bit integers", "subgroup operation": "subgroup operations",
           "storage buffers": "as many buffers", "computes with addresses": "addresses of memory"}


def text_of_kernels(folder):
    """The TTIR of every kernel that the examples launch."""
    environment = dict(os.environ, PUMICE_DUMP=str(folder))
    subprocess.run([sys.executable, ROOT / "examples/triton/run.py", "--device", "cpu:0"], check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.ttir"))


def compile(kernel, targets, *options):
    words = [word for target in targets for word in ("--target", target)]
    return subprocess.run(["pumice", "compile", kernel, "-o", kernel.with_suffix(".out"), *words, *options],
                          capture_output=True, text=True)


def amd(kernels):
    """Lines about what spills, or is refused."""
    wrong = []
    for kernel in kernels:
        stats = kernel.with_suffix(".json")
        ran = compile(kernel, AMD, "--stats-json", stats)
        if ran.returncode:
            wrong.append(f"{kernel.stem}: {ran.stderr}")
            continue
        answers = [(one["target"], driver) for one in json.loads(stats.read_text())["kernels"]
                   for driver in one["drivers"]]
        if len(answers) != len(AMD):
            wrong.append(f"{kernel.stem}: {len(answers)} drivers answered, not {len(AMD)}")
        for target, driver in answers:
            if "refused" in driver:
                wrong.append(f"{kernel.stem} for {target}: {driver['refused']}")
            elif driver["spilledRegisters"] or driver["scratchBytes"]:
                wrong.append(f"{kernel.stem} for {target}: {driver['spilledRegisters']} registers spilled, "
                             f"{driver['scratchBytes']} bytes of scratch memory")
    print(f"{len(kernels)} kernels for {len(AMD)} of AMD's targets")
    return wrong


def every(kernels):
    listed = subprocess.run(["pumice", "target-env", "--list"], check=True, capture_output=True, text=True)
    wrong = []
    for target in [line.split()[0] for line in listed.stdout.splitlines()]:
        refused = collections.Counter()
        for kernel in kernels:
            ran = compile(kernel, [target])
            if ran.returncode == 0:
                continue
            reason = next((name for words, name in REASONS.items() if words in ran.stderr), None)
            refused[reason] += 1
            if not reason:
                wrong.append(f"{kernel.stem} for {target}: {ran.stderr}")
        taken = len(kernels) - refused.total()
        lacks = ", ".join(f"{count} need {name}" for name, count in refused.items())
        print(f"{target:22} {taken} of {len(kernels)}{': ' if lacks else ''}{lacks}", flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kernels = text_of_kernels(pathlib.Path(folder))
        wrong = (every if options.every else amd)(kernels)
    print("\n".join(wrong) if wrong else "nothing is wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
