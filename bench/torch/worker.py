"""Runs one side of the benchmark in a process: `worker.py DEVICE SCALE`, with DEVICE one of PyTorch's.

It prints `ready WHAT` or `absent WHY`. Then it answers each line of its standard input with one line:

    prepare CASE     right | failed WHY
    memory           memory BYTES     the most that tensors have occupied since the case is prepared
    time SECONDS     times US...     runs the case for this long; the times are medians of parts of that
"""
import os
import sys
import warnings

DEVICE, SCALE = sys.argv[1], int(sys.argv[2])
os.environ["PUMICE_VK"] = "1" if DEVICE == "vk" else "0"
warnings.simplefilter("ignore")

import torch  # noqa: E402
from timing import run_for  # noqa: E402


def synchronize():
    if DEVICE != "cpu":
        getattr(torch, DEVICE).synchronize()


def name_of_device():
    return "PyTorch's CPU" if DEVICE == "cpu" else getattr(torch, DEVICE).get_device_name()


def answer(line, cases, state):
    word, _, rest = line.strip().partition(" ")
    if word == "prepare":
        state["step"] = None
        if rest.endswith("compiled"):
            torch.compiler.reset()
        state["step"] = cases[rest].make(DEVICE, SCALE)
        state["step"]()
        synchronize()
        if DEVICE != "cpu":
            getattr(torch, DEVICE).reset_peak_memory_stats()
        return "right"
    if word == "memory":
        return f"memory {getattr(torch, DEVICE).max_memory_allocated() if DEVICE != 'cpu' else 0}"
    return "times " + " ".join(f"{one:.2f}" for one in run_for(state["step"], float(rest), synchronize))


def main():
    try:
        if DEVICE != "cpu" and not getattr(torch, DEVICE).is_available():
            raise RuntimeError("there is no such device")
        from cases import CASES
        print(f"ready {name_of_device()}, PyTorch {torch.__version__}, {torch.get_num_threads()} threads", flush=True)
    except Exception as error:  # noqa: BLE001
        print("absent", " ".join(str(error).split())[:200], flush=True)
        return
    cases, state = {case.name: case for case in CASES}, {}
    for line in sys.stdin:
        try:
            said = answer(line, cases, state)
        except Exception as error:  # noqa: BLE001 - the other cases go on
            said = f"failed {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        print(said, flush=True)


main()
