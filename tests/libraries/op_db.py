#!/usr/bin/env python3
"""Runs every entry of PyTorch's table of operators through torch.compile on the CPU device, and compares with eager.

usage: op_db.py [--site FOLDER] [--types LIST] [--results FILE] [--again] [--failed] [--every N] [--samples N] [--seconds N]
                [--summary] [PATTERN...]

A job is "ENTRY/TYPE/DIRECTION": "nn.functional.gelu/float32/backward". PATTERN selects jobs. LIST selects types
(default: float32, int64, bfloat16, bool, float16), in this order. Gradients are computed in float32. FILE holds the
results (JSON lines, build/libraries/op_db.jsonl). Jobs with results are not repeated, unless --again is given, or
--failed for those that failed. --every N takes only each Nth job. Each job runs the first N samples (1) of its entry,
and has N seconds (90). Failing jobs are also compiled by inductor's C++ back end: a failure there as well does not
count against Pumice. --summary only counts. FOLDER holds the requirement of the table itself (expecttest;
build/libraries/site). Needs a Python with PyTorch and Triton, and the package `pumice`.
"""
import argparse
import collections
import fnmatch
import itertools
import json
import os
import pathlib
import sys
import tempfile
import time
import traceback
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import batches  # noqa: E402

TYPES = ("float32", "int64", "bfloat16", "bool", "float16")
UNDEFINED = ("empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided")  # undefined elements
CLOSE = {"float32": (1e-4, 1e-4), "bfloat16": (5e-2, 5e-2), "float16": (1e-2, 1e-2)}


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "build/libraries/site")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "build/libraries/op_db.jsonl")
    for name in ("--again", "--failed", "--summary", "--cpp"):
        parser.add_argument(name, action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=90)
    parser.add_argument("--worker", action="store_true")
    parser.add_argument("patterns", nargs="*")
    return parser.parse_args()


def entries():
    """Returns {name: entry}. Entries with the same name differ by their variant."""
    from torch.testing._internal.common_methods_invocations import op_db
    return {entry.name + (f".{entry.variant_test_name}" if entry.variant_test_name else ""): entry for entry in op_db}


def all_jobs(types):
    import torch
    jobs = []
    for kind in types:
        dtype = getattr(torch, kind)
        of_kind = {name: entry for name, entry in entries().items() if entry.supports_dtype(dtype, "cpu")}
        jobs += [f"{name}/{kind}/forward" for name in of_kind]
        if kind == "float32":
            jobs += [f"{name}/{kind}/backward" for name, entry in of_kind.items() if entry.supports_autograd]
    return jobs


def samples_of(entry, dtype, backward, most):
    """Returns the first samples. Prefers samples with elements."""
    found = list(itertools.islice(entry.sample_inputs("cpu", dtype, requires_grad=backward), 8))
    useful = [sample for sample in found if any(tensor.numel() > 1 for tensor in tensors_in(sample.input))]
    return (useful or found)[:most]


def tensors_in(value):
    import torch
    from torch.utils._pytree import tree_leaves
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def compute(function, entry, sample, backward, seed):
    """Returns (tensors, gradients) of `function`, on copies of the sample's tensors."""
    import torch
    from torch.utils._pytree import tree_map

    def copy(value):
        if not isinstance(value, torch.Tensor):
            return value
        made = value.detach().clone(memory_format=torch.preserve_format) if value.layout == torch.strided else value.detach().clone()
        return made.requires_grad_(value.requires_grad)

    given = tree_map(copy, (sample.input, sample.args, sample.kwargs))
    torch.manual_seed(seed)
    out = function(*given)
    if not backward:
        return tensors_in(out), []
    ends = [end for end in tensors_in(sample.output_process_fn_grad(out)) if end.requires_grad]
    leaves = [leaf for leaf in tensors_in(given) if leaf.requires_grad]
    torch.manual_seed(seed + 1)
    weights = [torch.randn_like(end) for end in ends]
    return tensors_in(out), torch.autograd.grad(ends, leaves, weights, allow_unused=True, materialize_grads=True)


def run_job(job, most, cpp):
    """Returns {"ok", "reason"}."""
    import torch
    name, kind, direction = job.rsplit("/", 2)
    entry, dtype, backward = entries()[name], getattr(torch, kind), direction == "backward"
    torch._inductor.config.cpu_backend = "cpp" if cpp else "triton"
    for sample in samples_of(entry, dtype, backward, most):
        torch._dynamo.reset()

        def call(given, positional, named):
            return entry.op(given, *positional, **named)

        seed = zlib.crc32(name.encode()) & 0xffff
        try:
            expected = compute(call, entry, sample, backward, seed)
        except Exception as error:  # noqa: BLE001 - an entry that eager mode cannot run is skipped
            return {"ok": True, "skipped": True, "reason": f"eager: {reason_of(error)}"}
        try:
            found = compute(torch.compile(call), entry, sample, backward, seed)
            try:
                compare(found, expected, kind, entry.name not in UNDEFINED)
            except AssertionError:
                if kind not in CLOSE or not as_close_as(found, expected, exact(call, entry, sample, backward, seed)):
                    raise
        except Exception as error:  # noqa: BLE001
            traceback.print_exc(file=sys.stdout)
            return {"ok": False, "reason": reason_of(error)}
    return {"ok": True, "reason": ""}


def exact(function, entry, sample, backward, seed):
    """Returns the results in float64, for the same inputs and the same weights of gradients."""
    import torch
    from torch.utils._pytree import tree_map

    def widen(value):
        is_float = isinstance(value, torch.Tensor) and value.is_floating_point()
        return value.detach().double().requires_grad_(value.requires_grad) if is_float else value

    class Wide:
        output_process_fn_grad = staticmethod(sample.output_process_fn_grad)
        input, args, kwargs = (tree_map(widen, part) for part in (sample.input, sample.args, sample.kwargs))

    draw = torch.randn_like
    torch.randn_like = lambda tensor: draw(tensor.detach().float()).double()  # draws like the other functions
    try:
        return compute(function, entry, Wide, backward, seed)
    finally:
        torch.randn_like = draw


def as_close_as(found, expected, truth):
    """Returns whether the error of `found` is at most four times that of eager mode."""
    for ours, theirs, right in zip(found, expected, truth):
        for one, other, exactly in zip(ours, theirs, right):
            if one.shape != other.shape or one.dtype != other.dtype or not one.is_floating_point():
                return False
            allowed = 4 * (other.double() - exactly).abs().max()
            if not (one.double() - exactly).abs().max() <= allowed:
                return False
    return True


def compare(found, expected, kind, values):
    import torch
    atol, rtol = CLOSE.get(kind, CLOSE["float32"])
    for what, ours, theirs, times in (("output", found[0], expected[0], 1), ("gradient", found[1], expected[1], 10)):
        assert len(ours) == len(theirs), f"{what}: expected {len(theirs)} tensors, got {len(ours)}"
        for number, (one, other) in enumerate(zip(ours, theirs)):
            if not values:
                one, other = torch.zeros_like(one), torch.zeros_like(other)
            torch.testing.assert_close(one, other, atol=atol * times, rtol=rtol * times, equal_nan=True,
                                       msg=lambda text: f"{what} {number}: {' '.join(text.split())}")  # noqa: B023


def reason_of(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Set TORCHDYNAMO_VERBOSE", "This error may be due"))]
    line = next((line for line in lines if "error:" in line), None) or next(
        (line for line in lines if "Error:" in line), lines[0] if lines else "")
    return f"{type(error).__name__}: {line}"[:500]


def worker(given):
    import torch
    import torch._inductor.config as config
    import torch._inductor.utils  # noqa: F401
    config.fallback_random = True  # the same random numbers as in eager mode
    config.fx_graph_cache = config.fx_graph_remote_cache = False
    torch._functorch.config.enable_autograd_cache = False
    torch.set_num_threads(1)
    launches = count_launches()
    for job in given.patterns:
        batches.begin(job)
        start, before = time.monotonic(), launches[0]
        result = run_job(job, given.samples, given.cpp)
        batches.end(job, {**result, "launches": launches[0] - before, "seconds": round(time.monotonic() - start, 1)})


def count_launches():
    """Returns a list with one number: the count of Triton kernels that inductor launches from now on."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    launch, count = CachingAutotuner.run, [0]

    def run(self, *given, **named):
        count[0] += 1
        return launch(self, *given, **named)

    CachingAutotuner.run = run
    return count


def run_all(jobs, given, report, cpp):
    command = [sys.executable, __file__, "--site", given.site, "--samples", str(given.samples), *(["--cpp"] if cpp else []), "--worker"]
    with tempfile.TemporaryDirectory() as folder:
        batches.run(command, jobs, given.seconds, report, {
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "TRITON_CACHE_DIR": f"{folder}/triton",
            "TORCHINDUCTOR_COMPILE_THREADS": "1", "PYTHONWARNINGS": "ignore", "CXX": os.environ.get("CXX", "g++")},
            most=100)


def summarize(results, jobs):
    of = [results[job] for job in jobs if job in results and not results[job].get("skipped")]
    reasons = collections.defaultdict(list)
    for result in of:
        if not result["ok"]:
            reasons["by C++, too" if result.get("cpp") is False else result["reason"][:110]].append(result["name"])
    for reason, names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):4d} {reason}\n       {', '.join(names[:6])}{' ...' if len(names) > 6 else ''}")
    ours = sum(result["ok"] for result in of)
    both = sum(not result["ok"] and result.get("cpp") is False for result in of)
    failed = len(of) - ours - both
    share = 100 * ours / max(1, ours + failed)
    print(f"{sum(bool(result.get('launches')) for result in of)} of them launch Triton's kernels")
    print(f"{len(jobs)} jobs, {sum(job in results for job in jobs)} done, {len(of)} that eager runs; {both} fail by C++, too; "
          f"{share:.2f}% of the rest")
    print(f"{ours} passed, {failed} failed")
    return failed


def main():
    given = arguments()
    if given.help:
        print(__doc__)
        return 0
    sys.path.append(str(given.site))
    if given.worker:
        worker(given)
        return 0
    jobs = all_jobs(given.types.split(","))[::given.every]
    jobs = [job for job in jobs if any(fnmatch.fnmatch(job, pattern) for pattern in given.patterns or ["*"])]
    given.results.parent.mkdir(parents=True, exist_ok=True)
    results = batches.read_results(given.results)

    def keep(job, result):
        results[job] = {"name": job, **result}
        with given.results.open("a") as file:
            file.write(json.dumps(results[job]) + "\n")

    def report(job, result):
        if "died" in result:
            result = {"ok": False, "reason": result["died"]}
        keep(job, result)
        print(f"{'PASS' if result['ok'] else 'FAIL'} {job}{': ' + result['reason'] if result['reason'] else ''}", flush=True)

    def report_cpp(job, result):
        keep(job, {**results[job], "cpp": result.get("ok", False)})
        print(f"C++ {'PASS' if result.get('ok') else 'FAIL'} {job}", flush=True)

    if not given.summary:
        left = [job for job in jobs if given.again or job not in results or (given.failed and not results[job]["ok"])]
        for batch in itertools.batched(left, 200) if hasattr(itertools, "batched") else [left]:
            run_all(list(batch), given, report, False)
        run_all([job for job in jobs if not results[job]["ok"] and "cpp" not in results[job]], given, report_cpp, True)
    return 1 if summarize(results, jobs) or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
