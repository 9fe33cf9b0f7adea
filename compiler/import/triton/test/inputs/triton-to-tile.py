"""Converts every kernel in a folder of TTIR to tiles, and prints which are rejected, and why.

usage: triton-to-tile.py FOLDER [OPTIONS OF THE PASS]

All other kernels must be in the output, and pass the verifier. Files with locations have the same kernels.
"""
import pathlib
import re
import subprocess
import sys

PASSES = ["--pumice-read-inline-assembly", "--pumice-structure-triton", "--pumice-inline-triton-calls",
          "--pumice-lower-descriptors", "--pumice-expand-polls", "--pumice-expand-scaled-products"]


def kernel_at(lines, line):
    for text in reversed(lines[:line]):
        found = re.search(r"tt\.func public @([\w.]+|\"[^\"]+\")", text)
        if found:
            return found.group(1)
    return "?"


def main():
    folder, *options = sys.argv[1:]
    files = sorted(path for path in pathlib.Path(folder).rglob("*.ttir")
                   if ".locations." not in path.name and path.parent.name != "refused")
    assert files, f"{folder} holds no .ttir"
    taken, bad = 0, 0
    for path in files:
        run = subprocess.run(
            ["pumice-opt", str(path), "--split-input-file", *PASSES,
             f"--pumice-triton-to-tile={' '.join(options)}", "--mlir-print-op-on-diagnostic=false"],
            capture_output=True, text=True, check=False)
        text = path.read_text()
        lines = text.split("\n")
        errors = re.findall(r"^[^\n]*?:(\d+):\d+: error: ([^\n]*)$", run.stderr, re.MULTILINE)
        refused = sorted({f"{path.name}: {kernel_at(lines, int(line))}: {message}"
                          for line, message in errors})
        print("\n".join(refused), end="\n" if refused else "")
        count = len(re.findall(r"gpu\.func @", run.stdout))
        taken += count
        if count + len(errors) != len(re.findall(r"tt\.func public @", text)):
            print(f"{path}: {count} kernels and {len(errors)} errors; there are more or fewer kernels")
            print(run.stderr[-2000:])
            bad = 1
    print(f"{taken} kernels are tiles")
    return bad


if __name__ == "__main__":
    sys.exit(main())
