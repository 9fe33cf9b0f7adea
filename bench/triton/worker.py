"""Runs one subject of the benchmark in a process: `worker.py SUBJECT SIZES [DEVICE]`.

It prints `ready WHAT` or `absent WHY`. Then it answers each line of its standard input with one line:

    prepare MEASURE       right [CHOICE] | wrong [CHOICE]
    time COUNT            times MS...     COUNT runs of the prepared measure, after one that is not counted.
                                          A run of a second or more is not repeated.

It answers `failed WHY` if an error occurs. Expected results are computed once, and kept in the folder
BENCH_TRITON_EXPECTED for the other subjects. The subjects:

    pumice       the kernels, by Pumice on DEVICE: on CPU tensors in place, or on arrays of other devices.
    imported     the same with host tensors, which the device uses in place if it can.
    staged       the same with host tensors, which are copied there and back.
    cuda         the kernels, by Triton's own back end.
    eager        PyTorch's operations, into existing tensors.
    compile      the code that torch.compile makes of them.
    interpreter  the kernels, by Triton's interpreter.
"""
import os
import pathlib
import re
import statistics
import sys
import time

SUBJECTS = ("pumice", "imported", "staged", "cuda", "eager", "compile", "interpreter")


def problem_of(measure, form, memory, choice={}):
    """Returns the problem. NumPy computes the expected results, once for all workers, since PyTorch is a subject."""
    import numpy as np
    problem = measure.problem(memory, form, choice)
    compute = problem.expected
    kept = pathlib.Path(os.environ["BENCH_TRITON_EXPECTED"],
                        re.sub(r"\W+", "-", f"{measure.name} {form}") + ".npz")

    def expected():
        if not kept.exists():
            np.savez(kept, *compute())
        with np.load(kept) as arrays:
            return tuple(arrays[name] for name in arrays.files)

    problem.expected, problem.by_torch = expected, None
    return problem


class Kernels:
    """A subject that launches Triton's kernels."""

    def __init__(self, memory, synchronize, what):
        self._memory, self.synchronize, self.what = memory, synchronize, what

    def prepare(self, measure, form):
        """Prepares the fastest choice. Skips choices that the device cannot run."""
        choices = measure.choices_of(form)
        fastest, failure = None, None
        for choice in choices:
            name = " ".join(map(str, choice.values()))
            try:
                problem = problem_of(measure, form, self._memory, choice)
                self.run = problem.launch
                self.run()
                if not problem.is_right():
                    return f"wrong {name}".strip()
                taken = statistics.median(_time(self, 5)) if len(choices) > 1 else 0
            except Exception as error:  # noqa: BLE001
                failure = error
                continue
            if fastest is None or taken < fastest[0]:
                fastest = taken, self.run, name
        if fastest is None:
            raise failure
        _, self.run, name = fastest
        return f"right {name}".strip()


class Operations:
    """A subject that calls PyTorch."""

    def __init__(self, is_compiled):
        import torch
        self._compiled = is_compiled
        self.what = f"PyTorch {torch.__version__}" + (", torch.compile" if is_compiled else "")
        self.synchronize = lambda: None

    def prepare(self, measure, form):
        import torch
        from example import HostMemory
        problem = problem_of(measure, form, HostMemory())
        torch._dynamo.reset()
        call = torch.compile(measure.compiled) if self._compiled else measure.eager
        self.run = lambda: call(*problem.tensors)
        made = self.run()
        made = problem.tensors[-1] if made is None else made
        if measure.name == "dropout":  # PyTorch draws different random numbers
            right = abs((made != 0).double().mean().item() - 0.5) < 0.01
        else:
            problem.results = lambda: (made,)
            right = problem.is_right()
        return "right" if right else "wrong"


def _start(subject, device):
    if subject in ("eager", "compile"):
        return Operations(subject == "compile")
    if subject == "interpreter":
        os.environ["TRITON_INTERPRET"] = "1"
    if subject in ("imported", "staged"):
        os.environ["PUMICE_HOST_MEMORY"] = "import" if subject == "imported" else "copy"
    import torch
    import triton
    import example
    if subject == "interpreter":
        return Kernels(example.HostMemory(), lambda: None, f"Triton {triton.__version__}")
    if subject == "cuda":
        class CudaMemory:
            put = staticmethod(lambda tensor: tensor.cuda())
            get = staticmethod(lambda tensor: tensor.cpu())
            clear = staticmethod(lambda tensor: tensor.zero_())
        return Kernels(CudaMemory(), torch.cuda.synchronize,
                       f"Triton {triton.__version__}, {torch.cuda.get_device_name()}")
    import pumice
    pumice.use(device)
    taken = pumice.device()
    in_place = taken.info["driver"] == "cpu" or subject != "pumice"
    return Kernels(example.HostMemory() if in_place else example.DeviceMemory(), taken.synchronize,
                   str(taken))


def _time(subject, count):
    """Returns the milliseconds of each run. Repeats short runs. Does not repeat a run of a second or more."""
    begin = time.perf_counter()
    subject.run()
    subject.synchronize()
    first = time.perf_counter() - begin
    if first >= 1:
        return [first * 1000]
    row = max(1, min(100, int(0.002 / max(first, 1e-6))))
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        for _ in range(row):
            subject.run()
        subject.synchronize()
        times.append((time.perf_counter() - begin) / row * 1000)
    return times


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of libraries is not an answer
    name, form, device = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "cpu"
    try:
        from measures import MEASURES
        subject = _start(name, device)
    except Exception as error:  # noqa: BLE001: if something is missing, the other subjects are still timed
        print("absent", _line(error), file=answers)
        return
    known = {measure.name: measure for measure in MEASURES}
    print("ready", subject.what, file=answers)
    for request in sys.stdin:
        word, rest = request.split(maxsplit=1)
        try:
            if word == "prepare":
                measure = known[rest.strip()]
                print(subject.prepare(measure, form), file=answers)
            else:
                print("times", *_time(subject, int(rest)), file=answers)
        except Exception as error:  # noqa: BLE001
            print("failed", _line(error), file=answers)


def _line(error):
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}"


if __name__ == "__main__":
    main()
