#!/usr/bin/env python3
"""Compiles every kernel for AMD's targets, and gives each module to RADV's null devices.

    amd.py MESA            22: the system's; 25: the one that setup/mesa25.sh unpacked

A null device runs AMD's real shader compiler without the hardware. It must accept every module,
except those that KNOWN lists with a reason.
"""
import concurrent.futures
import json
import os
import sys
import tempfile

import kernels

# (Mesa, kernel, part of the driver's message). The comment gives the reason.
KNOWN = [
    ("22", "matrix-matmul", "crashed"),  # this Mesa's compiler has no cooperative matrices yet
]


def targets(mesa):
    """Returns AMD's targets for which this Mesa has a null device."""
    named = [t for t in kernels.triples() if t.startswith(("gcn", "vega", "rdna", "cdna"))]
    return [t for t in named if mesa == "25" or t not in ("rdna3.5", "rdna4")]


def ask(kernel, addressing, mesa, folder):
    """Returns [(target, driver, rejection or None)]."""
    output, answers = f"{folder}/{kernel.stem}-{addressing}", []
    options = [word for target in targets(mesa) for word in ("--target", target)]
    # A crash in the driver must stay a crash. AddressSanitizer would turn it into an exit.
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
        answers += [(entry["target"], a["driver"], a.get("rejected")) for a in entry["drivers"]]
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
