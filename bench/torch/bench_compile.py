"""Times models that torch.compile compiles for the CPU by Pumice's Triton back end, compared with inductor's C++ back end.

    bench_compile.py [OPTION]...

Each side is a process. In each round, both run a case in turn, so that a machine that slows down slows both. The times
are medians in microseconds. The speed is the median over the rounds of C++'s time divided by ours. The seconds are those
of the first run, which compiles the model. Results that differ from eager mode's have no time.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from subjects import Subject, progress  # noqa: E402

OURS, OTHER = "triton", "cpp"


def arguments(known):
    parser = argparse.ArgumentParser(prog="bench-torch-compile", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", action="append", help="only this case; may be given several times")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each side (5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long a turn lasts (0.5)")
    parser.add_argument("--threads", type=int, help="threads of each side; by default PyTorch's own choice")
    parser.add_argument("--cpu-time", action="store_true",
                        help="compares processor time, which other work disturbs less; sensible with --threads 1")
    parser.add_argument("--kernels", action="store_true", help="also prints the time of each kernel")
    parser.add_argument("--json", help="also writes the results there")
    parser.add_argument("--list", action="store_true", help="names the cases, and ends")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {given.rounds}")
    if unknown := [name for name in given.case or () if name not in known]:
        parser.exit(1, f"bench-torch-compile: error: there is no case '{unknown[0]}'; there are {'; '.join(known)}\n")
    return given


def ask(side, expected, request):
    word, rest = side.ask(request)
    if word != expected:
        raise RuntimeError(f"{side.name}: {rest}")
    return rest


def compare(case, sides, given):
    """Returns the row of a case. Raises an error if a side fails."""
    row = {"case": case, "us": {}, "compile_s": {}}
    for side in sides:
        progress(f"{case}: {side.name} compiles")
        row["compile_s"][side.name] = float(ask(side, "right", f"prepare {case}"))
    times = {side.name: [] for side in sides}
    for turn in range(given.rounds):
        for side in sides:
            progress(f"{case}: {side.name}, {turn + 1} of {given.rounds}")
            said = ask(side, "times", f"time {given.seconds}")
            times[side.name].append(statistics.median(map(float, said.split())))
    row["us"] = {name: statistics.median(each) for name, each in times.items()}
    row["speed"] = statistics.median(other / ours for ours, other in zip(times[OURS], times[OTHER]))
    if given.kernels:
        row["kernels"] = {side.name: json.loads(ask(side, "kernels", "kernels 10")) for side in sides}
    return row


def print_kernels(row):
    """Prints the kernels of both sides that take at least 1% of the case's time."""
    for name, kernels in row["kernels"].items():
        whole = sum(us for _, us, _ in kernels)
        for kernel, us, launches in kernels:
            if us >= whole / 100:
                print(f"    {name:8} {us:10.1f} us {launches:6.1f} x  {kernel}", flush=True)


def main():
    os.environ["PUMICE_VK"] = "0"  # this process has no tensors
    from models import MODELS
    known = [f"{name}{form}" for name in MODELS for form in ("", ", with backward")]
    given = arguments(known)
    if given.list:
        print("\n".join(known))
        return 0
    how = ["cpu" if given.cpu_time else "wall", *([str(given.threads)] if given.threads else [])]
    sides = [Subject(name, HERE / "compile_worker.py", name, *how) for name in (OURS, OTHER)]
    for side in sides:
        print(f"{side.name:8} {side.what}")
        if not side.is_there:
            sys.exit(f"bench-torch-compile: error: {side.name} cannot be timed: {side.what}")
    rows = []
    print(f"\n{'case':36} {OURS + ', us':>12} {OTHER + ', us':>12} {'speed':>6} {'first, s':>14}")
    for case in given.case or known:
        try:
            row = compare(case, sides, given)
        except RuntimeError as why:
            progress("")
            rows.append({"case": case, "note": str(why)})
            print(f"{case:36} {why}", flush=True)
            continue
        progress("")
        rows.append(row)
        seconds = " ".join(f"{row['compile_s'][side.name]:6.1f}" for side in sides)
        print(f"{case:36} {row['us'][OURS]:12.1f} {row['us'][OTHER]:12.1f} {row['speed']:6.2f} {seconds:>14}", flush=True)
        if given.kernels:
            print_kernels(row)
        if given.json:
            pathlib.Path(given.json).write_text(json.dumps(rows, indent=2) + "\n")
    for side in sides:
        side.stop()
    speeds = [row["speed"] for row in rows if "speed" in row]
    if speeds:
        print(f"\ngeometric mean of {len(speeds)}: {math.exp(statistics.fmean(map(math.log, speeds))):.2f}")
    return 0 if len(speeds) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
