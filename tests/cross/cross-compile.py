#!/usr/bin/env python3
"""Builds the runtime, its C API and the C examples for another system, and looks at what came out.

    cross-compile.py TARGET BUILD      TARGET: aarch64-linux-gnu, aarch64-macos, x86_64-windows-gnu

Builds under build/cross, which is kept: zig compiles a target's C++ library once. The examples are
built against the installed package, as a user's would be.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# zig needs a folder for its caches, and finds none if HOME is unset, as in lit.
os.environ.setdefault("ZIG_GLOBAL_CACHE_DIR", str(pathlib.Path.home() / ".cache" / "zig"))
LLVM = pathlib.Path(os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin"))
# For each target: the installed library, the suffix of the examples' names, and the
# format's name in llvm-readobj.
TARGETS = {
    "aarch64-linux-gnu": ("lib/libpumice.so", "", "elf64-littleaarch64"),
    "aarch64-macos": ("lib/libpumice.dylib", "", "Mach-O arm64"),
    "x86_64-windows-gnu": ("bin/libpumice.dll", ".exe", "COFF-x86-64"),
}


def run(*command):
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def configure(source, build, target, *options):
    # Always: it is quick, and a folder of an older toolchain file would go unnoticed.
    run("cmake", "-S", source, "-B", build, "-G", "Ninja", "--toolchain",
        ROOT / "cmake/cross/Zig.cmake", f"-DPUMICE_ZIG_TARGET={target}",
        "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER_LAUNCHER=ccache",
        "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", *options)


def check(file, kind):
    if not file.exists():
        sys.exit(f"{file} was not made")
    found = run(LLVM / "llvm-readobj", "--file-header", file)
    if f"Format: {kind}" not in found:
        sys.exit(f"{file} is not {kind}:\n{found}")


def exports(file):
    """Returns the symbols that the library exports."""
    lines = run(LLVM / "llvm-readobj", "--coff-exports", file).splitlines() \
        if file.suffix == ".dll" else []
    names = [line.split()[1] for line in lines if line.strip().startswith("Name:")]
    if not lines:
        arguments = ["--dynamic"] if file.suffix == ".so" else []
        listed = run(LLVM / "llvm-nm", "--extern-only", "--defined-only", *arguments, file)
        names = [line.split()[-1].removeprefix("_") for line in listed.splitlines() if line]
    return names


def main():
    target, build = sys.argv[1], pathlib.Path(sys.argv[2]).resolve() / "cross"
    library, ending, kind = TARGETS[target]
    runtime, prefix, examples = (build / target / name for name in ("runtime", "prefix", "examples"))
    # A dozen files at a time, for the common headers are most of the work: a quarter of the time.
    configure(ROOT, runtime, target, "-DPUMICE_BUILD_COMPILER=OFF", "-DPUMICE_BUILD_TESTS=OFF",
              "-DPUMICE_PRECOMPILE=OFF",
              "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_UNITY_BUILD=ON",
              "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12")
    run("ninja", "-C", runtime)
    run("cmake", "--install", runtime, "--prefix", prefix)
    configure(ROOT / "examples/c", examples, target,
              f"-Dpumice_DIR={prefix / 'lib/cmake/pumice'}")
    run("ninja", "-C", examples)

    check(prefix / library, kind)
    for name in ("saxpy", "run_file", "share"):
        check(examples / (name + ending), kind)
    names = exports(prefix / library)
    # zig's linker adds these to every dylib: its header, and the operators new and
    # delete, since the C++ library is inside. They are always visible.
    dylib = ("__dso_handle", "_mh_dylib_header", "_Znw", "_Zna", "_Zdl", "_Zda")
    others = [name for name in names if not name.startswith(("pumice_", *dylib))]
    if others or "pumice_launch_sized" not in names:
        sys.exit(f"{library} exports {len(names)} names, among them {others[:10]}")
    ours = sum(name.startswith("pumice_") for name in names)
    print(f"{target}: {library} exports {ours} functions of pumice.h; the examples link")


if __name__ == "__main__":
    main()
