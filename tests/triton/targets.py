#!/usr/bin/env python3
"""Compiles the kernels of examples/triton for GPUs that this machine lacks.

    targets.py             for AMD's GPUs, whose compilers (RADV's null devices) must not spill registers
    targets.py --every     for every named target: rejections are printed, and must have a reason that no
                           compiler can change
    targets.py --saved     the texts of ttir/whole for every named target: exactly those in REFUSED must be
                           rejected, with its reason

Needs `pumice`. Except with --saved, also needs the examples' requirements, and a PYTHONPATH with the package.
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

# Words of rejections, and the names of the missing features in the table.
REASONS = {"shaderInt64": "64-bit integers", "subgroup operation": "subgroup operations",
           "storage buffers": "as many buffers", "computes with addresses": "addresses of memory"}

# For texts of ttir/whole by target: the reason of the rejection.
REFUSED = {(target, "layernorm"): "binds 6 storage buffers" for target in (
    "vulkan1.0", "vulkan1.1", "vulkan1.2", "android-baseline-2022", "powervr-rogue")}


def text_of_kernels(folder):
    """Returns the TTIR of every kernel that the examples launch."""
    environment = dict(os.environ, PUMICE_DUMP=str(folder))
    subprocess.run([sys.executable, ROOT / "examples/triton/run.py", "--device", "cpu:0"], check=True,
                   env=environment, stdout=subprocess.DEVNULL)
    return sorted(folder.glob("*.ttir"))


def compile(kernel, targets, *options, to=None):
    words = [word for target in targets for word in ("--target", target)]
    return subprocess.run(["pumice", "compile", kernel, "-o", to or kernel.with_suffix(".out"), *words,
                           *options], capture_output=True, text=True)


def named_targets():
    listed = subprocess.run(["pumice", "target-env", "--list"], check=True, capture_output=True, text=True)
    return [line.split()[0] for line in listed.stdout.splitlines()]


def amd(kernels):
    """Returns lines about spilled registers and rejections."""
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
            if "rejected" in driver:
                wrong.append(f"{kernel.stem} for {target}: {driver['rejected']}")
            elif driver["spilledRegisters"] or driver["scratchBytes"]:
                wrong.append(f"{kernel.stem} for {target}: {driver['spilledRegisters']} registers spilled, "
                             f"{driver['scratchBytes']} bytes of scratch memory")
    print(f"{len(kernels)} kernels for {len(AMD)} of AMD's targets")
    return wrong


def every(kernels):
    wrong = []
    for target in named_targets():
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


def saved(folder):
    wrong, targets, refused = [], named_targets(), 0
    kernels = sorted((ROOT / "tests/triton/ttir/whole").glob("*.ttir"))
    out = folder / "out"
    for kernel in kernels:
        taken = [target for target in targets if (target, kernel.stem) not in REFUSED]
        ran = compile(kernel, taken, to=out)
        if ran.returncode:
            wrong.append(f"{kernel.stem}: {ran.stderr}")
        for target in set(targets) - set(taken):
            ran = compile(kernel, [target], to=out)
            reason = REFUSED[target, kernel.stem]
            refused += 1
            if not ran.returncode or reason not in ran.stderr:
                wrong.append(f"{kernel.stem} for {target}: not refused since it {reason}: {ran.stderr}")
    print(f"{len(kernels)} texts for {len(targets)} targets, {refused} times refused")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--saved", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if options.saved:
            wrong = saved(folder)
        else:
            wrong = (every if options.every else amd)(text_of_kernels(folder))
    print("\n".join(wrong) if wrong else "nothing is wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
