#!/usr/bin/env python3
"""Runs the tables of PyTorch's own tests on the device vk, and compares with the CPU.

The tables are those of operators (op_db), of their definitions in Python (references), of modules and of optimizers.
A job is "ENTRY/TYPE", such as "nn.functional.gelu/float32": an entry of a table, and a type that the CPU supports
for it. Its sample inputs run on both devices. Results must have the same shapes, types and values: by PyTorch's
tolerances for the type, or by those of the entry if they are larger. A float may also be about as close to the result
in float64 as the CPU's is. Random and undefined elements are not compared. Other strides are listed, and do not fail.

Jobs run in worker processes. One that crashes or hangs fails, and the others go on. The file of results has a line of
JSON for each job; a later run with --resume goes on behind it. It needs PyTorch, `expecttest`, and the package
`pumice_torch` (PYTHONPATH). The plans of operators are kept in PUMICE_VK_PLANS.
"""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import queue
import random
import re
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "libraries")]

import batches  # noqa: E402
import fallbacks  # noqa: E402

TYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool", "complex64",
         "complex128")

# A fixed sample, for a test that takes a minute: entries of each kind of operator.
QUICK = ("abs", "add", "addmm", "amax", "argmax", "bmm", "cat", "clamp", "cumsum", "diff", "div.floor_rounding", "eq",
         "exp", "gather", "index_select", "masked_fill", "mean", "nn.functional.gelu", "nn.functional.layer_norm",
         "nn.functional.mse_loss", "pow", "prod", "softmax", "sum", "tril", "var", "where")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entries", nargs="*", metavar="PATTERN", help="jobs or entries to take, such as 'nn.functional.*'")
    parser.add_argument("--table", default="operators", choices=("operators", "references", "modules", "optimizers"),
                        help="the table (operators)")
    parser.add_argument("--types", default="float32", help=f"types, with commas, or 'all' (default: float32): {', '.join(TYPES)}")
    parser.add_argument("--samples", type=int, default=0, metavar="N", help="take the first N sample inputs only (0: all)")
    parser.add_argument("--sample-of", type=int, metavar="N", help="take N random jobs")
    parser.add_argument("--quick", action="store_true", help=f"take a fixed sample of {len(QUICK)} entries")
    parser.add_argument("--seed", type=int, default=0, help="seed of --sample-of and of the sample inputs (0)")
    parser.add_argument("--grad", action="store_true", help="compare gradients too, of operators in float32")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of worker processes (1)")
    parser.add_argument("--timeout", type=int, default=180, metavar="S", help="seconds for each job (180)")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE",
                        help="the file of results (build/torch/TABLE.jsonl)")
    parser.add_argument("--resume", action="store_true", help="keep what FILE has, and run the rest")
    parser.add_argument("--failed", action="store_true", help="run again what failed in FILE")
    parser.add_argument("--summary", action="store_true", help="run nothing; summarize what FILE has")
    parser.add_argument("--list", action="store_true", help="list the jobs")
    parser.add_argument("--here", action="store_true", help="run in this process, and print tracebacks")
    parser.add_argument("--device", default=os.environ.get("PUMICE_VK_DEVICES", "cpu"), help="the device that vk is (cpu)")
    parser.add_argument("--known", type=pathlib.Path, default=HERE / "known.txt", metavar="FILE",
                        help="a list of jobs that may fail, a pattern a line (known.txt)")
    parser.add_argument("--whole-list", action="store_true",
                        help="fail if an operator in the list of docs/vk.md did not run on the CPU")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.results = given.results or ROOT / f"build/torch/{given.table}.jsonl"
    return given


def prepare(given):
    """Sets the environment of this process and of workers, before PyTorch is imported."""
    os.environ |= {"PUMICE_VK": "1", "PUMICE_VK_DEVICES": given.device, "TORCHINDUCTOR_COMPILE_THREADS": "1",
                   "PYTHONWARNINGS": "ignore"}
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")  # some samples ask for CUDA if PyTorch finds it
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    import torch
    if not hasattr(torch, "vk") or not torch.vk.is_available():
        sys.exit("tables.py: PyTorch has no device vk here; set PYTHONPATH to the folder of pumice_torch")
    try:
        import expecttest  # noqa: F401
    except ImportError:
        sys.exit("tables.py: PyTorch's tables need the package expecttest: pip install expecttest")


def choose(given):
    """Returns the names of jobs."""
    import table_jobs
    types = TYPES if given.types == "all" else given.types.split(",")
    jobs = table_jobs.table_of(given.table).jobs(types)
    if given.quick:
        jobs = [job for job in jobs if job.rsplit("/", 1)[0] in QUICK]
    if given.entries:
        jobs = [job for job in jobs if any(fnmatch.fnmatchcase(name, pattern) for pattern in given.entries
                                           for name in (job, job.rsplit("/", 1)[0]))]
    if given.sample_of:
        print(f"seed {given.seed}")
        jobs = sorted(random.Random(given.seed).sample(jobs, min(given.sample_of, len(jobs))))
    return jobs


def run_workers(jobs, given, report):
    """Runs jobs in worker processes, which take them in parts."""
    command = [sys.executable, __file__, "--worker", "--table", given.table, "--samples", str(given.samples), "--seed", str(given.seed),
               *(["--grad"] if given.grad else [])]
    size = max(1, min(60, len(jobs) // (3 * given.jobs)))
    parts, lock = queue.SimpleQueue(), threading.Lock()
    for first in range(0, len(jobs), size):
        parts.put(jobs[first:first + size])

    def keep(job, result):
        with lock:
            report(job, result)

    def work():
        while True:
            try:
                part = parts.get_nowait()
            except queue.Empty:
                return
            batches.run(command, part, given.timeout, keep)

    threads = [threading.Thread(target=work) for _ in range(given.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def general(reason):
    """Returns a reason without what differs between similar failures."""
    text = re.sub(r"\(sample \d+\)$|output \d+|result \d+:?", "", reason.split("; ")[0])
    text = re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]\d+)?", "#", text)
    return " ".join(text.split())[:120]


def print_group(title, groups, most=8):
    print(f"\n{title}")
    for what, names in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{len(names):6d}  {what}")
        print(f"        {', '.join(names[:most])}{f', and {len(names) - most} more' if len(names) > most else ''}")


def print_fallbacks(results):
    """Prints the operators that ran on the CPU: in how many jobs, how often, and why."""
    jobs, calls, why = collections.Counter(), collections.Counter(), {}
    for result in results:
        for name, times in result.get("fallbacks", {}).items():
            jobs[name] += 1
            calls[name] += times
            why[name] = result["reasons"].get(name, why.get(name, ""))
    print("\noperators that ran on the CPU (jobs, calls, why there is no plan):")
    for name, count in sorted(jobs.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:6d} {calls[name]:6d}  {name.removeprefix('aten::')}  {why[name][:150]}")


def summarize(results, known, *, whole_list=False):
    """Prints a summary, and returns the number of jobs that failed unexpectedly.

    An operator that ran on the CPU counts as a failure if docs/vk.md does not list it.
    """
    print_fallbacks(results)
    differences = fallbacks.differences(results, whole=whole_list)
    strides, failures = collections.defaultdict(list), collections.defaultdict(list)
    for result in results:
        if result.get("strides"):
            strides[general(result["strides"])].append(result["name"])
        if not result["ok"]:
            failures[general(result["reason"])].append(result["name"])
    if strides:
        print_group("results with other strides than the CPU's:", strides, 4)
    if failures:
        print_group("failures:", failures)
    ran = [result for result in results if result.get("samples") or not result["ok"]]
    passed = [result for result in ran if result["ok"]]
    crashed = [result for result in ran if result.get("died")]
    whole = [result for result in ran if "fallbacks" in result and not result["fallbacks"]]
    unexpected = [result for result in ran if not result["ok"]
                  and not any(fnmatch.fnmatchcase(result["name"], pattern) for pattern in known)]
    print(f"\n{len(results)} jobs, {len(results) - len(ran)} of them without a sample that the CPU runs; "
          f"{sum(result.get('samples', 0) for result in ran)} samples, "
          f"{sum(result.get('widened', 0) for result in ran)} judged by float64, "
          f"{sum(result.get('random', 0) for result in ran)} random or undefined")
    print(f"{len(whole)} of {len(ran)} jobs ran without the CPU ({100 * len(whole) / max(1, len(ran)):.1f}%); "
          f"{sum(map(len, strides.values()))} have other strides")
    print(f"{len(passed)} passed, {len(ran) - len(passed)} failed, {len(crashed)} of them crashed or hung"
          + (f"; {len(ran) - len(passed) - len(unexpected)} of them are known" if known else ""))
    print(f"{len(fallbacks.found(results))} operators ran on the CPU in jobs without complex types; "
          f"{len(differences)} differ from the list in docs/vk.md")
    print("\n".join(differences), end="\n" if differences else "")
    return len(unexpected) + len(differences)


def patterns_of(path):
    return [line.split("#")[0].strip() for line in path.read_text().splitlines() if line.split("#")[0].strip()]


def main():
    given = arguments()
    results = batches.read_results(given.results) if given.resume or given.failed or given.summary else {}
    if given.summary:
        return 1 if summarize(list(results.values()), patterns_of(given.known), whole_list=given.whole_list) else 0
    prepare(given)
    if given.worker:
        import table_jobs
        table_jobs.run(given.entries, given, batches.begin, batches.end)
        return 0
    jobs = choose(given)
    if given.list:
        print("\n".join(jobs))
        return 0
    given.results.parent.mkdir(parents=True, exist_ok=True)
    if not results:
        given.results.unlink(missing_ok=True)
    left = [job for job in jobs if job not in results or (given.failed and not results[job]["ok"])]
    done = len(jobs) - len(left)

    def report(job, result):
        nonlocal done
        done += 1
        if "died" in result:
            result = {"ok": False, "reason": result["died"], "died": True}
        results[job] = {"name": job, **result}
        with given.results.open("a") as file:
            file.write(json.dumps(results[job]) + "\n")
        outcome = "PASS" if result["ok"] else "FAIL"
        print(f"[{done}/{len(jobs)}] {outcome} {job} ({result.get('seconds', '?')} s)"
              + (f": {result['reason']}" if result["reason"] else ""), flush=True)

    if given.here:
        import table_jobs
        table_jobs.run(left, given, lambda job: None, report)
    else:
        run_workers(left, given, report)
    failed = summarize([results[job] for job in jobs if job in results], patterns_of(given.known),
                       whole_list=given.whole_list)
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
