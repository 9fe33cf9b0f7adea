#!/usr/bin/env python3
"""Runs on the mock of Metal: the conformance suite, the whole corpus of operations, and the examples.

    tests/metal/run-all.py [--sample] [--report FILE] [--compare FILE] [--only PART]

--sample runs the part that CI runs. --report writes a table with the result of every kernel, in Markdown. --compare
fails if such a table has another result, or lacks a kernel. --only runs one part: corpus, examples, matrices, triton or
conformance. The last line counts what passed and failed.
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
NOT_RUN = "not run: "  # and the reason


def run(*command):
    done = subprocess.run([str(word) for word in command], env=ENVIRONMENT, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT)
    return done.returncode, done.stdout


HEAD = """# Kernels on Metal

`make test-metal` writes these tables, from the results of Metal's driver on the [mock](metal.md#kernels-run-on-the-host).
A kernel passes if its results are NumPy's, or those that its test expects. CI compares a part with the tables.
The corpus names types and sizes in each kernel: those that "need what Metal lacks" have f64, 64-bit atomics, or other
features that the device does not report. Some tests of the suite do not run because of the mock, and not because of
Metal: its buffers have at most 4 GiB, and nothing bounds their number.
"""


def is_not_run(outcome):
    return outcome == LACKING or outcome.startswith(NOT_RUN)


def unrun(kernels):
    """Returns how many results are of kernels that did not run."""
    return sum(is_not_run(outcome) for outcomes in kernels.values() for outcome in outcomes.values())


def written(parts):
    """Returns tables with the result of every kernel."""
    lines = [HEAD.rstrip(), "", "| part | passed | failed | not run |", "|---|---|---|---|"]
    for part, kernels in parts.items():
        counts = collections.Counter(outcome for outcomes in kernels.values() for outcome in outcomes.values())
        lines.append(f"| {part} | {counts['passed']} | {counts['failed']} | {unrun(kernels)} |")
    for part, kernels in parts.items():
        ways = sorted(dict.fromkeys(way for outcomes in kernels.values() for way in outcomes), key=lambda way: way == "program")
        lines += ["", f"## {part}", "", f"| kernel | {' | '.join(ways)} |", "|---" * (len(ways) + 1) + "|"]
        lines += [f"| `{name}` | {' | '.join(outcomes.get(way, '') for way in ways)} |" for name, outcomes in sorted(kernels.items())]
    return "\n".join(lines) + "\n"


def read(text):
    """Returns the results in such tables."""
    parts, ways = {}, []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("## "):
            kernels = parts[line[3:]] = {}
        elif line.startswith("| kernel |"):
            ways = cells[1:]
        elif line.startswith("| `"):
            kernels[cells[0].strip("`")] = {way: outcome for way, outcome in zip(ways, cells[1:]) if outcome}
    return parts


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
              + f", {unrun(kernels)} not run" * bool(unrun(kernels)), flush=True)
        if counts["failed"] or not counts["passed"]:
            print(said[-4000:])
        self.passed += counts["passed"]
        self.failed += counts["failed"] or not counts["passed"]

    def report(self, path):
        """Writes the tables. Parts that did not run keep the results that the file has."""
        path.write_text(written((read(path.read_text()) if path.exists() else {}) | self.parts))

    def compare(self, path):
        """Compares the results with the tables, and counts each difference as a failure."""
        known = read(path.read_text())
        for part, kernels in self.parts.items():
            for name, outcomes in kernels.items():
                for way, outcome in outcomes.items():
                    expected = known.get(part, {}).get(name, {}).get(way, "no result")
                    if outcome != expected:
                        print(f"{path.name}: {part}: {name}: {way}: it has '{expected}', but now: {outcome}; `make test-metal` writes it")
                        self.failed += 1


# Reasons for readers, if a test's own names a feature of Vulkan or a limit of the mock.
NEEDED = {
    "Errors.DescriptorsThatReachTooFar": "Metal binds whole buffers, so none exceeds what a descriptor reaches",
    "Kernels.SpecializationConstantsDouble": "Metal has no f64",
    "Kernels.RequiredSubgroupSizes": "Metal's SIMD groups have one size, 32 threads",
    "Memory.Exhaustion": "nothing bounds the number of the mock's buffers",
    **{f"Large.{name}": "the mock's buffers have at most 4 GiB" for name in (
        "AddressesBeyond", "CopiesAndFills", "DescriptorsBeyond", "FillAcrossTheBorder", "UploadsAndDownloads")},
}


def conformance(_):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "report.json")
        _, said = run(BUILD / "tests/ConformanceTest", "--device", "metal:0", f"--gtest_output=json:{file}")
        suites = json.loads(file.read_text())["testsuites"] if file.is_file() else []
    reasons = dict(re.findall(r"^\[ RUN +\] (\S+)\n\S+: Skipped\n(?:can never|not present|known failure): (.*)$", said, re.MULTILINE))
    outcomes = {}
    for suite in suites:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            outcomes[name] = {"result": "failed" if test.get("failures") else "passed" if test["result"] != "SKIPPED"
                              else NOT_RUN + NEEDED.get(name.split("/")[0], reasons.get(name, "the test does not say why"))}
    return outcomes, said


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


def lines_of(script, pattern):
    """Runs a script of this folder, and returns the outcomes that its lines have, and why a kernel does not run."""
    _, said = run(sys.executable, ROOT / "tests/metal" / script)
    kernels = collections.defaultdict(dict)
    for name, way, outcome in re.findall(pattern, said, re.MULTILINE):
        kernels[name][way] = re.sub("^lacking: ", NOT_RUN, outcome)
    return kernels, said


def examples(_):
    return lines_of("examples.py", r"^(\S.*?): (addresses|descriptors|program): (passed|failed|lacking: .*)")


def matrices(_):
    return lines_of("matrices.py", r"^(\d+x\d+ .*), (addresses|descriptors): .*: (passed|failed)$")


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
    parser.add_argument("--only", choices=("corpus", "examples", "matrices", "triton", "conformance"),
                        help="one part")
    parser.add_argument("--compare", type=pathlib.Path, help="compare with tables that --report wrote")
    given = parser.parse_args()
    parts = {"corpus": ("Corpus", corpus), "examples": ("Examples", examples), "triton": ("Triton examples", triton)}
    if "PUMICE_SPIRV_CROSS_MATRICES" in (BUILD / "build.ninja").read_text():  # as lit.cfg.py decides
        parts["matrices"] = ("Products of matrices", matrices)
    if not given.sample:
        parts["conformance"] = ("Conformance suite", conformance)
    results = Results()
    for key, (name, part) in parts.items():
        if given.only in (None, key):
            results.add(name, *part(given.sample))
    if given.compare:
        results.compare(given.compare)
    if given.report:
        results.report(given.report)
        print(f"the result of every kernel is in {given.report}")
    print(f"{results.passed} passed, {results.failed} failed")
    return 1 if results.failed else 0


if __name__ == "__main__":
    sys.exit(main())
