#!/usr/bin/env python3
"""Runs every suite of tests, shows what failed, and ends with one line `N passed, N failed`.

    tools/run-tests.py [--build build] [--jobs N] [--only unit,lit,house,documents]

A suite is a command that leaves its results in a file; see `suites` below. A suite that breaks, or
in which nothing ran, is itself a failure: silence never counts as success.

A few tests that exceeded their time limit run a second time, alone, since a loaded machine may be the
reason. If they pass then, the output shows the first failure. Other failures count at once.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_SHOWN = 20_000  # The most characters that are shown of a failed test's output.
TEST_SECONDS = 900  # The limit for one test of lit.
UNIT_SECONDS = 600  # The limit for one test of ctest; the longest takes 100 on a quiet machine.
SUITE_SECONDS = 3600  # The limit for a whole suite.
MOST_AGAIN = 5  # The most tests that may run a second time; more failures are not an accident.
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


@dataclass
class Test:
    name: str
    outcome: str
    output: str = ""
    timed_out: bool = False


@dataclass
class Suite:
    name: str
    command: list
    results: pathlib.Path  # the file that the command writes
    read: object  # results file -> [Test]
    again: object = None  # names of tests -> the command that runs only these


def read_json(path):
    """Reads results in the form that lit and our own tools write."""
    outcomes = {"PASS": PASSED, "XFAIL": PASSED, "FLAKYPASS": PASSED, "UNSUPPORTED": SKIPPED}
    outcomes["SKIPPED"] = SKIPPED
    return [
        Test(test["name"], outcomes.get(test["code"], FAILED), test["output"], test["code"] == "TIMEOUT")
        for test in json.loads(path.read_text())["tests"]
    ]


def read_junit(path):
    """Reads ctest's results. They contain no reasons, but the seconds reveal tests that the time limit ended."""
    outcomes = {"run": PASSED, "notrun": SKIPPED, "disabled": SKIPPED}
    tests = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        outcome = outcomes.get(case.get("status"), FAILED)
        output = case.findtext("system-out") or ""
        seconds = float(case.get("time") or 0)
        if outcome == FAILED:
            output += f"\nfailed after {seconds:.1f} s"
        tests.append(Test(case.get("name"), outcome, output, outcome == FAILED and seconds >= UNIT_SECONDS))
    return tests


def lit_folders():
    """Returns the folders with lit tests, which lit searches recursively."""
    return [str(ROOT / name) for name in ("bench", "compiler", "executable", "setup", "tests", "tools")]


def processor_lines():
    """Lists the tests that depend on the processor, and its level, since other machines may run other tests."""
    wanted = re.compile(r"^REQUIRES:.*\b(x86-64-v\d|qemu)\b", re.M)
    tests = [path for folder in lit_folders() for path in sorted(pathlib.Path(folder).rglob("*.test"))
             if wanted.search(path.read_text(errors="replace"))]
    command = [sys.executable, str(ROOT / "tools/processor.py")]
    level = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    missing = subprocess.run([*command, "--leaves"], capture_output=True, text=True,
                             check=False).stdout.split()
    yield f"processor: {level}" + f"; it does not run {', '.join(missing)}" * bool(missing)
    yield "tests that depend on the processor: " + ", ".join(
        str(path.relative_to(ROOT)) for path in tests)


def suites(build, jobs):
    results = build / "test-results"
    unit, lit = results / "unit.xml", results / "lit.json"
    house, documents = results / "house.json", results / "documents.json"
    python = sys.executable
    ctest = ["ctest", "--test-dir", build, "--output-junit", unit, "--quiet", "--timeout", UNIT_SECONDS,
             "--test-output-size-failed", 10_000_000]
    lits = [ROOT / ".venv/bin/lit", "--quiet", "--no-progress-bar", "--timeout", TEST_SECONDS,
            "--output", lit]
    return [
        Suite("unit", [*ctest, "--parallel", jobs], unit, read_junit,
              lambda names: [*ctest, "-R", f"^({'|'.join(map(re.escape, names))})$"]),
        Suite("lit", [*lits, "-j", jobs, *lit_folders()], lit, read_json,
              lambda names: [*lits, "-j", "1", *(ROOT / name.split(" :: ")[1] for name in names)]),
        Suite("house", [python, ROOT / "tools/check-house.py", "--results", house],
              house, read_json),
        Suite("documents", [python, ROOT / "tools/run-doc-commands.py", "--build", build,
                            "--results", documents], documents, read_json),
    ]


def finish(command, environment, seconds):
    """Returns a command's output and exit code. The code is None if the command was killed at its time limit."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen([str(word) for word in command], cwd=ROOT, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            code = process.wait(seconds)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            code = None
        output.seek(0)
        return output.read().decode(errors="replace"), code


def run(suite, environment, seconds=SUITE_SECONDS):
    """Returns the suite's tests. If the suite itself is broken, one more test has the reason."""
    suite.results.unlink(missing_ok=True)
    output, code = finish(suite.command, environment, seconds)
    if code is None:
        return [Test("the suite", FAILED, f"{output}\nstill at work after {seconds} s: ended")]
    try:
        tests = suite.read(suite.results)
    except (OSError, ValueError, KeyError, ElementTree.ParseError) as error:
        return [Test("the suite", FAILED, f"{output}\nno results: {error}")]
    if not any(test.outcome != SKIPPED for test in tests):
        tests.append(Test("the suite", FAILED, f"{output}\nno test ran"))
    elif code != 0 and not any(test.outcome == FAILED for test in tests):
        tests.append(Test("the suite", FAILED, f"{output}\nexit code {code}"))
    return tests


def try_again(suite, tests, environment):
    """Runs a few tests again if their time limit ended them, and returns all tests."""
    failed = [test for test in tests if test.timed_out]
    if not suite.again or not 0 < len(failed) <= MOST_AGAIN:
        return tests
    second = Suite(suite.name, suite.again([test.name for test in failed]), suite.results, suite.read)
    passed = {test.name for test in run(second, environment) if test.outcome == PASSED}
    for test in failed:
        if test.name in passed:
            test.outcome = PASSED
            print(f"\n---- {suite.name} passed at the second try: {test.name}; its first:")
            print(shown(test.output.strip()) or "(no output)", end="\n\n", flush=True)
    return tests


def count(tests, outcome):
    return sum(test.outcome == outcome for test in tests)


def report(suite, tests, seconds):
    line = f"{suite.name:<10} {count(tests, PASSED):5} passed {count(tests, FAILED):4} failed"
    if count(tests, SKIPPED):
        line += f" {count(tests, SKIPPED):4} skipped"
    print(f"{line}   {seconds:.1f} s", flush=True)
    for test in tests:
        if test.outcome == SKIPPED:
            why = (test.output.strip() or "(no reason given)").splitlines()[-1]
            print(f"  skipped: {test.name}: {why.removeprefix('skipped: ')}", flush=True)
    for test in tests:
        if test.outcome == FAILED:
            print(f"\n---- {suite.name} failed: {test.name}")
            print(shown(test.output.strip()) or "(no output)", end="\n\n", flush=True)
    if any(len(test.output) > MOST_SHOWN for test in tests if test.outcome == FAILED):
        print(f"whole outputs are in {suite.results}")


def shown(output):
    """Shortens long output. Keeps its beginning and its end, since one of them names the failure."""
    if len(output) <= MOST_SHOWN:
        return output
    half = MOST_SHOWN // 2
    return f"{output[:half]}\n[... {len(output) - 2 * half} characters ...]\n{output[-half:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--jobs", default=str(os.cpu_count()))
    parser.add_argument("--only", default="unit,lit,house,documents",
                        help="which suites, separated by commas")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    known = suites(build, arguments.jobs)
    wanted = arguments.only.split(",")
    for name in wanted:
        if name not in (suite.name for suite in known):
            parser.error(f"no suite '{name}'; there are {', '.join(s.name for s in known)}")

    (build / "test-results").mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, PUMICE_BUILD=str(build))
    everything = []
    if "lit" in wanted:
        print(*processor_lines(), sep="\n", flush=True)
    for suite in (suite for suite in known if suite.name in wanted):
        start = time.monotonic()
        tests = try_again(suite, run(suite, environment), environment)
        report(suite, tests, time.monotonic() - start)
        everything += tests

    failed = count(everything, FAILED)
    summary = f"{count(everything, PASSED)} passed, {failed} failed"
    if count(everything, SKIPPED):
        summary += f", {count(everything, SKIPPED)} skipped"
    (build / "test-results" / "summary.txt").write_text(summary + "\n")
    for test in everything:
        if test.outcome == FAILED:
            print(f"failed: {test.name}")
    print(summary, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
