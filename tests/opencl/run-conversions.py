#!/usr/bin/env python3
"""OpenCL C's convert_ functions between all pairs of types, with each direction and with saturation, compared with
exact arithmetic.

    tests/opencl/run-conversions.py [--device cpu:0] [--lanes 1,4] [--only PATTERN]

Each source type and width of vectors is one file, with a kernel for each result type.
"""
import argparse
import math
import pathlib
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "correctness")]

import numpy as np  # noqa: E402
from cases.case import TYPES as NAMES  # noqa: E402
from corpus.execute import RUNNER, run_cases, save  # noqa: E402

TYPES = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
         "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "half": np.float16, "float": np.float32,
         "double": np.float64}
DIRECTIONS = {"": None, "_rte": round, "_rtz": math.trunc, "_rtp": math.ceil, "_rtn": math.floor}


def is_float(name):
    return name in ("half", "float", "double")


def inputs(name):
    """Returns numbers at the bounds of all types, near ties, and others."""
    bounds = [sign * (1 << bits) + step for bits in (0, 3, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64)
              for sign in (1, -1) for step in (-1, 0, 1)]
    mixed = [2049, 2051, 65519, 65520, 16777217, 16777219, -16777217, 123456789, 0x123456789abcdef, -98765432109876]
    if not is_float(name):
        info = np.iinfo(TYPES[name])
        return np.unique(np.array([x for x in (*bounds, *mixed) if info.min <= x <= info.max], TYPES[name]))
    parts = [0.25, 0.5, 0.75, 1.5, 2.5, -0.25, -0.5, -0.75, -1.5, -2.5, 127.5, 254.5, 255.5, -128.5, 0.1, -0.1, 1 / 3,
             -2 / 3, 1e-3, 3.14159265358979, -2.718281828459045, 1000.0625, 0.0]
    beyond = [1e30, -1e30, np.inf, -np.inf, np.nan] if name != "half" else [np.inf, -np.inf, np.nan]
    with np.errstate(over="ignore"):
        values = np.array([float(x) for x in (*bounds, *mixed, *parts)]).astype(TYPES[name])
    return np.array([*np.unique(values[np.isfinite(values)]), *beyond], TYPES[name])


def exact(x):
    return Fraction(float(x)) if isinstance(x, np.floating) else Fraction(int(x))


def to_integer(x, name, direction, saturates):
    """Returns the integer, or None for results that OpenCL C leaves open."""
    info = np.iinfo(TYPES[name])
    if isinstance(x, np.floating) and not np.isfinite(x):
        if not saturates:
            return None
        return 0 if np.isnan(x) else info.max if x > 0 else info.min
    whole = (direction or math.trunc)(exact(x))
    if saturates:
        return min(max(whole, info.min), info.max)
    if isinstance(x, np.floating):
        return whole if info.min <= whole <= info.max else None
    return (whole - info.min) % (info.max - info.min + 1) + info.min


def nearest(x, kind):
    """Returns the nearest float of a number, rounded once."""
    with np.errstate(over="ignore"):
        if isinstance(x, np.floating) or kind == np.float64:
            return kind(x)
        near = kind(float(x))  # perhaps rounded twice
    if np.isinf(near):
        return near
    with np.errstate(over="ignore"):
        choices = [near, np.nextafter(near, kind(-np.inf)), np.nextafter(near, kind(np.inf))]
    choices = [each for each in choices if np.isfinite(each)]
    bits = np.dtype(f"u{np.dtype(kind).itemsize}")
    return min(choices, key=lambda each: (abs(exact(each) - int(x)), int(each.view(bits)) & 1))


def to_float(x, name, direction):
    kind = TYPES[name]
    near = nearest(x, kind)
    if isinstance(x, np.floating) and not np.isfinite(x):
        return near
    number = exact(x)
    side = (1 if near > 0 else -1) if np.isinf(near) else (exact(near) > number) - (exact(near) < number)
    if direction is math.trunc:
        direction = math.floor if number > 0 else math.ceil
    with np.errstate(over="ignore", under="ignore"):
        if direction is math.floor and side > 0:
            return np.nextafter(near, kind(-np.inf))
        if direction is math.ceil and side < 0:
            return np.nextafter(near, kind(np.inf))
    return near


def modes_of(result):
    """Lists the endings of the conversions to a type."""
    saturation = [""] if is_float(result) else ["", "_sat"]
    return [(s, d) for s in saturation for d in DIRECTIONS]


def expected(x, result, saturation, direction):
    if is_float(result):
        return to_float(x, result, DIRECTIONS[direction])
    return to_integer(x, result, DIRECTIONS[direction], bool(saturation))


def kernel_of(source, result, lanes):
    """Returns a kernel that writes a row of results for each mode. Only saturation takes numbers out of range."""
    width = "" if lanes == 1 else str(lanes)
    text = [f"kernel void to_{result}(global const {source} *all, global const {source} *inside, "
            f"global {result} *out, ulong vectors) {{", "  size_t g = get_global_id(0);"]
    for row, (saturation, direction) in enumerate(modes_of(result)):
        numbers = "all" if saturation or is_float(result) or not is_float(source) else "inside"
        load = f"{numbers}[g]" if lanes == 1 else f"vload{lanes}(g, {numbers})"
        made = f"convert_{result}{width}{saturation}{direction}({load})"
        place = f"{row} * vectors + g"
        text.append(f"  out[{place}] = {made};" if lanes == 1 else f"  vstore{lanes}({made}, {place}, out);")
    return "\n".join([*text, "}"])


def launch_of(source, result, lanes, executable, folder):
    """Describes the launch of a kernel."""
    everything = inputs(source)
    everything = np.concatenate([everything, everything[:-len(everything) % lanes]])
    modes, inside = modes_of(result), everything.copy()
    for i, x in enumerate(everything):
        if any(expected(x, result, *mode) is None for mode in modes):
            inside[i] = 1
    expect = [expected(x, result, *mode) for mode in modes
              for x in (everything if mode[0] or is_float(result) else inside)]
    label, vectors = f"{source}-{result}-{lanes}", len(everything) // lanes
    expect = np.array(expect, TYPES[result])
    named = {"all": everything, "inside": inside, "out": np.zeros_like(expect)}
    buffers = {name: {"type": NAMES[array.dtype.name], **save(array, folder / f"{label}.{name}")}
               for name, array in named.items()}
    buffers["out"]["expect"] = save(expect, folder / f"{label}.expect")
    return {"name": label, "executable": executable.name, "entry": f"to_{result}", "threads": vectors,
            "arguments": ["all", "inside", "out", vectors], "buffers": buffers}


def run_file(source, lanes, results, device, folder):
    """Yields (label, error or "") for each result type."""
    file, made = folder / f"{source}{lanes}.cl", folder / f"{source}{lanes}.pumice"
    file.write_text("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                    + "\n".join(kernel_of(source, result, lanes) for result in results))
    done = subprocess.run([*RUNNER, "compile", file, "--target", "intel-cpu", "-o", made], capture_output=True,
                          text=True)
    if done.returncode:
        yield f"{source}-{lanes}", done.stderr.strip()[:2000]
        return
    described = [launch_of(source, result, lanes, made, folder) for result in results]
    yield from run_cases(described, {}, folder, f"{source}{lanes}", device)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--lanes", default="1,4", help="widths of vectors: 1, 2, 3, 4, 8, 16")
    parser.add_argument("--only", default="", help="conversions whose SOURCE-RESULT match this pattern")
    options = parser.parse_args()
    failures = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for lanes in map(int, options.lanes.split(",")):
            for source in TYPES:
                results = [result for result in TYPES if re.search(options.only, f"{source}-{result}")]
                if not results:
                    continue
                for label, error in run_file(source, lanes, results, options.device, pathlib.Path(folder)):
                    total += 1
                    failures += bool(error)
                    if error:
                        print(f"FAIL {label}: {error}")
    print(f"{total} conversions, {failures} failed")
    return 1 if failures or not total else 0


if __name__ == "__main__":
    sys.exit(main())
