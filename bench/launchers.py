#!/usr/bin/env python3
"""Measures what a launch costs through each kind of launcher, and prints a table.

    PYTHONPATH=build/python .venv/bin/python bench/launchers.py [--device cpu] [--rounds 7]

"first" is the time until the launcher can be called, with empty caches of Pumice. A C++ compiler compiles it, or Triton's
own C stub. The compilation of the kernel is the same for all, and is not part of it. "later" is the
median of launches without work, as ratio to the built-in launcher: rounds alternate between the launchers. Triton's
stub needs CUDA for a launch, so it gets a grid of 0 programs, for which it reads the arguments but calls no driver.
"""
import argparse
import importlib.util
import os
import pathlib
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time

os.environ["PUMICE_CACHE_DIR"] = tempfile.mkdtemp(prefix="pumice-bench-")

import numpy as np  # noqa: E402
import pumice  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


OPTIONS = dict(signature="*fp32, *fp32, *fp32, i32", constexprs={"BLOCK": 1024},
               grid=lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),))


def stub_of_triton(folder):
    """Compiles Triton's own launcher for CUDA as Triton does, and returns its module."""
    from triton.backends.nvidia import driver
    source = driver.make_launcher({}, {0: "*fp32", 1: "*fp32", 2: "*fp32", 3: "i32"}, None)
    path = pathlib.Path(folder) / "stub.c"
    # No driver is called for an empty grid, but the stub asks for the current context first.
    path.write_text(source + "CUresult cuCtxGetCurrent(CUcontext *made) { *made = (CUcontext)1; return CUDA_SUCCESS; }\n")
    made = pathlib.Path(folder) / "__triton_launcher.so"
    subprocess.run(["cc", str(path), "-O3", "-shared", "-fPIC", "-w", "-Wl,-z,lazy", "-o", str(made),
                    f"-I{driver.include_dirs[0]}", f"-I{sysconfig.get_paths()['include']}"], check=True)
    sys.setdlopenflags(os.RTLD_LAZY)  # this machine may have no libcuda
    spec = importlib.util.spec_from_file_location("__triton_launcher", made)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def median(call, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--rounds", type=int, default=7)
    chosen = parser.parse_args()
    pumice.use(chosen.device)
    x, y, out = (pumice.from_numpy(np.ones(1024, np.float32)) for _ in range(3))
    add[(1,)](x, y, out, 1024, BLOCK=1024)
    pumice.launcher(add, "c++", **OPTIONS)  # compiles the kernel, for all that follow
    calls = {"built-in, kernel[grid]": (0.0, lambda: add[(0,)](x, y, out, 0, BLOCK=1024))}
    for compiler in ("g++", "clang++"):
        os.environ["PUMICE_CACHE_DIR"] = tempfile.mkdtemp(prefix="pumice-bench-")
        start = time.perf_counter()
        try:
            launch = pumice.launcher(add, compiler, **OPTIONS)
        except pumice.NotFoundError:
            continue
        first = time.perf_counter() - start
        start = time.perf_counter()
        pumice.launcher(add, compiler, **OPTIONS)
        calls[f"compiled by {compiler}"] = (first, lambda launch=launch: launch(x, y, out, 0))
        calls[f"compiled by {compiler}, found on disk"] = (time.perf_counter() - start, lambda launch=launch: launch(x, y, out, 0))
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        try:
            stub = stub_of_triton(folder)
            first = time.perf_counter() - start
            arguments = (0, 1, 1, 0, 0, False, False, None, None, (4, 1, 0), None, None, None)
            calls["Triton's C stub, for CUDA"] = (first, lambda: stub.launch(*arguments, None, None, None, 0))
            calls["Triton's C stub, for CUDA"][1]()
        except (Exception, SystemError) as error:  # noqa: BLE001 - the table says so
            print(f"Triton's C stub: {type(error).__name__}: {error}")
            calls.pop("Triton's C stub, for CUDA", None)
        later = {name: [] for name in calls}
        for _ in range(chosen.rounds):
            for name, (_, call) in calls.items():
                later[name].append(median(call, 1000))
                pumice.synchronize()
    own = statistics.median(later["built-in, kernel[grid]"])
    print(f"device {pumice.device()}; a launch by the built-in launcher takes {own:.2f} us")
    print(f"{'launcher':40} {'first, s':>9} {'later':>7}")
    for name, (first, _) in calls.items():
        print(f"{name:40} {first:9.2f} {statistics.median(later[name]) / own:7.2f}")


if __name__ == "__main__":
    main()
