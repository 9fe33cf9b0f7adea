#!/usr/bin/env python3
"""Makes packages of the runtime for other systems than this one, into build/packages (`make packages`).

    tools/make-packages.py [--build build] [--system NAME]... [--only archive|wheel]

For each system, there is an archive with the library, its headers and files for CMake and pkg-config, and a wheel
of the Python package without the compiler. They are built by zig (cmake/cross/Zig.cmake). The tool then reads the
files: their formats, exported functions, dependencies, and the oldest system that can load them. docs/systems.md
says what the packages hold.
"""
import argparse
import base64
import contextlib
import dataclasses
import fcntl
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LLVM = pathlib.Path(os.environ.get("LLVM_BIN", "/usr/lib/llvm-22/bin"))
GLIBC = (2, 28)  # the oldest C library of Linux, which zig's target names

# Projects whose code is in the libraries, beyond those of the wheel for this system, and files with their licences.
ZIG_LICENCES = {"libc++": "lib/libcxx/LICENSE.TXT", "mingw-w64": "lib/libc/mingw/COPYING"}


@dataclasses.dataclass(frozen=True)
class System:
    name: str  # in the archive's name
    target: str  # zig's name
    library: str  # where `cmake --install` puts it
    kind: str  # llvm-readobj's name of the format
    platform: str  # the wheel's tag
    packaged: str  # the library's place in the wheel
    binding: str
    needed: str  # a regular expression of the libraries that the system has

    def __str__(self):
        return self.name


SYSTEMS = {system.name: system for system in (
    System("linux-aarch64", "aarch64-linux-gnu.2.28", "lib/libpumice.so", "elf64-littleaarch64",
           "manylinux_2_28_aarch64", "pumice/lib/libpumice.so.1", "pumice/_native.abi3.so",
           r"lib(c|m|dl|pthread|rt)\.so\.\d|ld-linux-aarch64\.so\.1"),
    System("macos-arm64", "aarch64-macos.11.0", "lib/libpumice.dylib", "Mach-O arm64", "macosx_11_0_arm64",
           "pumice/lib/libpumice.1.dylib", "pumice/_native.abi3.so", r"/usr/lib/libSystem\.B\.dylib"),
    System("windows-x86_64", "x86_64-windows-gnu", "bin/libpumice.dll", "COFF-x86-64", "win_amd64",
           "pumice/libpumice.dll", "pumice/_native.pyd",
           r"(?i)(api-ms-win-crt-[\w-]+|kernel32|ntdll|advapi32|python3)\.dll"),
)}


def give_up(reason):
    sys.exit(f"make-packages: {reason}")


def run(command, **options):
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    if done.returncode:
        give_up(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout[-6000:]}")
    return done.stdout


def module(path):
    """Imports a tool whose name is not that of a module."""
    spec = importlib.util.spec_from_file_location(path.stem.replace("-", "_"), path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def find_zig():
    found = sorted((ROOT / ".venv/lib").glob("python3*/site-packages/ziglang/zig"))
    return found[0] if found else give_up("zig is not in .venv; run setup/make-venv.sh")


def build_runtime(system, folder):
    """Builds the runtime, and returns the folder in which it is installed."""
    tree, prefix = folder / "runtime", folder / "prefix"
    run(["cmake", "-S", ROOT, "-B", tree, "-G", "Ninja", "--toolchain", ROOT / "cmake/cross/Zig.cmake",
         f"-DPUMICE_ZIG_TARGET={system.target}", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER_LAUNCHER=ccache",
         "-DCMAKE_CXX_COMPILER_LAUNCHER=ccache", "-DPUMICE_BUILD_COMPILER=OFF", "-DPUMICE_BUILD_TESTS=OFF",
         "-DPUMICE_PRECOMPILE=OFF", "-DCMAKE_INSTALL_LIBDIR=lib", "-DCMAKE_UNITY_BUILD=ON",
         "-DCMAKE_UNITY_BUILD_BATCH_SIZE=12"])
    run(["ninja", "-C", tree, "-j", os.cpu_count() or 2])
    shutil.rmtree(prefix, ignore_errors=True)
    run(["cmake", "--install", tree, "--prefix", prefix])
    if system.name.startswith("linux"):
        run([LLVM / "llvm-strip", (prefix / system.library).resolve()])
    if system.name.startswith("windows"):  # the name by which zig and Microsoft's linker find `-lpumice`
        shutil.copy(prefix / "lib/libpumice.dll.a", prefix / "lib/pumice.lib")
    return prefix


def add_licences(zig, folder):
    """Copies our licence, and those of the projects whose code is in the libraries."""
    wheels = module(ROOT / "tools/make-wheel.py")
    (folder / "libraries").mkdir(parents=True)
    shutil.copy(ROOT / "LICENSE", folder)
    for name, package in wheels.LICENCES.items():
        if name not in ("LLVM", "zstd", "SPIRV-Tools"):  # these are in the compiler
            shutil.copyfile(pathlib.Path("/usr/share/doc", package, "copyright"), folder / f"libraries/{name}.txt")
    for name, path in ZIG_LICENCES.items():
        if (zig.parent / path).is_file():
            shutil.copyfile(zig.parent / path, folder / f"libraries/{name}.txt")
    licence = sorted(nanobind().parent.glob("nanobind-*.dist-info/**/LICENSE"))
    shutil.copyfile(licence[0] if licence else give_up("nanobind has no LICENSE"), folder / "libraries/nanobind.txt")


def nanobind():
    return pathlib.Path(run([ROOT / ".venv/bin/python", "-m", "nanobind", "--cmake_dir"]).strip()).parent


def python_headers(system, build):
    """Returns the folders with the headers of Python."""
    source = pathlib.Path(run([ROOT / "setup/python-source.sh", build / "python-source"]).strip())
    if system.name.startswith("windows"):
        return source, [source / "PC", source / "Include"]
    # The configuration of x86-64 Linux has the same sizes of C's types, and the stable ABI uses nothing else of it.
    debian = pathlib.Path(run([ROOT / "setup/python-headers.sh", build / "python-headers"]).strip())
    return source, [source / "Include", debian.parent / "x86_64-linux-gnu" / debian.name]


def python_library(source, objects, folder):
    """Makes an import library of python3.dll for the functions that the objects use. All must be in the stable ABI."""
    stable = {name: kind for kind, name in
              re.findall(r"^EXPORT_(FUNC|DATA)\((\w+)\)", (source / "PC/python3dll.c").read_text(), re.M)}
    listed = run([LLVM / "llvm-nm", "--undefined-only", "--just-symbol-name", *objects]).split()
    used = sorted({name.removeprefix("__imp_") for name in listed if re.match(r"(__imp_)?_?Py", name)})
    if strange := [name for name in used if name not in stable]:
        give_up(f"the binding uses {', '.join(strange)}, which the stable ABI lacks")
    definitions = folder / "python3.def"
    definitions.write_text("LIBRARY python3.dll\nEXPORTS\n" + "".join(
        f"  {name}{' DATA' if stable[name] == 'DATA' else ''}\n" for name in used))
    run([LLVM / "llvm-dlltool", "-m", "i386:x86-64", "-d", definitions, "-l", folder / "libpython3.a"])
    return folder / "libpython3.a"


def build_binding(system, zig, build, folder, prefix):
    """Compiles the extension module for the stable ABI of Python 3.12."""
    binding, objects = folder / "binding", []
    binding.mkdir(parents=True, exist_ok=True)
    source, headers = python_headers(system, build)
    flags = ["-target", system.target, "-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-strict-aliasing",
             "-DNDEBUG", "-DNB_COMPACT_ASSERTIONS", "-DPy_LIMITED_API=0x030C0000", "-include", "cstdio",
             *(f"-I{header}" for header in headers),
             f"-I{nanobind() / 'include'}", f"-I{nanobind() / 'ext/robin_map/include'}", f"-I{ROOT}", f"-I{ROOT / 'include'}"]
    if system.name.startswith("windows"):
        flags.remove("-fPIC")
    for file in [*sorted((ROOT / "python/binding").glob("*.cpp")), nanobind() / "src/nb_combined.cpp"]:
        objects.append(binding / f"{file.stem}.o")
        compiler = ROOT / "build/cross/bin" / f"{system.target}-c++"  # cmake/cross/Zig.cmake wrote it
        run(["ccache", compiler, *flags[2:], "-c", file, "-o", objects[-1]])
    result = binding / pathlib.Path(system.binding).name
    link = [zig, "c++", "-target", system.target, "-shared", "-o", result, *objects]
    link += [prefix / "lib/libpumice.dll.a"] if system.name.startswith("windows") else [f"-L{prefix / 'lib'}", "-lpumice"]
    link += {"linux": ["-s", "-Wl,-rpath,$ORIGIN/lib"],
             "macos": ["-Wl,-undefined,dynamic_lookup", "-Wl,-rpath,@loader_path/lib", f"-Wl,-install_name,@rpath/{result.name}"],
             "windows": ["-s"]}[system.name.split("-")[0]]
    if system.name.startswith("windows"):
        link.append(python_library(source, objects, binding))
    run(link)
    return result


def exports(file):
    """Returns the names that a library exports."""
    if file.suffix in (".dll", ".pyd"):
        lines = run([LLVM / "llvm-readobj", "--coff-exports", file]).splitlines()
        return {line.split()[1] for line in lines if line.strip().startswith("Name:") and len(line.split()) > 1}
    elf = file.read_bytes()[:4] == b"\x7fELF"
    listed = run([LLVM / "llvm-nm", "--extern-only", "--defined-only", *(["--dynamic"] if elf else []), file])
    return {line.split()[-1].removeprefix("" if elf else "_") for line in listed.splitlines() if line.strip()}


def dependencies(file):
    """Returns the names of the libraries that a library needs, without libpumice."""
    if file.suffix in (".dll", ".pyd"):
        text = run([LLVM / "llvm-readobj", "--coff-imports", file])
        names = re.findall(r"^Import \{\n\s+Name: (\S+)", text, re.M)
    elif file.read_bytes()[:4] == b"\x7fELF":
        names = re.findall(r"\(NEEDED\).*\[(.*)\]", run([LLVM / "llvm-readelf", "--dynamic", file]))
    else:
        text = run([LLVM / "llvm-objdump", "--macho", "--dylibs-used", file])
        names = [line.split()[0] for line in text.splitlines()[1:]]
    # A library of macOS also names itself.
    own = rf"^(@rpath/)?(libpumice\.(so\.1|1\.dylib|dll)|{re.escape(file.name)})$"
    return sorted({name for name in names if not re.search(own, name)})


def oldest_system(system, file):
    """Returns the oldest system that can load the file, as text. Ends the tool if it is newer than promised."""
    if system.name.startswith("linux"):
        used = {tuple(map(int, found.split("."))) for found in
                re.findall(r"GLIBC_(\d+\.\d+)", run([LLVM / "llvm-readelf", "--version-info", file]))}
        if max(used) > GLIBC:
            give_up(f"{file.name} needs glibc {max(used)}; expected at most {GLIBC}")
        return f"glibc {max(used)[0]}.{max(used)[1]}"
    if system.name.startswith("macos"):
        said = run([sys.executable, ROOT / "tests/systems/check-signature.py", file]).strip()
        if "macOS 11.0 and later" not in said:
            give_up(f"{file.name}: expected macOS 11.0, got: {said}")
        return said
    text = run([LLVM / "llvm-readobj", "--file-headers", file])
    version = tuple(int(re.search(rf"{part}SubsystemVersion: (\d+)", text)[1]) for part in ("Major", "Minor"))
    if version > (10, 0):
        give_up(f"{file.name} needs Windows {version}")
    return "Windows 10, whose C library it imports"


def functions_of_headers():
    """Returns the functions that the C API's headers declare."""
    text = "".join(path.read_text() for path in sorted((ROOT / "include/pumice").rglob("*.h")))
    return set(re.findall(r"PUMICE_API\b[^;]*?\b(pumice_\w+)\(", text))


def judge(system, file, wanted):
    """Checks a library, and returns what it needs."""
    headers = run([LLVM / "llvm-readobj", "--file-header", file])
    if f"Format: {system.kind}" not in headers:
        give_up(f"{file} is not {system.kind}:\n{headers}")
    names = exports(file)
    if missing := sorted(wanted - names):
        give_up(f"{file.name} lacks {', '.join(missing[:5])}")
    # zig's linker always exports these from Mach-O: the header, and the operators of the C++ library inside. nanobind
    # exports its exceptions.
    allowed = r"pumice_\w+|PyInit__native|__dso_handle|_mh_dylib_header|_Z(nw|na|dl|da).*|_Z[A-Z]*8nanobind.*"
    if others := sorted(name for name in names if not re.fullmatch(allowed, name)):
        give_up(f"{file.name} exports {', '.join(others[:5])}")
    needs = dependencies(file)
    if strange := [name for name in needs if not re.fullmatch(system.needed, name)]:
        give_up(f"{file.name} needs {', '.join(strange)}, which {system} may lack")
    return f"{oldest_system(system, file)}; needs {', '.join(needs)}"


def make_archive(system, zig, prefix, folder, version):
    name = f"pumice-{version}-{system.name}"
    top = folder / "archive" / name
    shutil.rmtree(folder / "archive", ignore_errors=True)
    shutil.copytree(prefix, top, symlinks=True)
    add_licences(zig, top / "licenses")
    if system.name.startswith("windows"):
        made = folder.parent / f"{name}.zip"
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(path for path in top.rglob("*") if path.is_file()):
                archive.write(file, file.relative_to(top.parent))
    else:
        made = folder.parent / f"{name}.tar.gz"
        with tarfile.open(made, "w:gz") as archive:
            archive.add(top, name)
    return made


def metadata(version):
    text = (ROOT / "pyproject.toml").read_text()
    found = {key: re.search(rf'^{key} = "?(.*?)"?$', text, re.M)[1] for key in ("description", "license")}
    return (f"Metadata-Version: 2.4\nName: pumice\nVersion: {version}\nSummary: {found['description']}\n"
            f"License-Expression: {found['license']}\nLicense-File: LICENSE\nRequires-Python: >=3.12\n"
            "Requires-Dist: numpy>=1.26\n\n"
            "The runtime, without the compiler: it runs `.pumice` files, on Vulkan and OpenCL devices and on the CPU.\n")


def make_wheel(system, zig, binding, prefix, folder, version):
    """Writes the wheel: the package pumice, its binding, and the library."""
    tags = f"cp312-abi3-{system.platform}"
    information = f"pumice-{version}.dist-info"
    files = {f"{package}/{path.relative_to(ROOT / 'python' / package)}": path.read_bytes()
             for package in ("pumice", "pumice_hooks")
             for path in sorted((ROOT / "python" / package).rglob("*")) if path.suffix in (".py", ".pyi", ".typed")}
    files[system.binding] = binding.read_bytes()
    files[system.packaged] = (prefix / system.library).resolve().read_bytes()
    licences = folder / "licences"
    shutil.rmtree(licences, ignore_errors=True)
    add_licences(zig, licences)
    files |= {f"{information}/licenses/{path.relative_to(licences)}": path.read_bytes()
              for path in sorted(licences.rglob("*")) if path.is_file()}
    files[f"{information}/METADATA"] = metadata(version).encode()
    files[f"{information}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: make-packages\nRoot-Is-Purelib: false\n"
                                     f"Tag: {tags}\n").encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{information}/RECORD"] = (record + f"{information}/RECORD,,\n").encode()
    made = folder.parent / f"pumice-{version}-{tags}.whl"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name.replace(os.sep, "/"), (2026, 1, 1, 0, 0, 0))
            entry.external_attr = (0o755 if name in (system.binding, system.packaged) else 0o644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return made


@contextlib.contextmanager
def alone(folder):
    """Waits until no other process builds in the folder. Tests of one system may run at the same time."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make(system, build, version, only=None):
    """Makes the archive, the wheel or both, checks them, and returns their paths."""
    start, made = time.monotonic(), []
    zig, folder = find_zig(), build / "packages" / system.name
    with alone(folder):
        prefix = build_runtime(system, folder)
        library = (prefix / system.library).resolve()
        print(f"{system}\n  library: {judge(system, library, functions_of_headers())}", flush=True)
        if only != "wheel":
            made.append(make_archive(system, zig, prefix, folder, version))
        if only != "archive":
            binding = build_binding(system, zig, build, folder, prefix)
            print(f"  binding: {judge(system, binding, {'PyInit__native'})}", flush=True)
            made.append(make_wheel(system, zig, binding, prefix, folder, version))
    for file in made:
        print(f"  {file.name}: {file.stat().st_size / 1e6:.1f} MB")
    print(f"  made in {time.monotonic() - start:.0f} s", flush=True)
    return made


def current_version():
    return module(ROOT / "tools/make-release.py").version_of((ROOT / "include/pumice/pumice.h").read_text())


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    options.add_argument("--system", action="append", choices=list(SYSTEMS), help="only this system (repeatable)")
    options.add_argument("--only", choices=("archive", "wheel"), help="only this package")
    given = options.parse_args()
    for name in given.system or SYSTEMS:
        make(SYSTEMS[name], given.build.resolve(), current_version(), given.only)


if __name__ == "__main__":
    main()
