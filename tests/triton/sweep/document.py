#!/usr/bin/env python3
"""Writes docs/triton-operations.md of the sweep's results.

usage: document.py DEVICE=RESULTS... > docs/triton-operations.md
       document.py --check docs/triton-operations.md

DEVICE is a column's title, RESULTS what run.py --results wrote. --check: the rows are the sweep's.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import table  # noqa: E402

TITLES = {
    "operators": "Operators", "comparisons": "Comparisons", "functions": "Functions of `triton.language`",
    "conversions": "Conversions", "shapes": "Shapes of blocks", "accesses": "Loads and stores",
    "pointers": "Pointers", "descriptors": "Tensor descriptors", "atomics": "Atomic operations",
    "reductions": "Reductions", "scans": "Scans", "movement": "Elements moved", "products": "`tl.dot`",
    "scaled": "`tl.dot_scaled`, by formats of its operands", "control": "Control flow",
    "functions_of_own": "Functions of one's own", "language": "The rest of the language",
    "random": "Random numbers by seed, bit for bit but for `randn`", "libdevice": "`libdevice`",
}
HEAD = """# Operations of Triton, and where they were seen to work

Each row is an operation of `triton.language`, with the types and shapes that kernels of their own try,
compiled from what the wheel's front end makes, run, and compared with NumPy
([the sweep](../tests/triton/sweep/run.py)). `make test-triton` runs them all; a test of `make test` one of
each row, with 1, 2, 4 or 8 warps by the kernel's name. On the CPU device all of them were also run as compiled for
x86-64-v2 and x86-64-v3, on lavapipe with each of 1, 2 and 8 warps. With blocks laid out
at random (`--layout-seed`) all of them ran on the CPU device, all but 68 products on the GPU, and one of each row on lavapipe, by
several seeds: they left the same. Where buffers have no
addresses, kernels that compute with such are refused, by the pointer
([the list](../tests/triton/sweep/by-descriptors.txt)). This page is written by `tests/triton/sweep/document.py`.

"""


def rows():
    """By family, by operation: its cases."""
    families = {}
    for case in table.chosen():
        family, operation, *types = case.name.split("/")
        families.setdefault(family, {}).setdefault(operation, []).append((case.name, "/".join(types)))
    return families


def row(operation, cases):
    types = sorted({types for _, types in cases if types}, key=lambda t: (len(t), t))
    shown = ", ".join(types[:14]) + (f" and {len(types) - 14} more" if len(types) > 14 else "")
    return f"| `{operation}` | {shown} |"


def state(cases, results):
    """Of those that ran."""
    found = [results[name] for name, _ in cases if name in results]
    if found and all("for which buffers need some" in (one or "") for one in found):
        return "refused"
    wrong = [one is not None for one in found]
    return "not run" if not wrong else "yes" if not any(wrong) else f"{wrong.count(False)} of {len(wrong)}"


def main():
    if sys.argv[1] == "--check":
        text = pathlib.Path(sys.argv[2]).read_text()
        missing = [row(operation, cases) for operations in rows().values()
                   for operation, cases in operations.items() if row(operation, cases) not in text]
        print("\n".join(missing), end="\n" if missing else "")
        return bool(missing)
    devices = [argument.split("=", 1) for argument in sys.argv[1:]]
    results = {device: json.loads(pathlib.Path(path).read_text()) for device, path in devices}
    print(HEAD, end="")
    count = len(table.chosen())
    for device, found in results.items():
        good = sum(wrong is None for wrong in found.values())
        print(f"- {device}: of {count} kernels {len(found)} ran for this page; {good} agree with NumPy.")
    for family, operations in rows().items():
        print(f"\n## {TITLES[family]}\n\n| | types, shapes | {' | '.join(results)} |")
        print("|---|---|" + "---|" * len(results))
        for operation, cases in operations.items():
            print(row(operation, cases), " | ".join(state(cases, r) for r in results.values()), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
