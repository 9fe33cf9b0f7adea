#!/usr/bin/env python3
"""Answers what tests and tools need to know about the processor that they run on.

    tools/processor.py            prints its level ("x86-64-v3"; elsewhere the machine's name)
    tools/processor.py --leaves   prints the levels that it does not run, one a line
"""
import argparse
import os
import pathlib
import platform

# Features that each level of x86-64 adds to the one below it, by Linux's names.
LEVELS = {
    "x86-64-v2": "cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3",
    "x86-64-v3": "abm avx avx2 bmi1 bmi2 f16c fma movbe xsave",
    "x86-64-v4": "avx512bw avx512cd avx512dq avx512f avx512vl",
}


def flags():
    """Returns Linux's names of the processor's features, or nothing on other systems. Under an emulator, processes
    see this machine's features, so PUMICE_TEST_CPUINFO names another file."""
    try:
        lines = pathlib.Path(os.environ.get("PUMICE_TEST_CPUINFO", "/proc/cpuinfo")).read_text().splitlines()
    except OSError:
        return set()
    return next((set(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")),
                set())


def runs():
    """Returns the levels of x86-64 that run here, lowest first. PUMICE_CPU_LEVEL limits them."""
    found, has = [], flags()
    for level, wanted in LEVELS.items():
        if platform.machine() != "x86_64" or not has.issuperset(wanted.split()):
            break
        found.append(level)
        if level == os.environ.get("PUMICE_CPU_LEVEL"):
            break
    return found


def lacks(flag):
    """Returns whether the processor lacks the feature `flag`, regardless of PUMICE_CPU_LEVEL."""
    return flag not in flags()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--leaves", action="store_true", help="the levels that it does not run")
    levels = runs()
    if parser.parse_args().leaves:
        print("".join(level + "\n" for level in LEVELS if level not in levels), end="")
    else:
        print(levels[-1] if levels else platform.machine())


if __name__ == "__main__":
    main()
