#!/usr/bin/env python3
"""Runs the CPU device's suites as they run on another processor; one that fails ends none of the others.

    tests/levels/run-suites.py --level x86-64-v3    by what PUMICE_CPU_LEVEL makes of this processor
    tests/levels/run-suites.py --emulate Nehalem    by qemu, which lacks what that processor lacks
    tests/levels/run-suites.py --level x86-64-v2 --all

Without --all a part of each suite runs; under the emulator, which takes ten times as long and more, a
few cases of each. A level that this processor does not run is left out by name.
"""
import argparse
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(os.environ.get("PUMICE_BUILD", ROOT / "build"))
sys.path.insert(0, str(ROOT / "tools"))
import processor  # noqa: E402

# Name: arguments for everything, for a part of it, and for the emulator. "%python" is a Python that runs
# as the processor does, since the CPU device lives in its process; other scripts start `pumice`.
SUITES = {
    "conformance": ("%build/tests/ConformanceTest --device cpu", "", "--gtest_filter=Kernels.*:Arguments.*"),
    "native code": ("%build/tests/CpuCodeTest --gtest_brief=1", "--gtest_filter=*LibraryCallsOf*:EmitNative.*", None),
    "shaders": ("python tests/shaders/run-shaders.py", "--quick --forms plain",
                "--quick --forms plain --only ^(math/(rounding|fma|min)|conversions|dot)"),
    # Bytes with values of both signs, and bf16, at each subgroup size.
    "matrices": ("python tests/cooperative/run-cases.py",
                 "--quick --only ^mma_16x16x16.*[iu]8_[iu]8|^chain|^fragments|^each_F",
                 "--quick --only ^mma_16x16x16.*[iu]8_[iu]8|^chain_bf16|^fragments_bf16 --lanes 16 32"),
    "kernels": ("python tests/correctness/run-kernels.py --driver cpu", "--quick",
                "--quick --only mma_.*_of_sixteen|conver --configuration cpu-physical-32"),
    "random programs": ("%build/tests/RandomPrograms --cpu-only", "--seed 0 --count 30", "--seed 4 --count 1"),
    "OpenCL": ("python tests/opencl/run-kernels.py", "", None),
    "Triton": ("%python tests/triton/sweep/run.py --device cpu:0",
               "--fast accesses/* conversions/* operators/* products/* reductions/* scans/*",
               "--fast products/dot/* reductions/sum/* libdevice/double2int/rn"),
}
ONLY_WITH_ALL = ["OpenCL"]


def commands(options):
    """Returns [(name, command, environment)]."""
    build, python = str(BUILD), str(ROOT / ".venv/bin/python")
    emulator = ["qemu-x86_64", "-cpu", options.emulate] if options.emulate else []
    for name, (whole, part, few) in SUITES.items():
        chosen = "" if options.all else few if options.emulate else part
        if chosen is None or (name in ONLY_WITH_ALL and not options.all):
            continue
        words = shlex.split(whole.replace("%build", build))
        if words[0] == "python":
            words[0] = python
        else:
            words = emulator + [python if words[0] == "%python" else words[0]] + words[1:]
        yield name, words + shlex.split(chosen)


def environment(options, folder):
    """Returns the `pumice` command for the scripts, and the processor that it finds."""
    has = dict(os.environ, PYTHONPATH=str(BUILD / "python"), PUMICE_CACHE="off")
    path = [str(BUILD / "bin"), has.get("PATH", ""), os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin")]
    has.pop("PUMICE_CPU_LEVEL", None)
    if options.level:
        has["PUMICE_CPU_LEVEL"] = options.level
    else:
        script = folder / "pumice"
        script.write_text("#!/bin/bash\n"
                          f"exec qemu-x86_64 -cpu {shlex.quote(options.emulate)} {shlex.quote(str(BUILD / 'bin/pumice'))}"
                          ' "$@" 2> >(grep -v "^qemu-x86_64: warning: TCG" >&2)\n')
        script.chmod(0o755)
        path.insert(0, str(folder))
        has["PUMICE_TEST_SECONDS"] = "600"
    has["PATH"] = os.pathsep.join(path)
    return has


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--level", choices=processor.LEVELS)
    which.add_argument("--emulate", metavar="CPU", help="one of `qemu-x86_64 -cpu help`")
    parser.add_argument("--all", action="store_true", help="everything")
    parser.add_argument("--suite", action="append", help="only this one (repeatable)")
    options = parser.parse_args()
    if options.level and options.level not in processor.runs():
        print(f"{options.level} is left out: this processor runs {' and '.join(processor.runs()) or 'none'}")
        return 0
    failed, ran = [], 0
    with tempfile.TemporaryDirectory() as folder:
        has = environment(options, pathlib.Path(folder))
        for name, command in commands(options):
            if (options.suite and name not in options.suite) or (
                    name == "Triton" and not (BUILD / "python/pumice").exists()):
                continue
            start, ran = time.monotonic(), ran + 1
            done = subprocess.run(command, cwd=ROOT, env=has, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            lines = [line for line in done.stdout.splitlines() if "warning: TCG" not in line]
            print(f"{name}: {'failed' if done.returncode else 'passed'}, "
                  f"{time.monotonic() - start:.0f} s: {lines[-1] if lines else 'no output'}", flush=True)
            if done.returncode:
                failed.append(name)
                print(shlex.join(command), *lines[-60:], sep="\n  ", flush=True)
    print(f"{options.level or options.emulate}: {ran - len(failed)} suites passed, {len(failed)} failed")
    return 1 if failed or not ran else 0


if __name__ == "__main__":
    sys.exit(main())
