#!/usr/bin/env python3
"""Builds the C examples against the installed package, both ways, and runs them.

    package.py BUILD SCRATCH COMPILER-C COMPILER-C++

Installs BUILD into SCRATCH/prefix. Builds the examples once through find_package(pumice), and once by command lines of
the compilers with the flags of pkg-config. They run on PUMICE_DEVICE, or else on the best device. Checks that they link
neither LLVM nor the compiler library.
"""
import ctypes.util
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Programs can link the Vulkan loader, and vulkaninfo's exit status says that the loader finds a device.
WITH_VULKAN = ctypes.util.find_library("vulkan") and shutil.which("vulkaninfo") and \
    subprocess.run(["vulkaninfo", "--summary"], capture_output=True).returncode == 0
FOREIGN = re.compile(r"LLVM|MLIR|SPIRV|pumice-compiler|vulkan")


def run(*command, **environment):
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, **environment))
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def install(build, prefix):
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", prefix)
    # The Python package's files are a separate component, which is installed only by name.
    strange = {entry.name for entry in prefix.iterdir()} - {"bin", "include", "lib", "lib64", "share"}
    python = [entry for entry in prefix.rglob("*") if re.search(r"_native|\.py$", entry.name)]
    if strange or python:
        sys.exit(f"the package holds {sorted(strange)} {python}")
    found = list(prefix.glob("lib*/**/libpumice.so"))
    if not found:
        sys.exit(f"no libpumice.so in {prefix}")
    return found[0]


def check_library(library):
    needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--dynamic", library))
    if any(FOREIGN.search(name) for name in needed):
        sys.exit(f"libpumice.so needs {needed}")
    listed = run("nm", "--dynamic", "--defined-only", library).splitlines()
    exported = sorted(line.split()[-1] for line in listed)
    others = [name for name in exported if not name.startswith("pumice_")]
    # The library exports exactly the functions that the header declares.
    header = "".join(path.read_text() for path in sorted((ROOT / "include/pumice").rglob("*.h")))
    declared = sorted(set(re.findall(r"PUMICE_API[^;]*?\b(pumice_\w+)\(", header)))
    if others or exported != declared:
        sys.exit(f"libpumice.so exports {others[:10]} in addition to pumice_*; "
                 f"it differs from pumice.h in {sorted(set(exported) ^ set(declared))}")
    print(f"libpumice.so: {len(exported)} functions, needs {' '.join(needed)}")


def check_archive(archive):
    """Checks that only pumice_* is visible, so that functions of Vulkan, LLVM and others cannot clash with it."""
    listed = run("nm", "--extern-only", "--defined-only", archive).splitlines()
    exported = [line.split()[-1] for line in listed if " " in line]
    others = [name for name in exported if not name.startswith("pumice_")]
    if others or not exported:
        sys.exit(f"libpumice.a exports {others[:10]} in addition to {len(exported)} names")
    missing = [line.split()[-1] for line in run("nm", "--undefined-only", archive).splitlines() if "6pumice" in line]
    if missing:
        sys.exit(f"libpumice.a lacks {missing[:10]}, which its own code calls: add the library to its parts")
    print(f"libpumice.a: {len(exported)} functions")


def check_headers(include):
    """Checks that each header compiles alone, with every installed compiler and each standard that it supports."""
    c, cpp = ["-std=c99", "-std=c11"], ["-std=c++17", "-std=c++20"]
    seen = 0
    for compiler in ("gcc", "clang-22"):
        if not shutil.which(compiler):
            continue
        for header in sorted(include.rglob("*.h*")):
            ways = [("c++", standard) for standard in cpp]
            if header.suffix == ".h":
                ways += [("c", standard) for standard in c]
            for language, standard in ways:
                run(compiler, "-x", language, standard, "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-pedantic",
                    "-Werror", f"-I{include.parent}", "-include", header, os.devnull)
                seen += 1
    if not seen:
        sys.exit("no compiler looked at the headers")
    print(f"headers: compiled {seen} ways")


def by_find_package(prefix, folder, cc, cxx):
    run("cmake", "-S", ROOT / "examples/c", "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={cc}", f"-DCMAKE_CXX_COMPILER={cxx}",
        "-DCMAKE_C_FLAGS=-Wall -Wextra -Wshadow -pedantic -Werror",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wshadow -pedantic -Werror")
    run("cmake", "--build", folder)


def by_static_target(prefix, folder, cc):
    """Builds a project that uses only C, whose linker does not know the C++ library, with the static library."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.20)
project(only_c C)
find_package(pumice CONFIG REQUIRED)
add_executable(saxpy {ROOT / "examples/c/saxpy.c"})
target_link_libraries(saxpy pumice::pumice_static)
""")
    run("cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={cc}")
    run("cmake", "--build", folder / "build")


def by_pkg_config(library, folder, cc, cxx):
    folder.mkdir(parents=True, exist_ok=True)
    said = run("pkg-config", "--cflags", "--libs", "pumice",
               PKG_CONFIG_PATH=str(library.parent / "pkgconfig")).split()
    end = [*said, f"-Wl,-rpath,{library.parent}", "-Wall", "-Wextra", "-Wshadow", "-pedantic",
           "-Werror"]
    sources = ROOT / "examples/c"
    run(cc, "-std=c99", sources / "saxpy.c", "-o", folder / "saxpy", *end)
    if (library.parent / "libpumice.a").exists():
        said = run("pkg-config", "--static", "--cflags", "--libs", "pumice",
                   PKG_CONFIG_PATH=str(library.parent / "pkgconfig")).split()
        said[said.index("-lpumice")] = "-l:libpumice.a"
        run(cc, "-std=c99", sources / "saxpy.c", "-o", folder / "saxpy_static", *said,
            "-Wall", "-Wextra", "-Wshadow", "-pedantic", "-Werror")
    if WITH_VULKAN:
        run(cc, "-std=c99", sources / "vulkan.c", "-o", folder / "vulkan", *end, "-lvulkan")
    for name in ("run_file", "share"):
        run(cxx, "-std=c++17", sources / f"{name}.cpp", "-o", folder / name, *end)


def by_export(prefix, folder, cc, cxx, way):
    """Builds exported launchers through the CMakeLists.txt and the file for pkg-config that the export writes."""
    pkgconfig = next(prefix.glob("lib*/**/pumice.pc")).parent
    for language, compiler, standard, main in (("c", cc, "-std=c11", "scale.c"), ("c++", cxx, "-std=c++17", "scale.cpp")):
        files, source = folder / language / "kernels", ROOT / "examples/export" / main
        run(prefix / "bin/pumice", "export", ROOT / "examples/scale.mlir", "-o", files, "--target", "cpu",
            "--language", language)
        if way == "find_package:":
            project = folder / language
            (project / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.20)
project(uses_kernels {"C" if language == "c" else "CXX"})
add_subdirectory(kernels)
add_executable(program {source})
target_link_libraries(program PRIVATE scale)
""")
            flags = "-Wall -Wextra -Wshadow -Werror"
            run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={cc}",
                f"-DCMAKE_CXX_COMPILER={cxx}", f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}")
            run("cmake", "--build", project / "build")
            program = project / "build/program"
        else:
            path = f"{pkgconfig}:{files}"
            said = [word for wanted in (["--variable=sources"], ["--cflags", "--libs"])
                    for word in run("pkg-config", *wanted, "scale", PKG_CONFIG_PATH=path).split()]
            program = folder / language / "program"
            run(compiler, standard, source, *said, "-o", program, f"-Wl,-rpath,{pkgconfig.parent}", "-Wall", "-Wextra",
                "-Wshadow", "-Werror")
        print(way, "export,", f"{language}:", run(program, "cpu").strip())


def run_examples(folder, way, file, has_compiler):
    static = [name for name in ("saxpy_static",) if (folder / name).exists()]
    for name in ("saxpy", "run_file", "share", *static):
        needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--dynamic", folder / name))
        if any(FOREIGN.search(library) for library in needed):
            sys.exit(f"{name} needs {needed}")
        if name in static and any("pumice" in library for library in needed):
            sys.exit(f"{name} needs {needed}")
    if has_compiler:
        print(way, run(folder / "saxpy").strip())
        if (folder / "saxpy_static").exists():
            library = next((folder.parent / "prefix").glob("lib*/**/libpumice-compiler.so"))
            print(way, "static:", run(folder / "saxpy_static",
                                      PUMICE_COMPILER_LIBRARY=str(library)).strip())
        print(way, run(folder / "run_file", file).strip())
        print(way, run(folder / "share").strip())
        if WITH_VULKAN:
            print(way, run(folder / "vulkan").strip())
        # Simulates a machine that has only the library, where the CPU device runs only native code.
        print(way, "native:", run(folder / "run_file", file, "cpu:0",
                                  PUMICE_COMPILER_LIBRARY="/none").strip())


def main():
    build, scratch = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    cc, cxx = sys.argv[3:5]
    shutil.rmtree(scratch, ignore_errors=True)
    library = install(build, scratch / "prefix")
    check_library(library)
    check_headers(scratch / "prefix/include/pumice")
    if (library.parent / "libpumice.a").exists():
        check_archive(library.parent / "libpumice.a")
    # Runs the installed command, which finds its library next to it.
    command, file = scratch / "prefix/bin/pumice", scratch / "scale.pumice"
    has_compiler = command.exists()
    if has_compiler:
        run(command, "compile", ROOT / "examples/scale.mlir", "-o", file, "--target", "lavapipe22",
            "--target", "cpu")
    by_find_package(scratch / "prefix", scratch / "cmake", cc, cxx)
    run_examples(scratch / "cmake", "find_package:", file, has_compiler)
    by_pkg_config(library, scratch / "plain", cc, cxx)
    if (library.parent / "libpumice.a").exists():
        by_static_target(scratch / "prefix", scratch / "only-c", cc)
    run_examples(scratch / "plain", "pkg-config:", file, has_compiler)
    if has_compiler:
        for way in ("find_package:", "pkg-config:"):
            by_export(scratch / "prefix", scratch / "export" / way[:-1], cc, cxx, way)


if __name__ == "__main__":
    main()
