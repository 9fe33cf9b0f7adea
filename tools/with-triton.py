#!/usr/bin/env python3
"""Runs a Python program with a version of Triton that setup/triton-wheels.sh has installed.

usage: tools/with-triton.py [--build build] VERSION PROGRAM [ARGUMENT...]

Exits with 77, as a skipped test does, if that version could not be downloaded.
"""
import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def environment_with(version, build=ROOT / "build"):
    """Returns the environment for a program with that version, or a sentence if the version is missing."""
    folder = build / "triton" / version
    if not (folder / "complete").exists():
        absent = folder / "absent"
        return absent.read_text().strip() if absent.exists() else \
            f"Triton {version} is not installed: run setup/triton-wheels.sh {build} {version}"
    before = [str(folder), str(build / "python")]
    rest = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path not in before]
    return dict(os.environ, PYTHONPATH=os.pathsep.join(before + rest))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("version")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.program:
        parser.error("no program is named")
    environment = environment_with(options.version, options.build)
    if isinstance(environment, str):
        print(f"skipped: {environment}")
        return 77
    os.execve(sys.executable, [sys.executable, *options.program], environment)


if __name__ == "__main__":
    sys.exit(main())
