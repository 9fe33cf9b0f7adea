#!/usr/bin/env python3
"""Compiles every kernel for AMD's targets, and has RADV's null devices take each module.

    amd.py MESA            22: the system's; 25: what setup/mesa25.sh unpacked

That is AMD's real shader compiler, without the hardware. Every module must be accepted, except what
KNOWN names with a reason.
"""
import concurrent.futures
import json
import os
import sys
import tempfile

import kernels

# (Mesa, kernel, part of the driver's words): why it cannot be otherwise.
KNOWN = [
    ("22", "matrix-matmul", "crashed"),  # its compiler has no cooperative matrices yet
]


def targets(mesa):
    """AMD's targets that this Mesa has a null device for."""
    named = [t for t in kernels.triples() if t.startswith(("gcn", "vega", "rdna", "cdna"))]
    return [t for t in named if mesa == "25" or t not in ("rdna3.5", "rdna4")]


def ask(kernel, addressing, mesa, folder):
    """The driver's answers: [(target, driver, refusal or None)]"""
    output, answers = f"{folder}/{kernel.stem}-{addressing}", []
    options = [word for target in targets(mesa) for word in ("--target", target)]
    # A crash inside the driver stays one: AddressSanitizer would make it an exit with a report.
    environment = dict(os.environ)
    environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"
    if mesa == "22":
        environment["PUMICE_MESA25"] = ""
    ran = kernels.pumice("compile", kernel, "-o", output + ".pumice", "--addressing", addressing,
                         *options, "--stats-json", output + ".json", env=environment)
    if ran.returncode:
        raise SystemExit(f"{kernel} by {addressing}: {ran.stderr}")
    with open(output + ".json") as file:
        stats = json.load(file)
    if stats["notes"]:
        raise SystemExit("; ".join(stats["notes"]))
    for entry in stats["kernels"]:
        answers += [(entry["target"], a["driver"], a.get("refused")) for a in entry["drivers"]]
    return answers


def main():
    mesa = sys.argv[1]
    jobs = [(kernel, a) for kernel in kernels.KERNELS for a in kernels.ADDRESSINGS]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(jobs, pool.map(lambda job: ask(*job, mesa, folder), jobs)))
    accepted, failures, known = 0, [], 0
    for (kernel, addressing), answers in results.items():
        if not answers:
            failures.append(f"{kernel.stem} by {addressing}: no driver answered")
        for target, driver, refusal in answers:
            accepted += refusal is None
            if refusal and any(m == mesa and k == kernel.stem and words in refusal
                               for m, k, words in KNOWN):
                known += 1
            elif refusal:
                failures.append(f"{kernel.stem} for {target} by {addressing}: {driver}: {refusal}")
    print(f"{accepted} accepted, {known} refused as known, {len(failures)} failures")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
