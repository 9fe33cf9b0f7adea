"""Builds the programs of examples/export for another system, with kernels for many targets in one file.

The sources are exported once (pumice export, and pumice.export for the Triton kernel), so each system compiles the
same files. They are compiled as C++17 and C11 without a warning, and link the package of `make packages` alone.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TARGETS = ("rdna3", "intel-xe2", "apple-m2", "x86-64-v3", "aarch64", "x86-64-v3-windows", "aarch64-macos")
# The lines that each program prints if its values are right. `.+` is the device's name.
RIGHT = {"scale": ["scale on .+: 64000 of 64000 values are right"],
         "softmax": [*(f"softmax of 50 x {columns} on .+: 0 values are wrong" for columns in (64, 100, 781)),
                     "invalid argument: kernel 'softmax': no exported specialisation takes these arguments: rows=50, "
                     "columns=5000; there are: .+; export it again with one more"]}


def run(*command, **variables):
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          env={**os.environ, **variables})
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def has_triton():
    return subprocess.run([sys.executable, "-c", "import triton"], capture_output=True).returncode == 0


def export(build, folder):
    """Writes the sources of each program into a folder of its name. Returns the names."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    targets = [word for target in TARGETS for word in ("--target", target)]
    for name, language in (("scale", "c++"), ("scale-c", "c")):
        run(build / "bin/pumice", "export", ROOT / "examples/scale.mlir", "-o", folder / name, "--language", language, *targets)
    if not has_triton():
        return ["scale", "scale-c"]
    run(sys.executable, ROOT / "examples/export/softmax.py", folder / "softmax", *TARGETS,
        PYTHONPATH=str(build / "python"))
    return ["scale", "scale-c", "softmax"]


def is_right(name, said):
    """Returns whether the program printed the lines that it should, and no others."""
    expected, lines = RIGHT[name.removesuffix("-c")], said.splitlines()
    return len(lines) == len(expected) and all(re.fullmatch(*both) for both in zip(expected, lines))


def compile_program(name, sources, compilers, prefix, windows=False):
    """Compiles a program with `compilers`, the commands for C and C++, and returns it."""
    c = name.endswith("-c")
    example = ROOT / "examples/export" / (name.removesuffix("-c") + (".c" if c else ".cpp"))
    program = sources / (name + (".exe" if windows else ""))
    link = [f"-L{prefix / 'lib'}", "-lpumice", *([] if windows else [f"-Wl,-rpath,{prefix / 'lib'}"])]
    run(*compilers[not c], "-std=c11" if c else "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{prefix / 'include'}",
        f"-I{sources}", example, *sorted(sources.glob("*.c" if c else "*.cpp")), "-o", program, *link)
    if windows:
        shutil.copy(prefix / "bin/libpumice.dll", sources)
    return program
