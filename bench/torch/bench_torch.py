"""Times operators and training steps on PyTorch's device "vk", compared with PyTorch's own CPU or CUDA.

    bench_torch.py [--device cpu] [--vs cpu|cuda] [OPTION]...

Each side is a process. In each round, both run a case in turn for a second, so that a machine that slows down slows
both. The times are medians in microseconds, and the speed is that of vk: the other side's time divided by ours. Models
need transformers, torchvision and timm, and are left out without them.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from subjects import Subject, progress  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(prog="bench-torch", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="the device that vk is: cpu, vulkan:0, ... (cpu)")
    parser.add_argument("--vs", choices=("cpu", "cuda"), help="the other side; by default cuda for GPUs, otherwise cpu")
    parser.add_argument("--case", action="append", help="only this case; may be given several times")
    parser.add_argument("--rounds", type=int, default=3, help="turns of each side (3)")
    parser.add_argument("--seconds", type=float, default=1.2, help="how long a turn lasts (1.2)")
    parser.add_argument("--quick", action="store_true", help="small sizes and short turns: the times mean nothing")
    parser.add_argument("--json", help="also writes the results there")
    parser.add_argument("--list", action="store_true", help="names the cases, and ends")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {given.rounds}")
    return given


def compare(case, sides, rounds, seconds):
    """Returns the medians of both sides, or why there are none."""
    for side in sides:
        progress(f"{case}: {side.name} prepares")
        word, why = side.ask(f"prepare {case}")
        if word != "right":
            return None, f"{side.name}: {why}"
    times = {side.name: [] for side in sides}
    for turn in range(rounds):
        for side in sides:
            progress(f"{case}: {side.name}, {turn + 1} of {rounds}")
            word, rest = side.ask(f"time {seconds}")
            if word != "times":
                return None, f"{side.name}: {rest}"
            times[side.name] += map(float, rest.split())
    return {name: statistics.median(each) for name, each in times.items()}, ""


def memory_of(sides):
    """Returns the most memory that tensors have occupied on each side."""
    return {side.name: int(side.ask("memory")[1]) for side in sides}


def main():
    given = arguments()
    os.environ["PUMICE_VK"] = "0"  # this process has no tensors
    from cases import CASES
    if given.list:
        print("\n".join(case.name for case in CASES))
        return 0
    known = [case.name for case in CASES]
    models = {case.name for case in CASES if case.is_model}
    if unknown := [name for name in given.case or () if name not in known]:
        sys.exit(f"bench-torch: error: there is no case '{unknown[0]}'; there are {', '.join(known)}")
    is_cpu = given.device.startswith("cpu")
    scale = "0" if given.quick else "3" if is_cpu else "6"
    other = given.vs or ("cpu" if is_cpu else "cuda")
    sides = [Subject("vk", HERE / "worker.py", "vk", scale,
                     environment={**os.environ, "PUMICE_VK_DEVICES": given.device, "CUDA_VISIBLE_DEVICES": ""}),
             Subject(other, HERE / "worker.py", other, scale)]
    for side in sides:
        print(f"{side.name:6} {side.what}")
        if not side.is_there:
            sys.exit(f"bench-torch: error: {side.name} cannot be timed: {side.what}")
    rows = []
    print(f"\n{'case':32} {'vk, us':>12} {other + ', us':>12} {'speed':>6}"
          + ("" if is_cpu else f" {'vk, MB':>10} {other + ', MB':>10}"))
    for name in given.case or known:
        times, why = compare(name, sides, given.rounds, 0.05 if given.quick else given.seconds)
        progress("")
        rows.append({"case": name, "device": given.device, "us": times, "note": why})
        if times:
            rows[-1]["speed"] = times[other] / times["vk"]
            said = f"{name:32} {times['vk']:12.1f} {times[other]:12.1f} {rows[-1]['speed']:6.2f}"
            if name in models and not is_cpu:
                bytes_of = rows[-1]["memory"] = memory_of(sides)
                said += "".join(f" {bytes_of[side.name] / 1e6:10.0f}" for side in sides)
            print(said, flush=True)
        else:
            print(f"{name:32} {why}", flush=True)
        if given.json:
            pathlib.Path(given.json).write_text(json.dumps(rows, indent=2) + "\n")
    for side in sides:
        side.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
