"""Times Triton kernels on one of Pumice's devices, compared with PyTorch, Triton's interpreter, or CUDA.

    bench_triton.py [--device cpu] [--vs cuda] [OPTION]...

Each subject is a separate process. In each round all of them run in turn, so that a machine that slows down slows all
of them. The results are medians and their ratios. On a GPU, each subject uses the block size and the number of warps
that are fastest for it, out of a few.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from subjects import Subject, progress  # noqa: E402

LONG_MS = 20_000  # milliseconds in all for a subject's runs of one kernel: PyTorch's products of f16 take 44 s each on some CPUs


@dataclasses.dataclass
class Row:
    kernel: str
    size: str
    times: dict           # subject → median in milliseconds
    notes: dict           # subject → why its time is missing
    against: tuple        # the subjects of which the fastest is compared with `reach`
    reach: float | None
    choices: dict = dataclasses.field(default_factory=dict)  # subject → its fastest choice

    def speed(self, name):
        """Returns the speed-up of the first subject over another one."""
        ours = next(iter(self.times.values()), None)
        return self.times[name] / ours if ours and name in self.times else None

    def ratio(self):
        """Returns the speed relative to the fastest of the subjects in `against`."""
        known = [self.speed(name) for name in self.against if self.speed(name)]
        return min(known) if known else None

    def is_met(self):
        return None if self.reach is None or self.ratio() is None else self.ratio() >= self.reach


def tell(row):
    """Prints a result at once, since a run may be ended early."""
    if not sys.stderr.isatty():
        known = ", ".join(f"{name} {ms:.3f} ms" for name, ms in row.times.items())
        print(f"{row.kernel}, {row.size}: {known or 'no times'}", file=sys.stderr, flush=True)


def _shape(sizes):
    extents = [str(n) for n in sizes.values() if isinstance(n, int) and not isinstance(n, bool)]
    return ", ".join([" x ".join(extents), *[n for n in sizes.values() if n and isinstance(n, str)]])


def compare(measure, form, subjects, rounds, against, reach):
    """Times all subjects in turn, `rounds` times. A subject that has taken long is not run again.
    """
    row = Row(measure.name, _shape(getattr(measure, form)), {}, {}, against, reach)
    able, times = [], {}
    for subject in subjects:
        progress(f"{measure.name}: {subject.name} prepares")
        word, why = subject.ask(f"prepare {measure.name}")
        if word == "right":
            able.append(subject)
            if why:
                row.choices[subject.name] = why
        else:
            row.notes[subject.name] = why if word == "failed" else f"{word} {why}".strip()
    for turn in range(rounds):
        for subject in list(able):
            if sum(times.get(subject.name, ())) > LONG_MS:
                continue
            progress(f"{measure.name}: {subject.name}, {turn + 1} of {rounds}")
            word, rest = subject.ask("time 3")
            if word != "times":
                row.notes[subject.name] = rest
                able.remove(subject)
            else:
                times.setdefault(subject.name, []).extend(float(ms) for ms in rest.split())
    row.times = {subject.name: statistics.median(times[subject.name]) for subject in able}
    progress("")
    return row


def table(rows, names):
    """Returns the table as text. The others are compared with the first of `names`.

    If each subject has its fastest choice, a time is followed by its block and its warps."""
    def time(row, name):
        ms = row.times.get(name)
        shown = "-" if ms is None else f"{ms:.3f}" if ms < 10 else f"{ms:.1f}"
        return shown + (f" ({row.choices[name]})" if name in row.choices else "")

    lines = [["kernel", "size", *[f"{name} ms" for name in names], "speed", "reach", "met"]]
    for row in rows:
        ratio = row.ratio()
        lines.append([row.kernel, row.size, *[time(row, name) for name in names],
                      "-" if ratio is None else f"{ratio:.2f}" if ratio < 10 else f"{ratio:.0f}",
                      "-" if row.reach is None else f"{row.reach:g}",
                      {None: "-", True: "yes", False: "NO"}[row.is_met()]])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
            for line in lines]
    text += [f"{row.kernel}: {name}: {why}" for row in rows for name, why in row.notes.items()]
    return "\n".join(text)


def machine():
    def value(path, key):
        lines = [line for line in pathlib.Path(path).read_text().splitlines() if line.startswith(key)]
        return lines[0].partition(":")[2].strip() if lines else "unknown"
    return {"cpu": value("/proc/cpuinfo", "model name"), "cores": str(len(os.sched_getaffinity(0))),
            "memory": value("/proc/meminfo", "MemTotal"), "load": f"{os.getloadavg()[0]:.2f}"}


def as_json(rows, device):
    results = []
    for row in rows:
        ours, *others = row.times.items() if row.times else [(None, None)]
        known = [row.times[name] for name in row.against if name in row.times]
        limit = min(known) / row.reach if row.reach and known else None
        results.append({"kernel": row.kernel, "size": row.size, "device": device, "ms": ours[1],
                        "peers": dict(others), "limit_ms": limit,
                        "ok": not row.notes and row.is_met() is not False})
        if row.choices:
            results[-1]["choices"] = row.choices
        if row.notes:
            results[-1]["note"] = "; ".join(f"{name}: {why}" for name, why in row.notes.items())
    return {"machine": machine(), "results": results}


def start(names, form, device):
    """Returns the subjects that can run, and prints why others cannot."""
    started = []
    for name in names:
        progress(f"{name} starts")
        subject = Subject(name, HERE / "worker.py", name, form, device)
        progress("")
        print(f"{name:12} {'' if subject.is_there else 'left out: '}{subject.what}")
        if subject.is_there:
            started.append(subject)
        elif name == "pumice":
            raise SystemExit(f"bench-triton: error: pumice cannot be timed: {subject.what}")
    return started


def run(names, form, measures, options, against, reach, before=()):
    before = list(before)
    subjects = start(names, form, options.device)
    rows = []
    for measure in measures:
        rows.append(compare(measure, form, subjects, options.rounds, against, reach(measure)))
        tell(rows[-1])
        if options.json:  # written even if the run is ended early
            pathlib.Path(options.json).write_text(
                json.dumps(as_json(before + rows, options.device), indent=2))
    for subject in subjects:
        subject.stop()
    print("\n" + table(rows, [subject.name for subject in subjects]) + "\n")
    return rows


def parse():
    parser = argparse.ArgumentParser(prog="bench-triton", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, vulkan, vulkan:1, ...")
    parser.add_argument("--vs", default="", help="on a GPU: cuda, Triton's own back end")
    parser.add_argument("--kernel", action="append", help="only this one; may be given several times")
    parser.add_argument("--without", action="append", default=[],
                        help="leaves this subject out; may be given several times")
    parser.add_argument("--rounds", type=int, default=7, help="turns of every subject (7)")
    parser.add_argument("--quick", action="store_true", help="small sizes: the times mean nothing")
    parser.add_argument("--json", help="also writes the results there")
    parser.add_argument("--list", action="store_true", help="names the kernels, and ends")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {options.rounds}")
    for name in options.without:
        if name not in ("eager", "compile", "interpreter", "imported", "staged", "cuda"):
            parser.error(f"--without knows eager, compile, interpreter, imported, staged and cuda, "
                         f"not '{name}'")
    if options.vs not in ("", "cuda"):
        parser.error(f"--vs knows cuda, not '{options.vs}'")
    return options


def choose(measures, wanted):
    known = [measure.name for measure in measures]
    for name in wanted or []:
        if name not in known:
            raise SystemExit(f"bench-triton: error: there is no kernel '{name}'; there are "
                             f"{', '.join(known)}")
    return [measure for measure in measures if not wanted or measure.name in wanted]


def distinct(measures):
    """Removes measures that are the same at their small sizes."""
    return list({(each.example, *each.small.items()): each for each in reversed(measures)}.values())[::-1]


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BENCH_TRITON_EXPECTED"] = folder
        measure_all(options)


def measure_all(options):
    from measures import MEASURES
    if options.list:
        print("\n".join(measure.name for measure in MEASURES))
        return
    measures = choose(MEASURES, options.kernel)
    form = "small" if options.quick else "sizes"

    def others(*names):
        return [name for name in names if name not in options.without]

    if options.device.startswith("cpu"):
        rows = run(["pumice", *others("eager", "compile")], form, measures, options, ("eager", "compile"),
                   lambda measure: None if options.quick else measure.reach)
        print("small sizes, compared with Triton's interpreter")
        rows += run(["pumice", *others("interpreter")], "small", distinct(measures), options,
                    ("interpreter",),
                    lambda measure: None if options.quick else measure.interpreted, rows)
    else:
        rows = run(["pumice", *others("imported", "staged", *filter(None, [options.vs]))],
                   "small" if options.quick else "gpu", measures, options, ("cuda",),
                   lambda measure: None if options.quick else measure.on_gpu)
    if any("pumice" in row.notes for row in rows):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
