#!/usr/bin/env python3
"""Trains small models through torch.compile on the CPU device, and compares each step with eager.

usage: run.py [--steps N] [--sample] [NAME...]

A step consists of the loss, its gradients, clipping, and the optimizer's step, which is compiled too. The losses must
agree. After the last step, parameters and buffers are compared with the same training in float64. Their error may be
somewhat larger than that of eager mode. --sample takes two models. Needs PyTorch, Triton, and the package `pumice`.
"""
import argparse
import copy
import os
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = ("mlp", "graph")


def arguments(names):
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    if unknown := [name for name in given.names if name not in names]:
        sys.exit(f"run.py: error: expected some of {', '.join(names)}, got {', '.join(unknown)}")
    return given


def train(module, batch, kind, options, steps, compiles):
    """Trains the module in place and returns the losses."""
    import torch
    optimizer = kind(module.parameters(), **options)
    loss_of, step = (torch.compile(module), torch.compile(optimizer.step)) if compiles else (module, optimizer.step)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of(*batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(module.parameters(), 1.0)
        step()
        losses.append(loss.item())
    return losses


def problem_with(found, eager, exact):
    """Returns what differs by more than rounding, or "".

    Rounding may turn a zero gradient into either sign, and optimizers then step in that direction. So the allowed error
    grows with the distance between eager mode and float64."""
    right = exact.state_dict()
    for name, other in eager.state_dict().items():
        one, truth = found.state_dict()[name].double(), right[name].double()
        allowed = 1e-4 + 1e-4 * truth.abs().max().item() + 4 * (other.double() - truth).abs().max().item()
        distance = (one - truth).abs().max().item()
        if not distance <= allowed:
            return f"{name} is {distance:.2g} from float64, where {allowed:.2g} is allowed"
    return ""


def check(model, steps):
    """Returns (the error or "", the number of Triton kernels that were launched)."""
    import torch
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    torch.manual_seed(0)
    torch._dynamo.reset()
    module, batch, kind, options = model()
    modules = [module, copy.deepcopy(module), copy.deepcopy(module).double()]
    before = copy.deepcopy(module.state_dict())
    launch, launches = CachingAutotuner.run, [0]

    def run(self, *given, **named):
        launches[0] += 1
        return launch(self, *given, **named)

    CachingAutotuner.run = run
    try:
        losses = train(modules[0], batch, kind, options, steps, True)
    finally:
        CachingAutotuner.run = launch
    expected = train(modules[1], batch, kind, options, steps, False)
    wide = [each.double() if each.is_floating_point() else each for each in batch]
    train(modules[2], wide, kind, options, steps, False)
    if all(torch.equal(value, before[name]) for name, value in modules[0].state_dict().items()):
        return "nothing was trained", launches[0]
    for step, (one, other) in enumerate(zip(losses, expected)):
        if not abs(one - other) <= 1e-4 + 1e-3 * abs(other):
            return f"loss of step {step} is {one}, eager's {other}", launches[0]
    return problem_with(*modules) or ("" if launches[0] else "no kernel of Triton's was launched"), launches[0]


def main():
    with tempfile.TemporaryDirectory() as folder:  # an empty folder, so that nothing comes from caches of other runs
        os.environ.update(TRITON_CACHE_DIR=folder, TORCHINDUCTOR_CACHE_DIR=folder, TORCHINDUCTOR_COMPILE_THREADS="1")
        sys.path.insert(0, str(HERE))
        from models import MODELS
        given = arguments(MODELS)
        if given.help:
            print(__doc__)
            return 0
        import torch
        import torch._inductor.config
        torch._inductor.config.cpu_backend = "triton"
        failed = 0
        names = given.names or (SAMPLE if given.sample else list(MODELS))
        for name in names:
            start = time.monotonic()
            problem, launches = check(MODELS[name], given.steps)
            failed += bool(problem)
            print(f"{'FAIL' if problem else 'PASS'} {name}: {problem or f'{launches} launches'}, {time.monotonic() - start:.0f} s", flush=True)
        print(f"{len(names) - failed} passed, {failed} failed")
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
