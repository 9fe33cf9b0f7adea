#!/usr/bin/env python3
"""Compiles every kernel of kernels.py for every named target, and compares with the table in docs.

    matrix.py [--update]

Each kernel is compiled with every addressing that the target has. A module must be valid by the
rules of its target, and declare only features that the target names. A rejection must name a Vulkan
feature, limit or subgroup operation. The results must equal docs/targets-matrix.md.
"""
import argparse
import concurrent.futures
import re
import string
import sys
import tempfile

import kernels
from kernels import ROOT

TABLE = ROOT / "docs/targets-matrix.md"

def vulkan_names():
    """Returns every name that a rejection may give as its reason."""
    names = set()
    for table, macro in (("executable/Features", r"PUMICE_FEATURE(?:_AS)?\((\w+)"),
                         ("compiler/target/Limits", r"PUMICE_LIMIT\(\w+, (\w+)")):
        text = (ROOT / f"{table}.def").read_text()
        names.update(re.findall("^" + macro, text, re.MULTILINE))
    names.update(("cooperativeMatrixPropertiesKHR", "subgroupFeatures"))
    names.update(re.findall(r'^PUMICE_OPENCL\("(\w+)"',
                            (ROOT / "executable/OpenclExtensions.def").read_text(), re.MULTILINE))
    return names


def compile_all(kernel, addressing, folder, failures, judge, judged):
    """Returns {target: None or its rejection}, and adds errors in the modules to `failures`."""
    targets = [t for t in kernels.triples() if addressing in kernels.addressings(t)]
    output = f"{folder}/{kernel.stem}-{addressing}.pumice"
    refusals = dict.fromkeys(targets)
    if kernels.compile_for(kernel, addressing, targets, output):
        refusals = {t: kernels.compile_for(kernel, addressing, [t], output) for t in targets}
        taken = [t for t in targets if not refusals[t]]
        if taken and kernels.compile_for(kernel, addressing, taken, output):
            failures.append(f"{kernel.name}: targets compile alone, but not together")
            return refusals
        targets = taken
    for target, code in kernels.variants(output) if targets else []:
        where = f"{kernel.name} for {target} by {addressing}"
        module = kernels.spirv_rules.Module(code)
        rules = kernels.spirv_rules.Target(kernels.environment(target))
        if not module.is_kernel:  # Vulkan's registry says nothing of OpenCL
            failures.extend(f"{where}: {reason}" for reason in rules.refuses(module))
        ok, _, text = judge(module, code, rules)
        judged.append(where)
        if not ok:
            failures.append(f"{where}: invalid: {text}")
    return refusals


def cell(outcomes, letters):
    """Returns the text of a cell, from {addressing: None or rejection} of one kernel and target."""
    def short(refusal):
        return letters.setdefault(refusal, letter(len(letters))) if refusal else "yes"
    texts = {addressing[0]: short(refusal) for addressing, refusal in outcomes.items()}
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{'a' if name == 'p' else name}: {text}" for name, text in texts.items())


def letter(index):
    alphabet = string.ascii_lowercase
    return (alphabet[index // 26 - 1] if index >= 26 else "") + alphabet[index % 26]


def render(results):
    names = [kernel.stem for kernel in kernels.KERNELS]
    lines = ["| target | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    letters = {}
    for target in kernels.triples():
        cells = [cell({a: results[kernel, a][target] for a in kernels.addressings(target)}, letters)
                 for kernel in kernels.KERNELS]
        through = "".join("a" if a == "physical" else "d" for a in kernels.addressings(target))
        lines.append(f"| {target} ({through}) | " + " | ".join(cells) + " |")
    lines.append("")
    lines.extend(f"- **{name}**: {refusal}" for refusal, name in letters.items())
    return "\n".join(lines) + "\n", letters


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the table")
    options = parser.parse_args()
    validator = kernels.load_validator()
    judge = validator.Judge(argparse.Namespace(validator="auto", target_env=None, feature=[]))
    failures, judged = [], []
    jobs = [(kernel, a) for kernel in kernels.KERNELS for a in kernels.ADDRESSINGS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def one(job):
            return compile_all(*job, folder, failures, judge.validate, judged)
        results = dict(zip(jobs, pool.map(one, jobs)))
    text, letters = render(results)
    names = vulkan_names()
    for refusal in letters:
        words = set(re.findall(r"\w+", refusal))
        if not words & names:
            failures.append(f"names no Vulkan feature, limit or subgroup operation: {refusal}")
    failures.extend(kernels.settle(TABLE, text, options.update))
    print(f"{len(judged)} modules judged, {len(failures)} failures")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
