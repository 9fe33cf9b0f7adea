#!/usr/bin/env python3
"""Translates every kernel, compiled for Apple's targets, to Metal's language, as MoltenVK does.

    metal.py [--update]

The modules that SPIRV-Cross rejects must be those that docs/metal.md lists, with the same reasons.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import sys
import tempfile

import kernels
from kernels import ROOT

DOCUMENT = ROOT / "docs/metal.md"
PREFIX = "pumice msl: error: SPIRV-Cross cannot "


def modules(kernel, addressing, folder):
    """Returns {SPIR-V: the targets that have this module}."""
    output = f"{folder}/{kernel.stem}-{addressing}.pumice"
    targets = [t for t in kernels.triples() if t.startswith("apple-")]
    taken = [t for t in targets if not kernels.compile_for(kernel, addressing, [t], output)]
    found = collections.defaultdict(list)
    if taken:
        kernels.compile_for(kernel, addressing, taken, output)
        for target, code in kernels.variants(output):
            found[code].append(target)
    return found


def translate(kernel, addressing, folder):
    """Returns [(targets, None or SPIRV-Cross's reason)], one for each distinct module."""
    results = []
    for number, (code, targets) in enumerate(modules(kernel, addressing, folder).items()):
        module = pathlib.Path(f"{folder}/{kernel.stem}-{addressing}-{number}.spv")
        module.write_bytes(code)
        ran = kernels.pumice("msl", module)
        if ran.returncode == 0 and "kernel void" not in ran.stdout:
            raise SystemExit(f"{kernel} for {targets}: the translation holds no kernel")
        if ran.returncode and not ran.stderr.startswith(PREFIX):
            raise SystemExit(f"{kernel} for {targets}: {ran.stderr}")
        results.append((targets, ran.stderr[len(PREFIX):].strip() or None))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true", help="write the list")
    options = parser.parse_args()
    jobs = [(kernel, a) for kernel in kernels.KERNELS for a in kernels.ADDRESSINGS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(jobs, pool.map(lambda job: translate(*job, folder), jobs)))
    refused, translated = [], 0
    for (kernel, addressing), outcomes in results.items():
        for targets, reason in outcomes:
            translated += reason is None
            if reason:
                refused.append(f"| {kernel.stem} | {addressing} | {', '.join(targets)} | {reason} |")
    text = (f"SPIRV-Cross translates {translated} modules, and rejects {len(refused)}.\n\n"
            "| kernel | addressing | targets | SPIRV-Cross cannot |\n|---|---|---|---|\n"
            + "".join(line + "\n" for line in refused))
    failures = kernels.settle(DOCUMENT, text, options.update)
    print(f"{translated} translated, {len(refused)} refused")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
