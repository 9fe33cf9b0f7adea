#!/usr/bin/env python3
"""Compares the two routes to SPIR-V for OpenCL: MLIR's serializer (--via spirv) and LLVM's backend (--via llvm).

    bench/opencl/bench_routes.py [--device opencl:0] [--turns N] [--json FILE]

Compiles every file of the corpus (tests/correctness) by both routes in turn, and compares the time of `pumice compile`
and the size of the code. Then runs five kernels by both routes in turn on the device, checks their results, and
compares the times. All numbers are ratios of medians, LLVM's route to the other one. `pumice` is taken from PATH.
`make bench-routes` runs it on Intel's runtime for CPUs.
"""
from __future__ import annotations

import argparse
import dataclasses
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/correctness"))
from corpus import all_cases  # type: ignore[import-not-found]  # noqa: E402

ROUTES = ("spirv", "llvm")


@dataclasses.dataclass
class Kernel:
    name: str
    source: pathlib.Path
    groups: list[int]
    arguments: list[Any]  # arrays and numbers
    results: dict[int, np.ndarray[Any, Any]]  # by the number of the argument
    tolerance: float = 0


def kernels() -> list[Kernel]:
    random = np.random.default_rng(1)

    def floats(*shape: int) -> np.ndarray[Any, Any]:
        return random.uniform(-1, 1, shape).astype(np.float32)

    n = 256
    a, b = floats(n, n), floats(n, n)
    rows = floats(512, 2048)
    powers = np.exp(rows.astype(np.float64))
    softmax = (powers / powers.sum(axis=1, keepdims=True)).astype(np.float32)
    data = random.integers(-128, 128, 1 << 20).astype(np.int8)
    counts = np.bincount(data.view(np.uint8), minlength=256).astype(np.int32)
    pairs = floats(1 << 18, 2).astype(np.float16)
    norms = np.maximum(np.sqrt((pairs.astype(np.float32) ** 2).sum(axis=1)), np.float32(0.5))
    x = floats(1 << 20)
    kernel, example = ROOT / "bench/kernels", ROOT / "examples"
    return [
        Kernel("matmul", kernel / "matmul.mlir", [n // 16, n // 16],
               [n, a.ravel(), b.ravel(), np.zeros(n * n, np.float32)], {3: (a @ b).ravel()}, 1e-4),
        Kernel("softmax", example / "softmax.mlir", [len(rows)], [rows, np.zeros_like(rows)],
               {1: softmax}, 1e-4),
        # Each turn adds the counts again, so the result holds only for the first.
        Kernel("histogram", example / "histogram.mlir", [16], [data, np.zeros(256, np.int32)],
               {1: counts}),
        Kernel("norms", example / "norms.mlir", [len(pairs) // 64],
               [pairs, 0.5, np.zeros(len(pairs), np.float32)], {2: norms}, 1e-5),
        Kernel("saxpy", kernel / "saxpy.mlir", [len(x) // 64], [len(x), 0.0, x, x.copy()], {3: x}),
    ]


def compiled(source: pathlib.Path, output: pathlib.Path, device: str, route: str) -> float:
    """Returns the seconds that compilation took."""
    start = time.perf_counter()
    subprocess.run(["pumice", "compile", source, "-o", output, "--target", f"device:{device}", "--via", route],
                   check=True)
    return time.perf_counter() - start


def code_bytes(executable: pathlib.Path) -> int:
    text = subprocess.run(["pumice", "inspect", executable, "--no-asm"], check=True, capture_output=True,
                          text=True).stdout
    return sum(int(number) for number in re.findall(r"^  code +(\d+) bytes", text, re.M))


def write_launch(kernel: Kernel, executable: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    arguments: list[Any] = []
    buffers: dict[str, Any] = {}
    types = {"float32": "f32", "float16": "f16", "int32": "i32", "int8": "i8"}
    for number, argument in enumerate(kernel.arguments):
        if not isinstance(argument, np.ndarray):
            arguments.append(argument)
            continue
        name = f"argument{number}"
        argument.tofile(folder / f"{kernel.name}.{number}.in")
        buffers[name] = {"type": types[str(argument.dtype)], "file": f"{kernel.name}.{number}.in"}
        if number in kernel.results:
            kernel.results[number].tofile(folder / f"{kernel.name}.{number}.out")
            buffers[name]["expect"] = {"file": f"{kernel.name}.{number}.out"}
            buffers[name]["tolerance"] = {"relative": kernel.tolerance, "absolute": kernel.tolerance}
        arguments.append({"buffer": name, "shape": list(argument.shape)})
    path = executable.with_suffix(".json")
    path.write_text(json.dumps({"executable": executable.name, "entry": kernel.name, "groups": kernel.groups,
                                "arguments": arguments, "buffers": buffers}))
    return path


UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def run(launch: pathlib.Path, device: str, repeats: int = 1) -> float:
    """Returns the seconds of one launch. With one repetition, the results are checked, too."""
    command: list[str | pathlib.Path] = ["pumice", "run", "--launch", launch, "--device", device]
    done = subprocess.run([*command, "--repeat", str(repeats)], capture_output=True,
                          text=True, check=False)
    if repeats == 1:
        if done.returncode != 0:
            raise SystemExit(f"{launch.stem}: wrong results: {done.stdout[-300:]}{done.stderr[-300:]}")
        return 0
    found = re.search(r"^([\d.]+) (ns|us|ms|s) each$", done.stdout, re.M)
    if not found:
        raise SystemExit(f"{launch.stem}: no time: {done.stdout[-300:]}{done.stderr[-300:]}")
    return float(found[1]) * UNITS[found[2]]


def compare_compilation(device: str, turns: int, folder: pathlib.Path) -> tuple[list[float], list[float]]:
    """Returns the ratios of time and size of each file of the corpus."""
    texts = {case.file: case.text() for case in all_cases()}
    times, sizes = [], []
    for number, text in enumerate(texts.values()):
        source = folder / f"{number}.mlir"
        source.write_text(text)
        seconds: dict[str, list[float]] = {route: [] for route in ROUTES}
        size = {}
        try:
            for _ in range(turns):
                for route in ROUTES:
                    output = folder / f"{number}.{route}.pumice"
                    seconds[route].append(compiled(source, output, device, route))
                    size[route] = code_bytes(output)
        except subprocess.CalledProcessError:  # the device lacks what a kernel needs
            continue
        times.append(statistics.median(seconds["llvm"]) / statistics.median(seconds["spirv"]))
        sizes.append(size["llvm"] / size["spirv"])
    return times, sizes


def compare_speed(kernel: Kernel, device: str, turns: int, folder: pathlib.Path) -> tuple[float, float]:
    """Returns the ratio of the times of a launch, and of the sizes."""
    launches, sizes = {}, {}
    for route in ROUTES:
        executable = folder / f"{kernel.name}.{route}.pumice"
        compiled(kernel.source, executable, device, route)
        sizes[route] = code_bytes(executable)
        launches[route] = write_launch(kernel, executable, folder)
        run(launches[route], device)
    seconds: dict[str, list[float]] = {route: [] for route in ROUTES}
    for _ in range(turns):
        for route in ROUTES:
            seconds[route].append(run(launches[route], device, 40))
    return (statistics.median(seconds["llvm"]) / statistics.median(seconds["spirv"]),
            sizes["llvm"] / sizes["spirv"])


def processor() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*: (.*)$", text, re.M)
    return found[1] if found else "unknown"


def spread(ratios: list[float]) -> str:
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}, {len(ratios)} files)"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="opencl:0")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    print(f"{processor()}, {options.device}, {options.turns} turns; LLVM's route / MLIR's route")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        speeds = {}
        for kernel in kernels():
            speeds[kernel.name], size = compare_speed(kernel, options.device, options.turns, folder)
            print(f"{kernel.name:10} time {speeds[kernel.name]:.2f}  size {size:.2f}", flush=True)
        times, sizes = compare_compilation(options.device, options.turns, folder)
    print(f"time of pumice compile: {spread(times)}\nsize of the code: {spread(sizes)}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"machine": {"cpu": processor()}, "speed": speeds, "compile": times,
                                            "size": sizes}, indent=1) + "\n")


if __name__ == "__main__":
    main()
