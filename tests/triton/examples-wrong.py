"""Checks that each example of Triton kernels detects wrong results and names the reference that differs.

Each result of the kernels, of NumPy and of PyTorch is changed in turn. One element moves slightly beyond the tolerance
or becomes NaN, or the last element is dropped.

Needs PyTorch, and a PYTHONPATH with the package and the examples.
"""
import numpy as np

import example
import run

BOTH = ["NumPy", "PyTorch"]


def wrongs(values, tolerance):
    """Returns wrong values, by the kind of error."""
    moved, nothing = values.astype(float), values.astype(float)
    moved.flat[values.size // 2] += 2.5 * tolerance * max(1, np.abs(values).max()) if tolerance else 1
    nothing.flat[values.size // 2] = np.nan
    return {"moved": moved, "shorter": values[:-1], "no number": nothing}


def answers(problem):
    """Yields (the change, the expected reports, the actual reports)."""
    held = {"kernels": tuple(map(example.wide, problem.results())), **dict(problem.references())}
    problem.results = lambda: held["kernels"]
    problem.expected = lambda: held["NumPy"]
    problem.by_torch = lambda *_: held["PyTorch"]
    yield "nothing", [], problem.wrong_against()
    for whose, right in list(held.items()):
        for i, values in enumerate(right):
            for how, wrong in wrongs(values, problem.tolerance).items():
                held[whose] = (*right[:i], wrong, *right[i + 1:])
                yield f"result {i} of {whose} {how}", BOTH if whose == "kernels" else [whose], problem.wrong_against()
        held[whose] = right


def main():
    failed = False
    for name in run.NAMES:
        make, _ = run.choose(name)
        problem = make(example.HostMemory())
        problem.launch()
        count = 0
        for what, wanted, told in answers(problem):
            count += 1
            if told != wanted:
                failed = True
                print(f"{name}: {what}: it should be {example.verdict(wanted)}, and is {example.verdict(told)}")
        print(f"{name}: {count} answers")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
