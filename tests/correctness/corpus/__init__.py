"""The corpus of kernels with their references. Each module below registers its cases when it is imported."""
import importlib

MODULES = ["memory", "groups", "atomics", "matrices", "vectors", "control", "scalars", "integers",
           "floats", "mathematics", "indices", "conversions",
           "views", "pieces", "subgroups"]


def all_cases():
    from corpus.case import CASES

    for name in MODULES:
        importlib.import_module(f"corpus.{name}")
    names = [case.name for case in CASES]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"two cases are called {', '.join(sorted(repeated))}")
    return CASES
