#!/usr/bin/env python3
"""Runs compiled kernels on a device and compares with NumPy.

    tests/correctness/run-kernels.py [--driver NAME] [--quick] [--only REGEX]
                                     [--configuration REGEX] [--seed N] [--record FILE]
                                     [--outcomes FILE]

Kernels are in kernels/ or written by corpus/*.py, where the references are too. Each is compiled
in every way of corpus/configurations.py that is the driver's: lavapipe, swiftshader, cpu, opencl
(Intel's runtime for CPUs), pocl, metal (the mock), aarch64 or windows (by an emulator).
VK_DRIVER_FILES or OCL_ICD_VENDORS choose the driver itself, as always. `pumice` is taken from PATH;
PUMICE_TEST_RUNNER is the command that opens devices instead, and emulators need it
(tests/systems/run-tests.py). Without --seed, the seed is 1. PUMICE_CORPUS=all makes --quick run
everything. corpus/known_failures.py lists the known failures.

--record writes which operations ran to FILE, from which the table of docs/operations.md gets a
column; each driver, everything:
    VK_DRIVER_FILES=... tests/correctness/run-kernels.py --record docs/operations-run.json
    VK_DRIVER_FILES=... tests/correctness/run-kernels.py --driver swiftshader \\
        --record docs/operations-run.json
    OCL_ICD_VENDORS=... tests/correctness/run-kernels.py --driver opencl \\
        --record docs/operations-run.json
    pumice operations --markdown --runs docs/operations-run.json > docs/operations.md
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from corpus import all_cases, coverage  # noqa: E402
from corpus.case import NATIVE, Context  # noqa: E402
from corpus.configurations import CONFIGURATIONS  # noqa: E402
from corpus.execute import (compile_source, describe, find_device, is_refused,  # noqa: E402
                            run_cases)
from corpus.known_failures import known_failure  # noqa: E402

# The names of drivers in the documents, and the devices that cases run on.
DRIVERS = {"lavapipe": ("lavapipe", "vulkan:0"), "swiftshader": ("SwiftShader", "vulkan:0"),
           "cpu": ("CPU", "cpu:0"), "opencl": ("OpenCL", "opencl:0"), "pocl": ("PoCL", "opencl:0"),
           "metal": ("Metal", "metal:0"), "aarch64": ("CPU of aarch64", "cpu:0"),
           "windows": ("CPU of Windows", "cpu:0")}

# The compiler's words for a missing feature of Vulkan, or extensions of OpenCL.
LACKS = r"needs (?:the feature )?\w+(?: or \w+)*, which (?:the )?target"


def compile_all(cases, configurations, folder):
    """Returns (file, configuration) -> (executable, {kernel: error}). Compiles each source once per configuration."""
    texts = {case.file: case.text() for case in cases}
    refused = {way.name: [c.name for c in cases if is_refused(c, way)] for way in configurations}
    # CPUs have several numbers of lanes, so kernels for a fixed number require it.
    asking = {way.name: {c.name for c in cases if c.lanes} if way.driver not in ("lavapipe", "swiftshader", "metal") else set()
              for way in configurations}
    pairs = [(file, way) for way in configurations for file in texts]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        done = pool.map(
            lambda pair: compile_source(texts[pair[0]], pathlib.Path(pair[0]).stem, pair[1],
                                        refused[pair[1].name], asking[pair[1].name], folder),
            pairs)
        return {(file, way.name): result for (file, way), result in zip(pairs, done)}


def run_configuration(cases, way, executables, seed, folder, device):
    """Prints what failed. Returns each case's outcome: passed, failed, known or lacking (a feature
    of the target)."""
    described, results, printed = [], {}, {}
    for case in cases:
        if is_refused(case, way):
            continue
        executable, errors = executables[case.file, way.name]
        if case.name in errors:
            results[case.name] = errors[case.name]
            continue
        launch = case.make(Context(seed, case.name, way.index_bits))
        label = f"{way.name}/{case.name}"
        described.append(describe(case, launch, executable, label, folder))
        printed[label] = launch.printed
    for label, error in run_cases(described, printed, folder, way.name, device):
        results[label.removeprefix(f"{way.name}/")] = error
    by_name, outcomes = {c.name: c for c in cases}, {}
    for name, error in results.items():
        reason = known_failure(way, by_name[name])
        if not error and not reason:
            outcomes[name] = "passed"
        elif error and reason:
            outcomes[name] = "known"
        elif way.lacks_features and re.search(LACKS, error):
            outcomes[name] = "lacking"
        else:
            outcomes[name] = "failed"
            print(f"FAIL {way.name}/{name}: {error or f'passed, but is known to fail: {reason}'}")
    return outcomes


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", choices=DRIVERS, default="lavapipe", help="which is there")
    parser.add_argument("--quick", action="store_true", help="only what `make test` runs")
    parser.add_argument("--only", default="", help="cases whose FILE/NAME matches this")
    parser.add_argument("--configuration", default="", help="configurations that match this")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="leave the files in this folder")
    parser.add_argument("--record", type=pathlib.Path, help="write here which operations ran")
    parser.add_argument("--outcomes", type=pathlib.Path, help="write here, as JSON, the outcome of each case")
    options = parser.parse_args()
    if options.driver in NATIVE and "PUMICE_TEST_RUNNER" not in os.environ:
        parser.error(f"--driver {options.driver} needs PUMICE_TEST_RUNNER, the command of RunCases in an emulator, such as "
                     "'qemu-aarch64 -L build/arm64-root/root build/packages/linux-aarch64/runtime/tests/RunCases'")
    if options.record and (options.quick or options.only or options.configuration):
        parser.error("--record is of everything: without --quick, --only and --configuration")
    return options


def main():
    options = arguments()
    quick = options.quick and os.environ.get("PUMICE_CORPUS") != "all"
    driver, number = DRIVERS[options.driver]
    device, problem = find_device(number)
    print(f"{device or problem}\nseed {options.seed}", flush=True)
    if not device:
        return 2
    cases = [c for c in all_cases()
             if (c.quick or not quick) and re.search(options.only, f"{c.file}/{c.name}")]
    ways = [c for c in CONFIGURATIONS if c.driver == options.driver
            and (c.quick or not quick) and re.search(options.configuration, c.name)]
    passed, failed, ran, all_outcomes = 0, 0, {}, {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        executables = compile_all(cases, ways, folder)
        print(f"compiled {len(executables)} times in {time.monotonic() - start:.1f} s", flush=True)
        for way in ways:
            start = time.monotonic()
            outcomes = run_configuration(cases, way, executables, options.seed, folder, number)
            all_outcomes[way.name] = outcomes
            names = [name for name, outcome in outcomes.items() if outcome == "passed"]
            wrong, known, lacking = (list(outcomes.values()).count(kind) for kind in ("failed", "known", "lacking"))
            passed, failed = passed + len(names), failed + wrong
            ran.setdefault(way.addressing, set()).update(names)
            print(f"{way.name}: {len(names)} passed, {wrong} failed"
                  + f", {known} known to fail" * bool(known)
                  + f", {lacking} need what the target lacks" * bool(lacking)
                  + f", {time.monotonic() - start:.1f} s", flush=True)
    if options.outcomes:
        options.outcomes.write_text(json.dumps(all_outcomes, indent=1) + "\n")
    print(f"{passed} passed, {failed} failed")
    if failed or not passed:
        return 1
    if options.record:
        coverage.record(options.record, driver, device, ran,
                        coverage.of_cases(cases))
    return 0


if __name__ == "__main__":
    sys.exit(main())
