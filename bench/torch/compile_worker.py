"""Runs one side of the benchmark of torch.compile in a process: `compile_worker.py triton|cpp [CLOCK] [THREADS]`.

CLOCK is `wall`, or `cpu` for the processor time of the process. THREADS is the number of threads.

It prints `ready WHAT` or `absent WHY`. Then it answers each line of its standard input with one line:

    prepare CASE     right SECONDS | failed WHY     compiles a model, and compares its results with eager's
    time SECONDS     times US...     runs the case for this long; the times are medians of parts of that
    kernels RUNS     kernels JSON    [[name, microseconds in a run, launches in a run], ...]
"""
import json
import os
import statistics
import sys
import time
import warnings

BACKEND = sys.argv[1]
CLOCK = time.process_time if sys.argv[2:3] == ["cpu"] else time.perf_counter
os.environ["PUMICE_VK"] = "0"
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
warnings.simplefilter("ignore")

import torch  # noqa: E402
from models import MODELS  # noqa: E402
from timing import run_for  # noqa: E402


def step_of(model, parameters, inputs, given):
    """Returns a function that returns the model's results and, if gradients are given, the parameters' gradients."""
    if given is None:
        def forward():
            with torch.no_grad():
                return [model(*inputs)]
        return forward

    def step():
        out = model(*inputs)
        return [out, *torch.autograd.grad(out, parameters, given)]
    return step


def prepare(case):
    """Returns the compiled step, and how long its first run took. Raises an error if its results differ from eager's."""
    torch.compiler.reset()
    name, _, form = case.partition(", ")
    torch.manual_seed(0)
    model, inputs = MODELS[name]()
    model.train(bool(form))
    with torch.no_grad():
        given = torch.randn_like(model(*inputs)) if form else None
    parameters = list(model.parameters())
    expected = step_of(model, parameters, inputs, given)()
    step = step_of(torch.compile(model), parameters, inputs, given)
    begin = time.perf_counter()
    made = step()
    seconds = time.perf_counter() - begin
    for number, (mine, eager) in enumerate(zip(made, expected, strict=True)):
        difference = ((mine - eager).abs().max() / eager.abs().max().clamp(min=1e-2)).item()
        if not difference < 2e-3:
            raise ArithmeticError(f"result {number} differs from eager's by {difference:.2g} of its largest element")
    return step, seconds


def kernels_of(step, runs):
    """Returns [name, microseconds, launches] in a run of everything that it calls, the longest first.

    The time is the median of the launches multiplied by their number, since other work interrupts some of them.
    """
    from torch.profiler import ProfilerActivity, profile
    step()
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        for _ in range(runs):
            step()
    times = {}
    for event in profiled.events():
        times.setdefault(event.name, []).append(event.self_cpu_time_total)
    rows = [[name, statistics.median(each) * len(each) / runs, len(each) / runs] for name, each in times.items()]
    return sorted(rows, key=lambda row: -row[1])


def answer(line, state):
    word, _, rest = line.strip().partition(" ")
    if word == "prepare":
        state["step"] = None
        state["step"], seconds = prepare(rest)
        return f"right {seconds:.2f}"
    if word == "kernels":
        return "kernels " + json.dumps(kernels_of(state["step"], int(rest)))
    return "times " + " ".join(f"{one:.2f}" for one in run_for(state["step"], float(rest), clock=CLOCK))


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of libraries is not an answer
    import torch._inductor.config as config
    if sys.argv[3:]:
        torch.set_num_threads(int(sys.argv[3]))
    config.cpu_backend = BACKEND
    config.cpp.enable_kernel_profile = BACKEND == "cpp"
    print(f"ready inductor's back end {BACKEND}, PyTorch {torch.__version__}, {torch.get_num_threads()} threads",
          file=answers)
    state = {}
    for line in sys.stdin:
        try:
            said = answer(line, state)
        except Exception as error:  # noqa: BLE001 - the other cases go on
            said = f"failed {type(error).__name__}: {' '.join(str(error).split())[:200]}"
        print(said, file=answers)


main()
