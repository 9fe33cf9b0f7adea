#!/usr/bin/env python3
"""Writes docs/triton-operations.md from the sweep's results in results.json.

usage: document.py > docs/triton-operations.md
       document.py --add "CPU device" RESULTS    adds the output of run.py --results to results.json
       document.py --check docs/triton-operations.md

--check requires that the page matches results.json and the kernels of the sweep. Every function of `triton.language`
must occur in a kernel.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE)]

import table  # noqa: E402

RESULTS = HERE / "results.json"
LATER = {"atomic_load", "atomic_poll", "atomic_store", "expect_zero", "squeeze", "to_tensor", "unsqueeze"}  # newer than 3.6
REFUSED_FOR = re.compile("for which buffers need some|descriptors of .* start at multiples of")

TITLES = {
    "operators": "Operators", "comparisons": "Comparisons", "functions": "Mathematical functions",
    "conversions": "Conversions", "shapes": "Shapes of blocks", "accesses": "Loads and stores",
    "pointers": "Pointers", "descriptors": "Tensor descriptors", "atomics": "Atomic operations",
    "reductions": "Reductions", "scans": "Scans", "movement": "Movement of elements", "products": "`tl.dot`",
    "scaled": "`tl.dot_scaled`, by formats of its operands", "control": "Control flow",
    "functions_of_own": "User-defined functions", "language": "The rest of the language",
    "random": "Random numbers from a seed, bitwise equal except for `randn`", "libdevice": "`libdevice`",
}
HEAD = """# Triton's operations, and where they work

This page lists the operations of `triton.language` that were tested, with types, shapes and devices. For each row,
[the sweep](../tests/triton/sweep/run.py) compiles kernels from the text of the wheel's front end, runs them, and compares
their results with NumPy's.

- `make test-triton` runs all kernels. `make test` runs one kernel of each row. A kernel's name determines whether it runs
  with 1, 2, 4 or 8 warps.
- On the CPU device, all kernels also ran when compiled for x86-64-v2 and x86-64-v3. On lavapipe, they ran with 1, 2 and
  8 warps.
- Kernels also ran with random layouts of blocks (`--layout-seed`), from several seeds, with the same results. All kernels
  ran this way on the CPU device, and one kernel of each row on lavapipe. On the GPU, 1951 kernels did, and the driver's
  compiler fails on three of them.
- If buffers have no addresses, kernels that compute with addresses are rejected. The error names the pointer
  ([the list](../tests/triton/sweep/by-descriptors.txt)).
- "Rejected" means that the compiler must reject the kernel, with an error that says why.
- Functions that Triton added in 3.7 or 3.9 ran with 3.9.0. [The page on versions](triton-versions.md) says what ran with
  each version.

`tests/triton/sweep/document.py` writes this page from [the results](../tests/triton/sweep/results.json).
"""


def rows(cases):
    """Returns the cases by family, then by operation."""
    families = {}
    for case in cases:
        family, operation, *_ = case.name.split("/")
        families.setdefault(family, {}).setdefault(operation, []).append(case)
    return families


def row(operation, cases):
    types = sorted({"/".join(case.name.split("/")[2:]) for case in cases} - {""}, key=lambda t: (len(t), t))
    shown = ", ".join(types[:14]) + (f" and {len(types) - 14} more" if len(types) > 14 else "")
    return f"| `{operation}` | {shown} |"


def state(cases, ran):
    """Returns the state of the cases on a device. `ran` holds the error, or None, of each case that ran."""
    found = [ran[case.name] for case in cases if case.name in ran]
    if not found:
        return "not run"
    if all(case.fails for case in cases) or all(REFUSED_FOR.search(wrong or "") for wrong in found):
        return "rejected"
    good = found.count(None)
    return "yes" if good == len(cases) else f"{good} of {len(cases)}"


def functions():
    """Returns the names of the functions of `triton.language` and of its tensors."""
    import triton.language as tl
    found = {name for name in tl.__all__
             if callable(getattr(tl, name)) and not isinstance(getattr(tl, name), type)}
    return sorted((found | LATER) - {"philox_impl"})  # a helper of `philox`


def callers(name, cases):
    call = re.compile(rf"(?<!\w)(tl\.|\.){name}\(")
    return [case for case in cases if call.search(case.source)]


def ran_by_device():
    kept = json.loads(RESULTS.read_text())
    return {device: {**dict.fromkeys(set(kept["kernels"]) - set(about["not run"])), **about["not agreeing"]}
            for device, about in kept["devices"].items()}


def page(cases):
    devices = ran_by_device()
    columns = " | ".join(devices), "---|" * len(devices)
    lines = [HEAD]
    for device, ran in devices.items():
        known = [ran[case.name] for case in cases if case.name in ran]
        refused = sum(bool(REFUSED_FOR.search(wrong or "")) for wrong in known)
        more = f", {refused} are rejected because they compute with addresses" if refused else ""
        lines.append(f"- {device}: {len(known)} of {len(cases)} kernels ran for this page; {known.count(None)} agree "
                     f"with NumPy{more}.")
    lines += ["", "## Functions of `triton.language`, by name", "",
              "The table has the number of kernels that call each function, and their results. The tables below have "
              "operators, methods, control flow and all forms of accesses.", "",
              f"| | kernels | {columns[0]} |", f"|---|---|{columns[1]}"]
    for name in functions():
        calling = callers(name, cases)
        states = " | ".join(state(calling, ran) for ran in devices.values())
        lines.append(f"| `{name}` | {len(calling)} | {states} |")
    for family, operations in rows(cases).items():
        lines += [f"\n## {TITLES[family]}\n", f"| | types, shapes | {columns[0]} |", f"|---|---|{columns[1]}"]
        lines += [row(operation, of) + " " + " | ".join(state(of, ran) for ran in devices.values()) + " |"
                  for operation, of in operations.items()]
    return "\n".join(lines) + "\n"


def add(device, results):
    """Adds the results of a device. Drops results of kernels that no longer exist, and keeps others."""
    names = [case.name for case in table.chosen()]
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"devices": {}, "kernels": []}
    known = ran_by_device() if RESULTS.exists() else {}
    known.setdefault(device, {}).update(results)
    kept = {"devices": {each: {"not agreeing": {name: ran[name] for name in names if ran.get(name)},
                               "not run": [name for name in names if name not in ran]}
                        for each, ran in known.items()}, "kernels": names}
    RESULTS.write_text(json.dumps(kept, indent=0) + "\n")


def check(path, cases):
    wrong = [f"{name}: no kernel calls tl.{name}" for name in functions() if not callers(name, cases)]
    found, wanted = pathlib.Path(path).read_text(), page(cases)
    if found != wanted:
        wrong += [f"{path} has: {line}" for line in sorted(set(found.splitlines()) - set(wanted.splitlines()))]
        wrong += [f"{path} lacks: {line}" for line in sorted(set(wanted.splitlines()) - set(found.splitlines()))]
        wrong.append(f"{path} is not what document.py writes: write it again")
    print("\n".join(wrong), end="\n" if wrong else "")
    return bool(wrong)


def main():
    if sys.argv[1:2] == ["--check"]:
        return check(sys.argv[2], table.chosen())
    if sys.argv[1:2] == ["--add"]:
        return add(sys.argv[2], json.loads(pathlib.Path(sys.argv[3]).read_text()))
    print(page(table.chosen()), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
