"""Runs tests of Triton kernels with several versions of the wheel, and prints a table.

    versions.py [--only ttir,python,...] [--device cpu:0] VERSION...

    ttir      the texts of tests/triton/kernels are imported as tiles, printed, parsed again, and run
    python    the tests of python/test
    sweep     a kernel for every operation; examples: examples/triton; random: random kernels

Runs the version in .venv as well as those of setup/triton-wheels.sh. Needs `pumice` in PATH.
"""
import argparse
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TESTS = ("triton", "versions", "choosing", "doctor", "arguments", "debugging", "ending", "inductor", "resources")
RANDOM = (("--seed", "1000", "--count", "200"), ("--seed", "100000", "--count", "100"),
          ("--seed", "2000", "--count", "40", "--large"))


class Failed(Exception):
    """The output of a program that failed."""


def run(environment, *command):
    done = subprocess.run([sys.executable, *map(str, command)], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    if done.returncode not in (0, 77):
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout[-3000:]}")
    return done.stdout


def ttir(environment, device):
    with tempfile.TemporaryDirectory() as name:
        texts, scratch = pathlib.Path(name, "ttir"), pathlib.Path(name, "scratch")
        run(environment, HERE / "make-ttir.py", "--out", texts)
        inputs = ROOT / "compiler/import/triton/test/inputs/triton-to-tile.py"
        said = [run(environment, inputs, texts, *options).splitlines()
                for options in ((), ("lanes=32", "subgroups=4", "access-bytes=16"))]
        if said[0] != said[1] or len(said[0]) != 1:
            raise Failed("\n".join(said[0] + said[1]))
        run(environment, HERE / "round-trip.py", scratch, texts)
        ran = run(environment, HERE / "execute.py", scratch, texts, "--target", "cpu", "--device", device)
        return f"{said[0][0]}; {ran.strip()}"


def python(environment, device):
    counts = []
    for test in TESTS:
        said = run(environment, ROOT / f"python/test/test_{test}.py")
        found = re.search(r"^Ran (\d+) tests?", said, re.MULTILINE)
        counts.append(int(found[1]) if found else 0)
    return f"{sum(counts)} tests in {len(TESTS)} files pass"


def last_line(environment, *command):
    return run(environment, *command).strip().splitlines()[-1]


def sweep(environment, device):
    return last_line(environment, HERE / "sweep/run.py", "--device", device)


def examples(environment, device):
    said = run(environment, ROOT / "examples/triton/run.py", "--device", device)
    rows = [line for line in said.splitlines() if line.endswith(" ms")]
    wrong = [line for line in said.splitlines() if "WRONG" in line]
    if wrong:
        raise Failed("\n".join(wrong))
    return f"{len(rows)} examples right"


def random(environment, device):
    return "; ".join(last_line(environment, HERE / "random/run.py", *seeds, "--device", device)
                     for seeds in RANDOM)


SUITES = {"ttir": ttir, "python": python, "sweep": sweep, "examples": examples, "random": random}


def environment_of(version):
    spec = importlib.util.spec_from_file_location("with_triton", ROOT / "tools/with-triton.py")
    with_triton = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(with_triton)
    own = dict(os.environ, PYTHONPATH=str(ROOT / "build/python"))
    installed = subprocess.run([sys.executable, "-c", "import triton; print(triton.__version__)"], env=own,
                               capture_output=True, text=True, check=False).stdout.strip()
    return own if installed == version else with_triton.environment_with(version)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="ttir,python", help=f"some of {','.join(SUITES)} (default: %(default)s)")
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("versions", nargs="+", metavar="VERSION")
    options = parser.parse_args()
    bad = 0
    for version in options.versions:
        environment = environment_of(version)
        if isinstance(environment, str):
            print(f"skipped: {environment}", flush=True)
            continue
        with tempfile.TemporaryDirectory() as cache:  # an empty cache, so that nothing comes from other runs
            environment = dict(environment, TRITON_CACHE_DIR=cache)
            for name in options.only.split(","):
                try:
                    said = SUITES[name](environment, options.device)
                except Failed as error:
                    said, bad = f"FAILED: {error}", 1
                print(f"{version} {name:8} {said}", flush=True)
    return bad


if __name__ == "__main__":
    sys.exit(main())
