#!/usr/bin/env python3
"""Runs scripts in the form of Triton's tutorials, written for device "cuda", unchanged on the CPU device.

usage: run.py [--site FOLDER] [--sample] [NAME...]

Each script checks its own results. It runs with PUMICE_CPU_FOR_CUDA=1 in a separate folder, and includes its
measurements. These need matplotlib, pandas, tabulate, pytest and llnl-hatchet, which are in FOLDER
(build/libraries/site). --sample imports some of the scripts without their measurements, which needs only PyTorch and
Triton. Needs the package `pumice`.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# The scripts to run, with their arguments and the text that their output must contain.
RUNS = {
    "vector_add": ([["vector_add.py"]], ["vector-add-performance"]),
    "softmax": ([["softmax.py"]], ["Naive Softmax (GB/s)"]),
    "matmul": ([["matmul.py"]], ["matmul-performance-fp16", "matmul-performance-fp8"]),
    "dropout": ([["dropout.py"]], ["output (seed = 512)"]),
    "layer_norm": ([["layer_norm.py"]], ["layer-norm-backward"]),
    "attention": ([["-m", "pytest", "-q", "attention.py"], ["attention.py"]], ["12 passed", "bwd-causal=False", "Triton [FP8]"]),
    "extern_functions": ([["extern_functions.py"]], ["The maximum difference"]),
    "grouped_gemm": ([["grouped_gemm.py"]], ["group-gemm-performance"]),
    "persistent_matmul": ([["persistent_matmul.py", "-K", "256"], ["persistent_matmul.py", "--prec", "fp8", "--K_range", "128", "256"]],
                          ["ROOT", "matmul_kernel_descriptor_persistent [M=256, N=256, K=256]"]),
}
SAMPLE = ("vector_add", "layer_norm", "extern_functions", "grouped_gemm")
IMPORT = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='sample')"


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("--help", "-h", action="store_true")
    parser.add_argument("--site", type=pathlib.Path, default=ROOT / "build/libraries/site")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    return parser.parse_args()


def run(command, given, folder):
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(given.site)])
    environment = {**os.environ, "PUMICE_CPU_FOR_CUDA": "1", "MPLBACKEND": "Agg", "PYTHONPATH": path}
    return subprocess.run([sys.executable, *command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=900)


def commands_of(name, sample):
    if sample:
        return [["-c", IMPORT, str(HERE / f"{name}.py")]]
    return [[str(HERE / part) if part.endswith(".py") else part for part in command] for command in RUNS[name][0]]


def problem_of(name, given):
    """Returns the error with the output, or ""."""
    said = ""
    with tempfile.TemporaryDirectory() as folder:
        for command in commands_of(name, given.sample):
            done = run(command, given, folder)
            said += done.stdout
            if done.returncode:
                return f"exit status {done.returncode}\n{said}"
    missing = [] if given.sample else [each for each in RUNS[name][1] if each not in said]
    return f"its output lacks {missing}\n{said}" if missing else ""


def main():
    given = arguments()
    if given.help:
        print(__doc__)
        return 0
    given.site = given.site.resolve()  # scripts run in another folder
    if os.environ.get("PYTHONPATH"):
        os.environ["PYTHONPATH"] = os.pathsep.join(str(pathlib.Path(part).resolve()) for part in os.environ["PYTHONPATH"].split(os.pathsep))
    unknown = [name for name in given.names if name not in RUNS]
    if unknown:
        sys.exit(f"run.py: error: expected some of {', '.join(RUNS)}, got {', '.join(unknown)}")
    failed = 0
    names = given.names or (SAMPLE if given.sample else list(RUNS))
    for name in names:
        start = time.monotonic()
        problem = problem_of(name, given)
        failed += bool(problem)
        print(f"{'FAIL' if problem else 'PASS'} {name} ({time.monotonic() - start:.0f} s){': ' + problem if problem else ''}", flush=True)
    print(f"{len(names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
