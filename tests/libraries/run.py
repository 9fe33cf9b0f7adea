#!/usr/bin/env python3
"""Runs kernels of libraries from PyPI on the CPU device and compares them with PyTorch's own operations.

usage: run.py [--site FOLDER] [--cases FOLDER] [--results FILE] [--again] [--list] [--seconds N] [--configurations N]
              [--document FILE] [PATTERN...]

A pattern selects names of the form "LIBRARY/CASE": "liger/*". FILE holds the results (JSON lines,
build/libraries/results.jsonl). Cases that passed or were skipped there are not repeated, unless --again is given. Each
case has N seconds (300). For kernels with Triton's autotuner, only the first N configurations (1) are tried, since each
takes time. --document writes the table of docs/libraries.md from the results. --site names the folder in which the
libraries are installed (build/libraries/site), --cases that of the modules NAME_cases.py (this folder).
Needs a Python with PyTorch and Triton, and the package `pumice`.
"""
import argparse
import collections
import fnmatch
import importlib
import importlib.metadata
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import batches  # noqa: E402



def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "build/libraries/site")
    parser.add_argument("--cases", type=pathlib.Path, default=HERE)
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/libraries/results.jsonl")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--configurations", type=int, default=1)
    parser.add_argument("--document", type=pathlib.Path)
    parser.add_argument("--worker")
    parser.add_argument("patterns", nargs="*")
    return parser.parse_args()


def all_tables(folder):
    """Returns {library: its Table}. A module has one or several tables."""
    sys.path.append(str(folder))
    found = {}
    for path in sorted(folder.glob("*_cases.py")):
        module = importlib.import_module(path.stem)
        for table in getattr(module, "TABLES", None) or [module.TABLE]:
            found[table.key] = table
    return found


def limit_configurations(most):
    """Makes the autotuner try only the first `most` of a kernel's configurations."""
    from triton.runtime.autotuner import Autotuner
    prune = Autotuner.prune_configs

    def prune_further(self, *given, **named):
        return prune(self, *given, **named)[:most]

    Autotuner.prune_configs = prune_further
    if most == 1:
        Autotuner._bench = lambda self, *given, **named: [0.0] * 3


def worker(given):
    """Runs cases of one library in this process."""
    import torch

    import pumice.torch
    pumice.torch.use_cpu_for_cuda()
    import harness
    limit_configurations(given.configurations)
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // 2))
    table = all_tables(given.cases)[given.worker]
    for case in given.patterns:
        batches.begin(case)
        batches.end(case, harness.run(table, case))


def verdict(result):
    if result["forward"] == "skip":
        return "SKIP"
    return "PASS" if result["forward"] == "yes" and result["backward"] in ("", "yes") else "FAIL"


def run_table(table, cases, given, results):
    name = table.key

    def report(case, result):
        if "died" in result:
            result = {"forward": "no", "backward": "", "reason": result["died"]}
        result = {"name": f"{name}/{case}", "version": version(table.package, given.site), **result}
        results[result["name"]] = result
        with given.results.open("a") as file:
            file.write(json.dumps(result) + "\n")
        reason = f": {result['reason']}" if result["reason"] else ""
        print(f"{verdict(result)} {name}/{case} ({result.get('seconds', '?')} s){reason}", flush=True)

    path = os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(given.site)]).strip(os.pathsep)
    batches.run([sys.executable, __file__, "--site", given.site, "--cases", given.cases, "--configurations",
                 str(given.configurations), "--worker", name], cases, given.seconds, report,
                {"PYTHONPATH": path, "PYTHONWARNINGS": "ignore"})


def version(package, site):
    found = next(iter(importlib.metadata.distributions(name=package, path=[str(site)])), None)
    return found.version if found else ""


def main():
    given = arguments()
    if given.help:
        print(__doc__)
        return 0
    if given.worker:
        worker(given)
        return 0
    sys.path.append(str(given.site))
    wanted = given.patterns or ["*"]
    tables = all_tables(given.cases)
    cases = {name: [case for case in table.cases if any(fnmatch.fnmatch(f"{name}/{case}", one) for one in wanted)]
             for name, table in tables.items()}
    if given.list:
        print("\n".join(f"{name}/{case}" for name in tables for case in cases[name]))
        return 0
    given.results.parent.mkdir(parents=True, exist_ok=True)
    results = batches.read_results(given.results)
    for name, table in tables.items():
        left = [case for case in cases[name] if given.again or f"{name}/{case}" not in results
                or verdict(results[f"{name}/{case}"]) == "FAIL"]
        if left:
            run_table(table, left, given, results)
    if given.document:
        import document
        given.document.write_text(document.page(given.document.read_text(), results, tables))
    selected = [results[f"{name}/{case}"] for name in tables for case in cases[name]]
    counts = collections.Counter(map(verdict, selected))
    print(f"{counts['PASS']} passed, {counts['FAIL']} failed, {counts['SKIP']} skipped")
    return 1 if counts["FAIL"] or not selected else 0


if __name__ == "__main__":
    sys.exit(main())
