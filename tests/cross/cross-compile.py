#!/usr/bin/env python3
"""Makes the archive of another system (tools/make-packages.py), and builds the C examples with it, as a user does.

For macOS, where nothing runs here, it also links the exported programs. tests/systems/run-tests.py runs the others.

    cross-compile.py SYSTEM BUILD      SYSTEM: linux-aarch64, macos-arm64, windows-x86_64

Everything lies in build/packages, which is kept: zig compiles a target's C++ library once.
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def module(path):
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    found = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


packages = module(ROOT / "tools/make-packages.py")


def unpack(archive, folder):
    """Unpacks an archive, and returns its top folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    else:
        subprocess.run(["tar", "-xf", archive, "-C", folder], check=True)
    (top,) = folder.iterdir()
    return top


def build_examples(system, prefix, folder):
    # Always configured: it is quick, and a folder of an older toolchain file would go unnoticed.
    packages.run(["cmake", "-S", ROOT / "examples/c", "-B", folder, "-G", "Ninja", "--toolchain",
                  ROOT / "cmake/cross/Zig.cmake", f"-DPUMICE_ZIG_TARGET={system.target}",
                  "-DCMAKE_BUILD_TYPE=Release", f"-Dpumice_DIR={prefix / 'lib/cmake/pumice'}"])
    packages.run(["ninja", "-C", folder])
    for name in ("saxpy", "run_file", "share"):
        check_format(system, folder / (name + ".exe" * system.name.startswith("windows")))


def check_format(system, program):
    found = packages.run([packages.LLVM / "llvm-readobj", "--file-header", program])
    if f"Format: {system.kind}" not in found:
        sys.exit(f"{program} is not {system.kind}:\n{found}")


def link_exported(system, build, prefix, folder):
    """Compiles and links the programs of examples/export, and returns their names."""
    exported = module(ROOT / "tests/systems/exported.py")
    compilers = [[ROOT / "build/cross/bin" / f"{system.target}-{kind}"] for kind in ("cc", "c++")]  # by cmake/cross/Zig.cmake
    names = exported.export(build, folder)
    for name in names:
        check_format(system, exported.compile_program(name, folder / name, compilers, prefix))
    return names


def main():
    system, build = packages.SYSTEMS[sys.argv[1]], pathlib.Path(sys.argv[2]).resolve()
    (archive,) = packages.make(system, build, packages.current_version(), "archive")
    folder = build / "packages" / system.name
    with packages.alone(folder):
        prefix = unpack(archive, folder / "unpacked")
        build_examples(system, prefix, folder / "examples")
        library = (prefix / system.library).resolve()
        ours = sum(name.startswith("pumice_") for name in packages.exports(library))
        # Programs that the system starts without a search path still find a loader of Homebrew.
        if "macos" in system.name and b"/opt/homebrew/lib/libvulkan.1.dylib" not in library.read_bytes():
            sys.exit(f"{library} does not look for Vulkan's loader in Homebrew's folder")
        linked = link_exported(system, build, prefix, folder / "exported") if "macos" in system.name else []
    print(f"{system}: {library.name} exports {ours} functions of pumice.h; the examples link")
    print(*(f"exported {name}: linked" for name in linked), sep="\n")


if __name__ == "__main__":
    main()
