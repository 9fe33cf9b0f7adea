#!/usr/bin/env python3
"""Runs compiled kernels on a Vulkan device and compares with NumPy.

    tests/correctness/run-kernels.py [--quick] [--only REGEX] [--configuration REGEX] [--seed N]

Kernels are in kernels/ or written by corpus/*.py, where the references are too. Each is compiled
in every way of corpus/configurations.py. `pumice` and `vulkan-runner` are taken from PATH; without
--seed, the seed is 1. PUMICE_CORPUS=all makes --quick run everything.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from corpus import all_cases  # noqa: E402
from corpus.case import Context  # noqa: E402
from corpus.configurations import CONFIGURATIONS  # noqa: E402
from corpus.execute import compile_source, describe, environment_ready, run_cases  # noqa: E402


def is_refused(case, way):
    return (case.lanes not in (None, way.lanes)
            or any(re.match(pattern, way.name) for pattern in case.refused))


def compile_all(cases, configurations, folder):
    """(file, configuration) -> (executable, {kernel: error}), each source once a configuration."""
    texts = {case.file: case.text() for case in cases}
    refused = {way.name: [c.name for c in cases if is_refused(c, way)] for way in configurations}
    pairs = [(file, way) for way in configurations for file in texts]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        done = pool.map(
            lambda pair: compile_source(texts[pair[0]], pathlib.Path(pair[0]).stem, pair[1],
                                        refused[pair[1].name], folder), pairs)
        return {(file, way.name): result for (file, way), result in zip(pairs, done)}


def run_configuration(cases, way, executables, seed, folder):
    """Prints what failed; returns how many passed and failed."""
    described, failed, passed = [], 0, 0
    for case in cases:
        if is_refused(case, way):
            continue
        executable, errors = executables[case.file, way.name]
        label = f"{way.name}/{case.name}"
        if case.name in errors:
            failed += 1
            print(f"FAIL {label}: {errors[case.name]}")
            continue
        launch = case.make(Context(seed, case.name, way.index_bits))
        described.append(describe(case, launch, executable, label, folder))
    for label, error in run_cases(described, folder, way.name):
        passed, failed = passed + (not error), failed + bool(error)
        if error:
            print(f"FAIL {label}: {error}")
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only what `make test` runs")
    parser.add_argument("--only", default="", help="cases whose FILE/NAME matches this")
    parser.add_argument("--configuration", default="", help="configurations that match this")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path, help="leave the files in this folder")
    options = parser.parse_args()
    quick = options.quick and os.environ.get("PUMICE_CORPUS") != "all"

    ready, device = environment_ready()
    print(f"{device}\nseed {options.seed}", flush=True)
    if not ready:
        return 2
    cases = [c for c in all_cases()
             if (c.quick or not quick) and re.search(options.only, f"{c.file}/{c.name}")]
    ways = [c for c in CONFIGURATIONS
            if (c.quick or not quick) and re.search(options.configuration, c.name)]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        executables = compile_all(cases, ways, folder)
        print(f"compiled {len(executables)} times in {time.monotonic() - start:.1f} s", flush=True)
        for way in ways:
            start = time.monotonic()
            result = run_configuration(cases, way, executables, options.seed, folder)
            passed, failed = passed + result[0], failed + result[1]
            print(f"{way.name}: {result[0]} passed, {result[1]} failed, "
                  f"{time.monotonic() - start:.1f} s", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
