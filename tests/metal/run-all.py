#!/usr/bin/env python3
"""Runs on the mock of Metal: the conformance suite, the whole corpus of operations, and the Triton examples.

    tests/metal/run-all.py [--sample] [--report FILE] [--only PART]

--sample runs the part that CI runs. --report writes a table with the result of every kernel, in Markdown. --only runs
one part: corpus, triton or conformance. The last line counts what passed and failed.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build"
ENVIRONMENT = {**os.environ, "PUMICE_METAL_LIBRARY": str(BUILD / "tests/pumice_mock_metal.so"),
               "PUMICE_CACHE": "off", "PYTHONPATH": str(BUILD / "python")}
EXAMPLES = sorted({path.stem for path in (ROOT / "examples/triton").glob("*.py")} - {"example", "run"})
LACKING = "needs what Metal lacks"


def run(*command):
    done = subprocess.run([str(word) for word in command], env=ENVIRONMENT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT)
    return done.returncode, done.stdout


class Results:
    """The outcome of each kernel in each way, and the totals."""

    def __init__(self):
        self.parts = {}  # {part: {kernel: {way: outcome}}}
        self.failed = self.passed = 0

    def add(self, part, kernels, said):
        """Adds {kernel: {way: outcome}}, and prints the counts, and what the part said if anything failed."""
        self.parts[part] = kernels
        counts = collections.Counter(outcome for ways in kernels.values() for outcome in ways.values())
        print(f"{part}: {counts['passed']} passed, {counts['failed']} failed"
              + f", {counts[LACKING]} need what Metal lacks" * bool(counts[LACKING]), flush=True)
        if counts["failed"] or not counts["passed"]:
            print(said[-4000:])
        self.passed += counts["passed"]
        self.failed += counts["failed"] or not counts["passed"]

    def report(self, path):
        lines = ["# Kernels in Metal's language, run on the host", "",
                 "`make test-metal` wrote these tables. Results are equal to NumPy's, or to what the suite expects."]
        for part, kernels in self.parts.items():
            ways = list(dict.fromkeys(way for outcomes in kernels.values() for way in outcomes))
            lines += ["", f"## {part[0].upper()}{part[1:]}", "", f"| kernel | {' | '.join(ways)} |", "|---" * (len(ways) + 1) + "|"]
            lines += [f"| `{name}` | {' | '.join(outcomes.get(way, '') for way in ways)} |"
                      for name, outcomes in sorted(kernels.items())]
        path.write_text("\n".join(lines) + "\n")


def conformance(_):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "report.json")
        _, said = run(BUILD / "tests/ConformanceTest", "--device", "metal:0", "--gtest_brief=1", f"--gtest_output=json:{file}")
        suites = json.loads(file.read_text())["testsuites"] if file.is_file() else []
    return {f"{suite['name']}.{test['name']}": {"result": "failed" if test.get("failures") else LACKING if test["result"] == "SKIPPED"
                                                else "passed"}
            for suite in suites for test in suite["testsuite"]}, said


def corpus(sample):
    more = ["--quick", "--only", "^(groups|pieces|control|float)"] if sample else []
    kernels = collections.defaultdict(dict)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "outcomes.json")
        _, said = run(sys.executable, "tests/correctness/run-kernels.py", "--driver", "metal", "--outcomes", file, *more)
        for way, outcomes in (json.loads(file.read_text()) if file.is_file() else {}).items():
            for name, outcome in outcomes.items():
                kernels[name][way.removeprefix("metal-")] = {"lacking": LACKING, "known": "known to fail"}.get(outcome, outcome)
    return kernels, said


def triton(sample):
    """Runs each example in a process of its own, so that each has a result."""
    kernels, everything = {}, ""
    for name in ["add", "softmax"] if sample else EXAMPLES:
        status, said = run(sys.executable, "examples/triton/run.py", name, "--device", "metal:0")
        right = status == 0 and re.search(r" ms$", said, re.MULTILINE)
        left_out = status == 0 and "left out" in said
        kernels[name] = {"result": "passed" if right else LACKING if left_out else "failed"}
        everything += said if kernels[name]["result"] == "failed" else ""
    return kernels, everything


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", action="store_true", help="the part that CI runs")
    parser.add_argument("--report", type=pathlib.Path, help="write tables with the result of every kernel")
    parser.add_argument("--only", choices=("corpus", "triton", "conformance"), help="one part")
    given = parser.parse_args()
    parts = {"corpus": ("corpus", corpus), "triton": ("Triton examples", triton)}
    if not given.sample:
        parts["conformance"] = ("conformance suite", conformance)
    results = Results()
    for key, (name, part) in parts.items():
        if given.only in (None, key):
            results.add(name, *part(given.sample))
    if given.report:
        results.report(given.report)
        print(f"the result of every kernel is in {given.report}")
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
