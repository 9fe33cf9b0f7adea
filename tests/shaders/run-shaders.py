#!/usr/bin/env python3
"""Runs the shaders of this folder on a device and compares what they leave in memory.

    tests/shaders/run-shaders.py [--driver cpu|lavapipe|lavapipe25|swiftshader|opencl|pocl] [--forms plain,O,Os]
                                 [--only REGEX] [--quick] [--show] [--shaders FOLDER]

README.md describes the form of a shader. `pumice` is found in PATH, and modules are cached in
PUMICE_BUILD/shaders (build/shaders). As usual, VK_DRIVER_FILES chooses the Vulkan driver. --show
prints the complete text of the selected shaders instead of running them.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "correctness"), str(ROOT / "tools")]
import spirv_rules  # noqa: E402
from corpus.execute import RUNNER, run_cases  # noqa: E402
from harness import build, known, launches  # noqa: E402
from harness.header import HeaderError, read_cases  # noqa: E402

DRIVERS = {"cpu": "cpu:0", "lavapipe": "vulkan:0", "lavapipe25": "vulkan:0",
           "swiftshader": "vulkan:0", "opencl": "opencl:0", "pocl": "opencl:0"}


class Device:
    """Returns what `pumice devices` says about the device."""

    def __init__(self, number):
        done = subprocess.run([*RUNNER, "devices", "--json"], capture_output=True, text=True)
        listed = json.loads(done.stdout)["devices"] if done.returncode == 0 else []
        found = [device for device in listed if device["id"] == number]
        if not found:
            sys.exit(done.stderr.strip() or f"there is no {number}")
        self.number, self.name, limits = number, found[0]["name"], found[0]["limits"]
        # OpenCL devices get the compiler's kernels, which the driver itself checks.
        self.target = None if "openCl" in found[0] else spirv_rules.Target(
            {**found[0], "version": found[0]["vulkan"]})
        self.lanes = limits["subgroupSize"]
        self.smallest = limits.get("minSubgroupSize", self.lanes)
        self.largest = limits.get("maxSubgroupSize", self.lanes)

    def has_subgroups_of(self, lanes):
        return not lanes or self.smallest <= lanes <= self.largest

    def lacks(self, module):
        """Names what the module needs and the device lacks."""
        if not self.target:
            return ""
        return "; ".join(self.target.refuses(spirv_rules.Module(module.read_bytes())))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", choices=DRIVERS, default="cpu")
    parser.add_argument("--forms", help="of plain,O,Os: as compiled, after spirv-opt -O, -Os")
    parser.add_argument("--only", default="", help="cases whose FOLDER/NAME matches this")
    parser.add_argument("--quick", action="store_true",
                        help="some variants; on other drivers as compiled only. PUMICE_CORPUS=all "
                        "runs everything all the same")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--shaders", type=pathlib.Path, default=HERE, help="another folder of them")
    parser.add_argument("--show", action="store_true", help="print the text, run nothing")
    options = parser.parse_args()
    options.quick = options.quick and os.environ.get("PUMICE_CORPUS") != "all"
    if not options.forms:
        options.forms = "plain" if options.quick and options.driver != "cpu" else "plain,O,Os"
    return options


def some_of(cases):
    """Returns the first, the last and a middle variant, to cover several types and sizes."""
    return [cases[i] for i in sorted({0, len(cases) // 2, len(cases) - 1})]


def find_cases(options, lanes):
    """Returns the selected cases, and [(file, error)] for headers with errors."""
    cases, broken = [], []
    for path in sorted(p for p in options.shaders.rglob("*") if p.suffix in (".comp", ".spvasm")):
        try:
            found = read_cases(path, options.shaders, lanes)
            cases += some_of(found) if options.quick else found
        except HeaderError as error:
            broken.append((str(path.relative_to(options.shaders)), str(error)))
    return [case for case in cases if re.search(options.only, case.name)
            and (not case.drivers or options.driver in case.drivers)], broken


def run_part(number, part, device, folder):
    # OpenCL's drivers print the logs of their compilers.
    printed = None if device.startswith("opencl") else {}
    return list(run_cases(part, printed, folder, f"part{number}", device, skip_unsupported=True))


def run_all(described, device, jobs):
    """Returns [(label, error)]. Runs a process for each core, with an equal share of the cases."""
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        parts = [described[i::jobs] for i in range(jobs)]
        done = pool.map(lambda each: run_part(*each, device, pathlib.Path(folder)),
                        [(i, part) for i, part in enumerate(parts) if part])
        return [result for part in done for result in part]


def launch_all(modules, cases, device, jobs):
    """Returns [(label, error)] for every module. Skips modules that the device cannot run."""
    by_name, described, results = {case.name: case for case in cases}, [], []
    for (case, form), module in modules.items():
        label = case + f".{form}" * bool(form)
        if isinstance(module, str):
            results.append((label, module))
        elif lacking := device.lacks(module):
            results.append((label, f"skipped: {lacking}"))
        else:
            described.append(launches.describe(by_name[case], module, label))
    return results + run_all(described, device.number, jobs)


def main():
    options = arguments()
    device = Device(DRIVERS[options.driver])
    cases, results = find_cases(options, device.lanes)
    if options.show:
        print("\n".join(f"// {case.name}\n{build.whole_text(case)}" for case in cases))
        return 0
    print(f"{device.name}: subgroups of {device.lanes} ({device.smallest} to {device.largest})",
          flush=True)
    start = time.monotonic()
    forms = [form.replace("plain", "") for form in options.forms.split(",")]
    able = [case for case in cases if device.has_subgroups_of(case.subgroup)]
    folder = pathlib.Path(os.environ.get("PUMICE_BUILD", ROOT / "build")) / "shaders"
    modules = build.make_all(able, forms, folder, options.jobs)
    print(f"{len(modules)} modules of {len(able)} cases of {len({c.path for c in able})} shaders, "
          f"{time.monotonic() - start:.1f} s", flush=True)
    start = time.monotonic()
    results += launch_all(modules, able, device, options.jobs)
    counts = known.judge(results, options.driver, HERE / "README.md")
    print(f"{time.monotonic() - start:.1f} s, "
          f"{len(cases) - len(able)} cases are for subgroups of other sizes")
    print(counts)
    return 1 if counts.failed or not counts.passed else 0


if __name__ == "__main__":
    sys.exit(main())
