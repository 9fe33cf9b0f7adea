#!/usr/bin/env python3
"""Compiles and runs kernels for every operation of Triton, over types and shapes, and compares with NumPy.

usage: run.py [--device ID] [--fast] [--num-warps N] [--layout-seed SEED] [--target NAME] [--addressing HOW]
              [--via ROUTE] [--results FILE] [--check] [PATTERN...]

A pattern selects names of the form "FAMILY/OPERATION/TYPES": "atomics/*". --fast takes one case of each operation.

The name of a kernel determines whether it runs with 1, 2, 4 or 8 warps. --num-warps sets the number for all kernels.
With --layout-seed, the SEED (an integer) and the kernel's name determine random layouts. Matrix products may then be
rejected, if a lane gets too large a part.

--target compiles for a target ("x86-64-v3") instead of the device. --addressing chooses descriptors or addresses: the
kernels in by-descriptors.txt must then be rejected, and no others. --via chooses the route of OpenCL's modules, spirv or
llvm. The kernels that by-driver.txt lists for the device's driver and the route must be wrong, and no others.

--check compiles as launches in `pumice.check()` do. All kernels must compile and agree. They must report nothing,
except for the few cases whose `reports` names an intended error.

Needs a Python with `triton` and `numpy`, and the package `pumice`.
"""
import argparse
import collections
import fnmatch
import importlib.util
import json
import os
import pathlib
import re
import sys
import tempfile
import zlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent.parent / "tools")]

import processor  # noqa: E402
import table  # noqa: E402
from cases import Case as Kernel  # noqa: E402

TOO_LARGE = re.compile(r"'tile.dot' op takes \d+ multiplications in each lane, all unrolled")
PRELUDE = """import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

"""


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # inspect looks for the source there
    spec.loader.exec_module(module)
    return module


def warps_of(case):
    """Returns the number of warps. It depends only on the name, so that failures are reproducible."""
    return 1 << zlib.crc32(f"{case.name}, warps".encode()) % 4


def seed_of(case, given):
    return given and 1 + zlib.crc32(f"{case.name}, {given}".encode()) % (2**31 - 1)


def front_end(case, scratch, make_ttir, num_warps, layout_seed, check):
    """Returns the TTIR. Each kernel has its own module, since its functions may share names with others."""
    path = scratch / f"{case.kernel}.py"
    path.write_text(PRELUDE + case.source)
    kernel = getattr(load(path, case.kernel), case.kernel)
    types = tuple(t + ("/16" if t[0] == "*" else "/1") for t in case.types)
    module = make_ttir.front_end(Kernel(kernel, types, {}, case.options), num_warps, layout_seed, check)
    return module.str() if check else module.str_nodebug()  # reports name arguments and lines


def run(case, text_of, compile, device, pumice):
    """Returns None, or the error."""
    try:
        text = text_of(case)
    except Exception as error:  # noqa: BLE001 - the front end may raise anything
        return f"front end: {str(error).strip().splitlines()[-1]}"
    try:
        kernel = compile(text).on(device)[case.kernel]
    except Exception as error:  # noqa: BLE001
        lines = str(error).strip().splitlines()
        word = next((line for line in lines if "error" in line), lines[0] if lines else repr(error))
        if case.fails and case.fails in str(error):
            return None
        return "compile: " + word[:300]
    if case.fails:
        return "compile: no error"
    given = [value.copy() if isinstance(value, np.ndarray) else value
             for _, value in case.arguments.values()]
    try:
        launch(case, kernel, given, device, pumice)
    except Exception as error:  # noqa: BLE001
        return f"launch: {error}"[:300]
    for name, expected in case.expected.items():
        place = list(case.arguments).index(name)
        wrong = compare(case, case.arguments[name][0], given[place], expected)
        if wrong:
            return f"{name}: {wrong}"
    return None


def launch(case, kernel, given, device, pumice):
    """Launches the kernel. Its results are then in `given`."""
    taken, inside = [], []
    for name, value, argument in zip(case.arguments, given, kernel.arguments):
        value = fit(value, argument["element"])
        if name in case.places:  # only device arrays have memory before the first element
            whole = pumice.from_numpy(value, device)
            inside.append((value, whole))
            value = whole[case.places[name]:]
        taken.append(value)
    if any(argument["name"] == "pumice.check" for argument in kernel.arguments):
        launch_checked(case, kernel, taken, device)
    else:
        kernel[case.grid](*taken)
    for value, whole in inside:
        value[:] = whole.numpy()


def launch_checked(case, kernel, taken, device):
    from pumice_triton import checking, histories
    storages = [checking.Storage(argument["name"], value, device)
                for argument, value in zip(kernel.arguments, taken) if argument["kind"] == "buffer"]
    named = [argument["name"].removeprefix(histories.PREFIX) for argument in kernel.arguments
             if argument["name"].startswith(histories.PREFIX)]
    told, made = [], checking.Histories(storages)
    kernel.configured(case.grid, print=told.append)(*taken, checking.table_of(storages), *made.arguments(named))
    device.synchronize()
    records = [record.replace(checking.PART, "|") for record in "".join(told).split(checking.MARK)[1::2]]
    wanted = [record for record in records if record.startswith(f"{case.reports}|")]
    if len(wanted) < len(records) or bool(wanted) != bool(case.reports):
        raise ValueError(f"reports {records or 'nothing'}" + (f", not {case.reports}" if case.reports else ""))


def fit(value, kind):
    """Returns an array with the element type of the kernel's memory, without changing bits."""
    if not isinstance(value, np.ndarray):
        return value
    return value.reshape(-1).view({"bfloat16": np.uint16}.get(kind) or KINDS.get(kind, value.dtype))


KINDS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8, "u16": np.uint16,
         "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}


def compare(case, type, stored, expected):
    expected = np.asarray(expected).reshape(stored.shape)
    with np.errstate(all="ignore"):
        found = type.decode(stored)
        if not case.tolerance and not case.absolute:
            wanted = type.decode(expected.astype(type.storage))
            same = (stored == expected.astype(type.storage))
            if type.kind == "f":
                same |= (found == wanted) | (np.isnan(found) & np.isnan(wanted))
        else:
            wanted = expected
            same = np.abs(found - wanted.astype(np.float64)) <= (
                case.tolerance * np.abs(wanted) + case.absolute)
            same |= (found == wanted) | (np.isnan(found) & np.isnan(wanted))
    if same.all():
        return None
    at = np.argwhere(~same)[0]
    return (f"{(~same).sum()} of {same.size} differ; at {at.tolist()} {found[tuple(at)]!r} is not "
            f"{wanted[tuple(at)]!r}")


def what_to_look_for(device):
    from pumice_triton import checking
    return checking.what_to_look_for([], [], device) | checking.UNWRITTEN


def needs_addresses(names):
    lines = (HERE / "by-descriptors.txt").read_text().splitlines()
    patterns = [line.split()[0] for line in lines if not line.startswith("#")]
    return {name for name in names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)}


def wrong_here(names, device):
    """Returns the kernels that by-processor.txt lists for the device and for a processor like this one."""
    found = set()
    for line in (HERE / "by-processor.txt").read_text().splitlines():
        if not line.startswith("#"):
            flag, part, pattern = line.split()[:3]
            if processor.lacks(flag) and part in device:
                found.update(fnmatch.filter(names, pattern))
    return found


def wrong_by_driver(names, info, via):
    """Returns the kernels that by-driver.txt lists for the device's driver and the route."""
    found = set()
    for line in (HERE / "by-driver.txt").read_text().splitlines():
        if not line.startswith("#"):
            driver, route, pattern = line.split()[:3]
            if driver in f"{info['driver_name']} {info['driver_version']}" and route in (via, "*"):
                found.update(fnmatch.filter(names, pattern))
    return found


def in_child(cases, options, results):
    """Runs cases in a child process until one kills it. Returns the number of finished cases."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        sink = os.fdopen(write, "w")
        import pumice
        device = pumice.device(options.device)
        compile = lambda text: pumice.compile(text, options.target or device,
                                              addressing=options.addressing, via=options.via)
        make_ttir = load(HERE.parent / "make-ttir.py", "make_ttir")
        check = what_to_look_for(device) if options.check else 0
        with tempfile.TemporaryDirectory() as scratch:
            text_of = lambda case: front_end(case, pathlib.Path(scratch), make_ttir,
                                             options.num_warps or warps_of(case),
                                             seed_of(case, options.layout_seed), check)
            for case in cases:
                sink.write(json.dumps([case.name, run(case, text_of, compile, device,
                                                        pumice)]) + "\n")
                sink.flush()
        sys.stdout.flush()
        os._exit(0)
    os.close(write)
    done = 0
    with os.fdopen(read) as lines:
        for line in lines:
            name, wrong = json.loads(line)
            results[name] = wrong
            done += 1
    _, status = os.waitpid(child, 0)
    if done < len(cases):
        results[cases[done].name] = f"the process ended with {status}"
        done += 1
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--num-warps", type=int, choices=(1, 2, 4, 8, 16, 32))
    parser.add_argument("--layout-seed", type=int, default=0)
    parser.add_argument("--target")
    parser.add_argument("--addressing", choices=("addresses", "descriptors"))
    parser.add_argument("--via", choices=("spirv", "llvm"), default="spirv")
    parser.add_argument("--results", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    from pumice_triton.versions import installed, release
    cases = table.chosen(options.patterns, options.fast, release(installed()))
    results, done = {}, 0
    while done < len(cases):
        done += in_child(cases[done:], options, results)
    if options.results:
        options.results.write_text(json.dumps(results, indent=0))
    refused = needs_addresses(results) if options.addressing == "descriptors" else ()
    for name in refused:
        is_refused = re.search("for which buffers need some|descriptors of .* start at multiples of", results[name] or "")
        results[name] = None if is_refused else results[name] or "is refused no more: see by-descriptors.txt"
    import pumice
    known = wrong_here(results, pumice.device(options.device).name) if options.device != "cpu:0" else ()
    for name in known:
        results[name] = None if results[name] else "agrees: see by-processor.txt"
    driver = wrong_by_driver(results, pumice.device(options.device).info, options.via)
    for name in driver:
        results[name] = None if results[name] else "agrees: see by-driver.txt"
    too_large = [name for name, wrong in results.items()
                 if options.layout_seed and TOO_LARGE.search(wrong or "")]
    results.update(dict.fromkeys(too_large))
    groups = collections.defaultdict(list)
    warps = {case.name: options.num_warps or warps_of(case) for case in cases}
    for name, wrong in results.items():
        if wrong:
            print(f"{name} (num_warps={warps[name]}): {wrong}")
        groups[name.split("/")[0]].append(not wrong)
    sys.stdout.flush()
    for group, good in groups.items():
        print(f"{group}: {sum(good)} of {len(good)}")
    if known:
        print(f"{len(known)} of these are wrong on this processor, as by-processor.txt says")
    if driver:
        print(f"{len(driver)} of these are wrong with this driver, as by-driver.txt says")
    if refused:
        print(f"{len(refused)} of these are refused without addresses, as they should be")
    if options.layout_seed:
        print(f"layouts at random by seed {options.layout_seed}; products refused for it: {len(too_large)}")
    by_warps = collections.Counter(warps.values())
    print("launched " + ", ".join(f"{by_warps[n]} by {n}" for n in sorted(by_warps)) + " warps")
    print(f"{sum(not w for w in results.values())} of {len(results)} kernels agree on {options.device}")
    return any(results.values())


if __name__ == "__main__":
    sys.exit(main())
