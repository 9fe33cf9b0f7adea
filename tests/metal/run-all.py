#!/usr/bin/env python3
"""Runs on the mock of Metal: the conformance suite, the whole corpus of operations, and the Triton examples.

    tests/metal/run-all.py [--sample]

--sample runs the part that CI runs. The last line counts what passed and failed.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"
ENVIRONMENT = {**os.environ, "PUMICE_METAL_LIBRARY": str(BUILD / "tests/pumice_mock_metal.so"),
               "PUMICE_CACHE": "off", "PYTHONPATH": str(BUILD / "python")}


def run(*command):
    done = subprocess.run([str(word) for word in command], env=ENVIRONMENT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT)
    return done.returncode, done.stdout


def conformance(more):
    status, said = run(BUILD / "tests/ConformanceTest", "--device", "metal:0", "--gtest_brief=1", *more)
    passed = re.search(r"\[  PASSED  \] (\d+)", said)
    return int(passed[1]) if passed else 0, 0 if status == 0 else max(1, said.count("[  FAILED  ]") // 2), said


def corpus(more):
    _, said = run(sys.executable, "tests/correctness/run-kernels.py", "--driver", "metal", *more)
    counts = re.search(r"^(\d+) passed, (\d+) failed$", said, re.MULTILINE)
    return (int(counts[1]), int(counts[2]), said) if counts else (0, 1, said)


def triton(more):
    _, said = run(sys.executable, "examples/triton/run.py", "--device", "metal:0", *more)
    return len(re.findall(r" ms$", said, re.MULTILINE)), said.count("WRONG") + said.count("Error"), said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", action="store_true", help="the part that CI runs")
    sample = parser.parse_args().sample
    parts = {"corpus": (corpus, ["--quick", "--only", "^(groups|pieces|control|float)"] if sample else []),
             "Triton examples": (triton, ["add", "softmax"] if sample else [])}
    if not sample:
        parts["conformance"] = (conformance, [])
    total = [0, 0]
    for name, (part, more) in parts.items():
        passed, failed, said = part(more)
        total = [total[0] + passed, total[1] + failed]
        print(f"{name}: {passed} passed, {failed} failed", flush=True)
        if failed or not passed:
            print(said[-4000:])
            total[1] += not failed
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
