#!/usr/bin/env python3
"""Runs small SPIR-V modules for OpenCL, written here from its specification, and compares with Python.

    tests/opencl/modules/run.py [--device ID] [--only PATTERN] [--sample N] [--seed N] [--keep FOLDER] [--list]

The name of a case determines the version of SPIR-V, and on the CPU device the width of an address. --sample takes N
cases at random by the seed.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "correctness")]

import arithmetic  # noqa: E402
import conversions  # noqa: E402
import control  # noqa: E402
import functions  # noqa: E402
import groups  # noqa: E402
import memory  # noqa: E402
from case import Buffer  # noqa: E402
from cases.case import TYPES, Local  # noqa: E402
from corpus.execute import RUNNER, run_cases, save  # noqa: E402
from module import Module  # noqa: E402

# Cases that OpenCL drivers get wrong, by a part of the device's driver version or name, with the reasons. They do not run.
KNOWN = {
    "Intel": {
        r"memory/CompositeConstruct/.*-of-halves": "its compiler rejects vectors that are made of vectors",
        r"memory/Atomic.*-(own|generic)-.*": "it has no atomics in private memory",
        r"arithmetic/[US]MulExtended/.*": "its compiler ends, or rejects the products",
        r"memory/nested/.*|memory/AccessChain/bool.*|groups/GroupBroadcast/.*-workgroup-.*|functions/shuffle2?/.*":
            "its vectorizer ends the process for some types",
        r"memory/Generic.*": "casts to a wrong memory give the pointer",
        r"conversions/ConvertFTo[SU]/f16.*-SaturatedConversion.*": "NaN becomes the greatest integer",
        r"control/SizeOf/.*": "its reader ends the process",
        r"arithmetic/Dot/.*x(8|16)-.*": "its compiler rejects products of more than 4 elements",
        r"groups/IMul/.*ExclusiveScan": "the results are those of other lanes",
        r"functions/[us]_mad_sat/.*": "sums are not clamped",
    },
}
FAMILIES = (arithmetic, conversions, functions, memory, control, groups)


def all_cases(seed):
    for family in FAMILIES:
        for case in family.cases(np.random.default_rng(seed)):
            case.name = f"{family.__name__}/{case.name}"
            yield case


def known_faults(device):
    """Returns the patterns of the cases that the driver of an OpenCL device gets wrong, with the reasons."""
    if not device.startswith("opencl"):
        return {}
    done = subprocess.run([*RUNNER, "devices", "--json"], capture_output=True, text=True, check=True)
    found = next((each for each in json.loads(done.stdout)["devices"] if each["id"] == device), {})
    return next((reasons for part, reasons in KNOWN.items() if part in json.dumps(found)), {})


def flavour(case, only_64):
    """Returns the version and the width of an address, which depend only on the name."""
    number = zlib.crc32(case.name.encode())
    bits = [b for b in case.bits if b == 64 or not only_64]
    return case.versions[number % len(case.versions)], bits[number // 8 % len(bits)]


def assemble(case, label, only_64, folder):
    """Writes the module, and returns an error."""
    version, bits = flavour(case, only_64)
    module = Module(bits, version)
    case.build(module)
    environment = f"spv{version}"
    text, binary = folder / f"{label}.spvasm", folder / f"{label}.spv"
    text.write_text(module.text())
    for command in (["spirv-as", "--target-env", environment, text, "-o", binary],
                    ["spirv-val", "--target-env", environment, binary]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{command[0]}: {done.stderr.strip()}"
    return ""


def described(case, label, folder):
    buffers, arguments = {}, []
    for i, argument in enumerate(case.arguments):
        if isinstance(argument, Local):
            arguments.append({"local": argument.bytes})
        elif not isinstance(argument, Buffer):
            arguments.append(argument)
        else:
            data = np.ascontiguousarray(argument.data)
            buffers[f"b{i}"] = {"type": TYPES[data.dtype.name], **save(data, folder / f"{label}.{i}.in")}
            if argument.compared:
                expect = data if argument.expect is None else np.ascontiguousarray(argument.expect)
                buffers[f"b{i}"]["expect"] = save(expect, folder / f"{label}.{i}.out")
                if data.dtype.kind == "f":
                    buffers[f"b{i}"]["tolerance"] = {"ulps": argument.ulps, "relative": argument.relative,
                                                     "absolute": argument.absolute}
            arguments.append(f"b{i}")
    return {"name": label, "module": f"{label}.spv", "entry": case.entry, "buffers": buffers, "arguments": arguments,
            "threads": list(case.threads), "workgroup_size": list(case.local), **case.options}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--only", default="", help="cases whose names match this pattern")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="runs what the driver is known to get wrong, too")
    parser.add_argument("--list", action="store_true", help="only name the cases")
    parser.add_argument("--keep", type=pathlib.Path, help="leave modules and data in this folder")
    options = parser.parse_args()
    chosen = [case for case in all_cases(options.seed) if re.search(options.only, case.name)]
    reasons = {} if options.all else known_faults(options.device)
    chosen = [case for case in chosen if not any(re.fullmatch(pattern, case.name) for pattern in reasons)]
    if options.sample:
        chosen = random.Random(options.seed).sample(chosen, min(options.sample, len(chosen)))
    if options.list:
        print("\n".join(case.name for case in chosen))
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        failures = run(chosen, folder, options.device)
    counts = collections.Counter(name.split("/")[0] for name, _ in failures)
    for name, error in failures:
        print(f"FAIL {name}: {error}")
    print(f"{len(chosen) - len(failures)} of {len(chosen)} modules are right on {options.device}", dict(counts) or "")
    return 1 if failures or not chosen else 0


def run(chosen, folder, device):
    """Returns (name, error) of the cases that fail."""
    failures, launches, names = [], [], {}
    for i, case in enumerate(chosen):
        label = f"{i}." + re.sub(r"[^\w.-]", "-", case.name)
        names[label] = case.name
        error = assemble(case, label, device.startswith("opencl"), folder)
        if error:
            failures.append((case.name, error))
        else:
            launches.append(described(case, label, folder))
    for first in range(0, len(launches), 200):
        for label, error in run_cases(launches[first:first + 200], None, folder, "modules", device):
            if error:
                failures.append((names[label], error))
    return failures


if __name__ == "__main__":
    sys.exit(main())
