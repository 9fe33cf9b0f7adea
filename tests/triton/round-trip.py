"""Prints every file of a folder with pumice-opt, twice, with locations. Both texts must be equal.

usage: round-trip.py SCRATCH FOLDER
"""
import pathlib
import subprocess
import sys

FORM = ["--mlir-print-debuginfo", "--mlir-use-nameloc-as-prefix"]


def opt(path, out):
    subprocess.run(["pumice-opt", str(path), "--split-input-file",
                    "--output-split-marker=// -----", "-o", str(out), *FORM], check=True)


def main():
    scratch, folder = map(pathlib.Path, sys.argv[1:])
    scratch.mkdir(parents=True, exist_ok=True)
    files = sorted(folder.rglob("*.ttir"))
    assert files, f"{folder} holds no .ttir"
    broken = 0
    for path in files:
        first, second = scratch / "first.ttir", scratch / "second.ttir"
        opt(path, first)
        opt(first, second)
        if first.read_text() != second.read_text():
            print(f"{path}: printed once more, it is another text")
            broken = 1
    return broken


if __name__ == "__main__":
    sys.exit(main())
