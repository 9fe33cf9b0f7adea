#!/usr/bin/env python3
"""Runs the runtime's tests, its conformance suite and its packages as another system does, in an emulator.

    tests/systems/run-tests.py linux-aarch64 [--build build]      in qemu-aarch64
    tests/systems/run-tests.py windows-x86_64                     in Wine
    tests/systems/run-tests.py here                 exported programs, on the CPU, lavapipe and the mock of Metal

`make packages` has built what is tested; setup/arm64-root.sh and setup/wine.sh unpack what the emulators need. If
that is missing, the tool says so and skips with status 77. The suite's kernels are compiled here for the other
system (RemoteCompiler.cpp). --sample runs the part that CI runs: the exported programs, a file for many targets,
and a part of the corpus of operations.
"""
import argparse
import importlib.util
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
# Tests that rely on what an emulator does not have, with the reason.
EXCLUDED = {
    "linux-aarch64": {
        "CpuFault.ReadsOfSeveralThreadsShareThePages": "qemu-user handles faults of one thread after the other",
        "CpuFork.*": "qemu-user ends a child of a process with threads: its assertion in plugins/core.c",
        "Meeting.*": "depends on how long a launch takes",
    },
    "windows-x86_64": {},
}
# The part of the corpus that runs, since the emulator needs many minutes for all of it.
CORPUS = ["--quick", "--only", "^(groups|pieces|floats|control)"]


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class Emulator:
    def __init__(self, system, build):
        self.system, self.build, self.failed = system, build, 0
        self.windows = system.startswith("windows")
        self.tree = build / "packages" / system
        if system == "here":
            self.before = []
            return
        needs = build / ("wine" if self.windows else "arm64-root")
        if not (needs / "complete").exists():
            script = "setup/wine.sh" if self.windows else "setup/arm64-root.sh"
            print(f"skipped: {needs} is missing; `{script} {needs}` unpacks it")
            sys.exit(SKIPPED)
        self.before = [needs / "bin/wine"] if self.windows else ["qemu-aarch64", "-L", needs / "root"]
        if self.windows:  # processes of the first program outlive it, and would keep its output open for seconds
            subprocess.run([*self.before, "cmd", "/c", "exit"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

    def program(self, path):
        return path.with_suffix(".exe") if self.windows else path

    def run(self, name, program, *arguments, shown=-1, expected=0, **variables):
        """Runs a program, prints its time and the line `shown` or its count of tests, and returns its output.

        A status that differs from `expected` is a failure."""
        start = time.monotonic()
        command = [str(word) for word in (*self.before, self.program(program), *arguments)]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", env={**os.environ, "PUMICE_CACHE": "off", **variables})
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        self.failed += done.returncode != expected
        counted = [line for line in lines if line.startswith("[  PASSED  ]")]  # by GoogleTest
        print(f"{name}: {'failed' if done.returncode != expected else 'passed'}, {time.monotonic() - start:.0f} s: "
              f"{counted[-1] if counted else lines[shown] if lines else 'no output'}", flush=True)
        if done.returncode != expected:
            print(*lines[-40:], sep="\n  ", flush=True)
        return done.stdout


def run_exported(emulator):
    """Runs the exported programs, whose one file has code for many targets."""
    exported = module(ROOT / "tests/systems/exported.py")
    devices, compilers, variables = ["cpu:0"], [["gcc"], ["g++"]], {}
    if emulator.system == "here":
        exported.run("cmake", "--install", emulator.build, "--prefix", emulator.tree / "prefix", "--component", "runtime")
        devices.append("metal:0")
        variables["PUMICE_METAL_LIBRARY"] = str(emulator.build / "tests/pumice_mock_metal.so")
        lavapipe = pathlib.Path(f"/usr/share/vulkan/icd.d/lvp_icd.{platform.machine()}.json")
        if lavapipe.exists():
            devices.append("vulkan:0")
            variables |= {"VK_ICD_FILENAMES": str(lavapipe), "VK_LOADER_LAYERS_DISABLE": "all"}
    else:
        target = module(ROOT / "tools/make-packages.py").SYSTEMS[emulator.system].target
        compilers = [[ROOT / "build/cross/bin" / f"{target}-{kind}"] for kind in ("cc", "c++")]  # by cmake/cross/Zig.cmake
    folder = emulator.tree / "exported"
    for name in exported.export(emulator.build, folder):
        program = exported.compile_program(name, folder / name, compilers, emulator.tree / "prefix", emulator.windows)
        for device in devices:
            said = emulator.run(f"exported {name} on {device}", program.with_suffix(""), device, shown=0,
                                PUMICE_COMPILER_LIBRARY="none", **variables)
            if not exported.is_right(name, said):
                print(f"  wrong: {said}")
                emulator.failed += 1


def run_suites(emulator, processor):
    """Runs the unit tests and the conformance suite, whose kernels are compiled for the processor."""
    tests = emulator.tree / "tests"
    for name in ("SupportTest", "HalTest", "CpuPartsTest", "CpuExecutionTest"):
        if emulator.program(tests / "tests" / name).exists():
            without = ":".join(EXCLUDED[emulator.system])
            emulator.run(name, tests / "tests" / name, "--gtest_brief=1", f"--gtest_filter=-{without}")
    library = next(path for path in ((tests / "lib/libremote-compiler.so"), (tests / "bin/libremote-compiler.dll"))
                   if path.exists())
    server = module(ROOT / "tests/systems/serve-compiler.py").Server
    with tempfile.TemporaryDirectory() as folder, server(emulator.build, folder, processor) as compiler:
        emulator.run("conformance suite", tests / "tests/ConformanceTest", "--device", "cpu", "--gtest_brief=1",
                     PUMICE_COMPILER_LIBRARY=str(library), PUMICE_REMOTE_COMPILER=folder)
        print(f"  {compiler.count} kernels were compiled for {processor}")


def run_corpus(emulator):
    """Runs a part of the corpus of operations (tests/correctness) as native code, and compares with NumPy."""
    tree = emulator.tree / "runtime"
    subprocess.run(["ninja", "-C", tree, "-j", str(os.cpu_count() or 2), "RunCases"], check=True, stdout=subprocess.DEVNULL)
    start, runner = time.monotonic(), emulator.program(tree / "tests/RunCases")
    driver = "windows" if emulator.windows else "aarch64"
    done = subprocess.run(
        [sys.executable, ROOT / "tests/correctness/run-kernels.py", "--driver", driver, *CORPUS],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        env={**os.environ, "PUMICE_CACHE": "off", "PUMICE_COMPILER_LIBRARY": "none", "PUMICE_TEST_SECONDS": "600",
             "PUMICE_TEST_RUNNER": shlex.join(str(word) for word in (*emulator.before, runner)),
             "PATH": f"{emulator.build / 'bin'}{os.pathsep}{os.environ['PATH']}"})
    emulator.failed += done.returncode != 0
    lines = done.stdout.splitlines() or ["no output"]
    print(f"corpus: {'failed' if done.returncode else 'passed'}, {time.monotonic() - start:.0f} s: {lines[-1]}",
          *(lines[-40:] if done.returncode else []), sep="\n  ", flush=True)


def run_file(emulator):
    """Runs the C++ program that launches a file for many targets, and files that it must reject."""
    examples = emulator.tree / "examples"  # tests/cross/cross-compile.py built them
    program = emulator.program(examples / "run_file")
    if not program.exists():
        print(f"wrong: there is no {program}; tests/cross/cross-compile.py {emulator.system} {emulator.build} builds it")
        emulator.failed += 1
        return
    if emulator.windows:
        shutil.copy(emulator.tree / "prefix/bin/libpumice.dll", examples)
    files = {name: examples / f"{name}.pumice" for name in ("everywhere", "broken", "other")}
    targets = [*module(ROOT / "tests/systems/exported.py").TARGETS, "lavapipe"]
    for name, wanted in (("everywhere", targets), ("other", ["x86-64-v3"])):
        subprocess.run([emulator.build / "bin/pumice", "compile", ROOT / "examples/scale.mlir", "-o", files[name],
                        *(word for target in wanted for word in ("--target", target))], check=True)
    files["broken"].write_bytes(files["everywhere"].read_bytes()[:-2000])
    for name, line, status in (("everywhere", "64000 of 64000 values are right", 0),
                               ("broken", "the file was cut short", 1), ("other", "it lacks the architecture x86-64-v3", 1)):
        said = emulator.run(f"run_file with {name}.pumice", examples / "run_file", files[name], "cpu:0", expected=status,
                            PUMICE_COMPILER_LIBRARY="none")
        if line not in said:
            print(f"  wrong: expected '{line}', got: {said}")
            emulator.failed += 1


SCRIPT = """
import pathlib
import sys
import numpy as np, pumice
import examples
device, folder = pumice.use("cpu:0"), pathlib.Path(sys.argv[1])
for name, run in examples.KERNELS.items():
    (kernel,) = pumice.load(folder / f"{name}.pumice").on().values()
    got, expected = run(kernel)
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5, err_msg=name)
print(f"the wheel's {', '.join(examples.KERNELS)} equal NumPy's on", device.info["name"])
"""


def run_packages(emulator):
    """Runs the wheel, by a Python of the system, if there is one. The kernels are those of examples/."""
    if emulator.windows:
        print("wheel: skipped, because neither PyPI nor Debian has a Python for Windows")
        return
    folder, kernels = emulator.tree / "wheel", emulator.tree / "kernels"
    kernels.mkdir(exist_ok=True)
    for path in (ROOT / "examples").glob("*.mlir"):
        subprocess.run([emulator.build / "bin/pumice", "compile", path, "--target", "aarch64", "-o",
                        kernels / f"{path.stem}.pumice"], check=True)
    wheel = next((emulator.build / "packages").glob("*aarch64.whl"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    python = emulator.build / "arm64-root/root/usr/bin/python3.13"
    emulator.run("wheel", python, "-c", SCRIPT, kernels, PUMICE_COMPILER_LIBRARY="none",
                 PYTHONPATH=f"{folder}:{emulator.build / 'arm64-root/site'}:{ROOT / 'tests/metal'}")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("system", choices=("here", *EXCLUDED))
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--sample", action="store_true", help="only the programs that CI runs")
    given = options.parse_args()
    emulator = Emulator(given.system, given.build.resolve())
    if given.system == "here":
        run_exported(emulator)
        return 1 if emulator.failed else 0
    with module(ROOT / "tools/make-packages.py").alone(emulator.tree):
        run_exported(emulator)
        run_file(emulator)
        run_corpus(emulator)
        if not given.sample:
            run_packages(emulator)
            run_suites(emulator, "x86-64-v3-windows" if emulator.windows else "aarch64")
    return 1 if emulator.failed else 0


if __name__ == "__main__":
    sys.exit(main())
