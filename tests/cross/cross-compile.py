#!/usr/bin/env python3
"""Builds the runtime, its C API and the C examples for another system, and looks at what came out.

    cross-compile.py TARGET BUILD      TARGET: aarch64-linux-gnu, aarch64-macos, x86_64-windows-gnu

Builds under build/cross, which is kept: zig compiles a target's C++ library once. The examples are
built against the installed package, as a user's would be.
"""
import os
import pathlib
import shutil
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


def run_program(target, build, prefix, examples):
    """Runs a program with a file for many targets, if an emulator of the system is here."""
    root, wine = build.parent / "arm64-root", build.parent / "wine"
    if "linux" in target and (root / "complete").exists() and shutil.which("qemu-aarch64"):
        command = ["qemu-aarch64", "-L", root / "root", examples / "run_file"]
    elif "windows" in target and (wine / "complete").exists():
        shutil.copy(prefix / "bin/libpumice.dll", examples)
        command = [wine / "bin/wine", examples / "run_file.exe"]
    else:
        return
    targets = ["rdna3", "intel-xe2", "apple-m2", "x86-64-v3", "aarch64", "x86-64-v2-windows", "aarch64-macos", "lavapipe"]
    file = examples / "everywhere.pumice"
    run(build.parent / "bin/pumice", "compile", ROOT / "examples/scale.mlir", "-o", file,
        *(word for name in targets for word in ("--target", name)))
    os.environ["PUMICE_COMPILER_LIBRARY"] = "none"
    said = run(*command, file, "cpu:0")
    if "64000 of 64000 values are right" not in said:
        sys.exit(f"run_file said: {said}")
    # A truncated file, and one for other systems, are errors with a reason.
    broken = examples / "broken.pumice"
    broken.write_bytes(file.read_bytes()[:-2000])
    other = examples / "other.pumice"
    run(build.parent / "bin/pumice", "compile", ROOT / "examples/scale.mlir", "-o", other, "--target", "x86-64-v3")
    for damaged, reason in ((broken, "the file was cut short"), (other, "it lacks the architecture x86-64-v3")):
        words = [str(word) for word in (*command, damaged, "cpu:0")]
        done = subprocess.run(words, capture_output=True, text=True, errors="replace")
        if done.returncode != 1 or reason not in done.stderr:
            sys.exit(f"expected an error with '{reason}', got {done.returncode}: {done.stdout}{done.stderr}")
    print(f"{target}: run_file runs, with the file for {len(targets)} targets")


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
    # Programs that the system starts without a search path still find a loader of Homebrew.
    if "macos" in target and b"/opt/homebrew/lib/libvulkan.1.dylib" not in (prefix / library).read_bytes():
        sys.exit(f"{library} does not look for Vulkan's loader in Homebrew's folder")
    ours = sum(name.startswith("pumice_") for name in names)
    run_program(target, build, prefix, examples)
    print(f"{target}: {library} exports {ours} functions of pumice.h; the examples link")


if __name__ == "__main__":
    main()
