#!/usr/bin/env python3
"""Measures the cost of checked mode: runs kernels without and with `pumice.check()` in turn.

usage: check_cost.py [--device ID] [--turns N] [NAME...]

Times are medians of wall time and of processor time. Other work affects the latter less.
"""
import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "triton"))

import example  # noqa: E402
import pumice  # noqa: E402
from run import NAMES, choose, print_table  # noqa: E402


def timed(launch):
    """Returns wall seconds, and the processor seconds of all threads of the process."""
    wall, processor = time.perf_counter(), time.process_time()
    launch()
    pumice.synchronize()
    return time.perf_counter() - wall, time.process_time() - processor


def cost(launch, turns):
    """Returns milliseconds without checks, and the ratios of wall time and of processor time."""
    plain, checked = [], []
    for turn in range(turns + 1):
        one = timed(launch)
        with pumice.check():
            other = timed(launch)
        if turn:  # the first turn compiles
            plain.append(one)
            checked.append(other)
    before, after = ([statistics.median(each) for each in zip(*times)] for times in (plain, checked))
    return before[0] * 1e3, after[0] / before[0], after[1] / before[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--turns", type=int, default=21)
    options = parser.parse_args()
    pumice.use(options.device)
    memory, rows, costs = example.HostMemory(), [], []
    for name in options.names or NAMES:
        make, sizes = choose(name)
        problem = make(memory, **sizes)
        plain, wall, processor = cost(problem.launch, options.turns)
        costs.append((wall, processor))
        rows.append([problem.title, f"{plain:.3f} ms", f"{wall:.2f}", f"{processor:.2f}"])
    medians = [f"{statistics.median(each):.2f}" for each in zip(*costs)]
    print(pumice.device().info["name"])
    print_table([["kernel", "unchecked", "wall", "processor"], *rows, ["median", "", *medians]])


if __name__ == "__main__":
    main()
