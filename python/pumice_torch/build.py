"""Compiles the library of torch.device("vk") for the PyTorch that is installed.

    python -m pumice_torch.build

The wheel has libraries for some minor versions of PyTorch. For another version, this compiles one, once, in some minutes.
It needs a C++ compiler: the one that CXX names, c++, g++, or clang++. Pumice's cache folder keeps the library.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import functools
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

OLDEST = (2, 11)
_NAME = "libpumice-torch-{}.so"
_SHIM = Path(__file__).parent / "shim"


class BuildError(RuntimeError):
    """Reports that the library cannot be compiled, and what to do about it."""


def torch_folder() -> Path:
    """Returns the folder of PyTorch's package, without importing it.

    Raises:
        BuildError: If PyTorch is not installed.
    """
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise BuildError("PyTorch is not installed; install it by pip install torch")
    return Path(spec.submodule_search_locations[0])


@functools.cache
def torch_version() -> str:
    """Returns PyTorch's version, such as "2.13.0+cpu", without importing PyTorch.

    The package's metadata may lack what is behind the plus sign.

    Raises:
        BuildError: If PyTorch is not installed, or does not say its version.
    """
    file = torch_folder() / "version.py"
    found = re.search(r"^__version__ = ['\"]([^'\"]+)", file.read_text(), re.M) if file.exists() else None
    if found is None:
        raise BuildError(f"{file} does not say PyTorch's version; install PyTorch again")
    return found[1]


def minor(version: str) -> str:
    """Returns a version as libraries are named: "2.13"."""
    return ".".join(version.split(".")[:2])


def packaged() -> Path:
    """Returns where the library for this PyTorch is in the package, if the package has it."""
    return Path(__file__).parent / "lib" / _NAME.format(minor(torch_version()))


@functools.cache
def sources() -> tuple[Path, ...]:
    """Returns the files of the library in C++, with those that it shares with Pumice, and the headers of Pumice's C API."""
    return tuple(sorted(path for folder in ("python/torch_shim", "support", "include/pumice")
                        for path in (_SHIM / folder).rglob("*") if path.suffix in (".cpp", ".h")))


def compiled() -> Path:
    """Returns where the library for this PyTorch and these sources is kept once it is compiled."""
    from pumice_triton.devices import cache_folder
    digest = hashlib.sha256(torch_version().encode())
    for path in sources():
        digest.update(path.read_bytes())
    return cache_folder() / "torch" / f"{Path(_NAME.format(minor(torch_version()))).stem}-{digest.hexdigest()[:16]}.so"


def find() -> Path | None:
    """Returns the library for this PyTorch: that of the package, or one that was compiled here. None if there is neither."""
    return next((path for make in (packaged, compiled) if (path := make()).exists()), None)


def _runtime() -> Path:
    spec = importlib.util.find_spec("pumice")
    folder = Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else Path()
    for path in (folder / "lib", folder.parents[1] / "lib" if len(folder.parents) > 1 else folder):
        if (path / "libpumice.so.1").exists():
            return path / "libpumice.so.1"
    raise BuildError(f"Pumice's library libpumice.so.1 is not in {folder / 'lib'}; install Pumice again")


def _compiler() -> list[str]:
    named = os.environ.get("CXX")
    if named:
        command = shlex.split(named)
        if shutil.which(command[0]):
            return command
        raise BuildError(f"CXX is '{named}', which is not a program; set it to a C++ compiler, or unset it")
    for name in ("c++", "g++", "clang++"):
        if shutil.which(name):
            return [name]
    raise BuildError("no C++ compiler was found (c++, g++, clang++); install one (on Debian: apt install g++), or name it by CXX")


def _same_names(compiler: list[str]) -> list[str]:
    """Returns the options with which the compiler names templates as PyTorch's wheels do."""
    done = subprocess.run([*compiler, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    clang = re.search(r"clang version (\d+)", done.stdout)
    return ["-fclang-abi-compat=17"] if clang and int(clang[1]) >= 18 else []


def _run(command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        lines = done.stdout.strip().splitlines()
        errors = [line for line in lines if "error" in line.lower()] or lines[-1:] or [f"status {done.returncode}"]
        raise BuildError(f"{command[0]} failed for PyTorch {torch_version()}: {errors[0]}")


def _show(progress: str) -> None:
    """Writes how far the compilation is over the last such line, if someone looks at a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{progress}", end="", file=sys.stderr, flush=True)


def _try_to_load(library: Path) -> None:
    """Loads the library in another process, since one for another PyTorch may lack functions."""
    code = "import ctypes, sys, torch; ctypes.CDLL(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(library)], env={**os.environ, "PUMICE_VK": "0"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        last = (done.stdout.strip().splitlines() or [f"status {done.returncode}"])[-1]
        raise BuildError(f"the library compiled for PyTorch {torch_version()} cannot be loaded: {last}; try another compiler by "
                         "CXX, or a version of PyTorch that the wheel has a library for")


def build() -> Path:
    """Compiles the library for this PyTorch into the cache folder, and returns where it is.

    Raises:
        BuildError: If PyTorch, its headers or a compiler are missing, or the compiler fails, or its result cannot be loaded.
    """
    torch, target, compiler, runtime = torch_folder(), compiled(), _compiler(), _runtime()
    version = torch_version()
    if tuple(int(part) for part in minor(version).split(".")) < OLDEST:
        raise BuildError(f"torch.device('vk') needs PyTorch {OLDEST[0]}.{OLDEST[1]} or later, got {version}; install a newer one")
    if not (torch / "include/torch/library.h").exists():
        raise BuildError(f"{torch} has no C++ headers (include/torch/library.h); install PyTorch's wheel")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        options = ["-std=c++20", "-O2", "-fPIC", "-fvisibility=hidden", "-w", f"-I{_SHIM}", f"-isystem{torch / 'include'}",
                   f"-isystem{torch / 'include/torch/csrc/api/include'}",
                   *_same_names(compiler)]
        files = [path for path in sources() if path.suffix == ".cpp"]
        objects = [folder / f"{number}.o" for number in range(len(files))]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            runs = pool.map(_run, ([*compiler, *options, "-c", str(file), "-o", str(one)]
                                   for file, one in zip(files, objects, strict=True)))
            for done, _ in enumerate(runs, 1):
                _show(f"{done} of {len(files)} files" if done < len(files) else "")
        made = folder / target.name
        # Some compilers link their own C++ library, but there must be one for PyTorch and this.
        _run([*compiler, "-shared", "-o", str(made), *map(str, objects), str(runtime), f"-L{torch / 'lib'}", "-ltorch_cpu",
              "-lc10", "-l:libstdc++.so.6", f"-Wl,-rpath,{runtime.parent}"])
        _try_to_load(made)
        made.replace(target)
    return target


def _device(torch: Any, number: int) -> str:
    """Returns which device "vk:N" is, or why it cannot be opened."""
    name = torch.ops.pumice_vk.device_id(number)
    try:
        torch.vk.get_device_name(number)
    except Exception as error:  # noqa: BLE001 - the report says which
        return f"vk:{number} would be {name}, which cannot be opened: {(str(error).splitlines() or [''])[0]}"
    return f"vk:{number} is {name}"


def state() -> str:
    """Returns whether PyTorch knows "vk", and as which devices, or why not, in a line for pumice.doctor."""
    import torch
    vk = getattr(torch, "vk", None)
    if vk is not None:
        return ", ".join(_device(torch, number) for number in range(vk.device_count()))
    if os.environ.get("PUMICE_VK") in ("", "0"):
        return f"turned off by PUMICE_VK={os.environ['PUMICE_VK']}"
    if find() is None:
        return f"no library for PyTorch {minor(torch_version())}; python -m pumice_torch.build compiles one"
    return "off, since this PyTorch has a device of its own; PUMICE_VK=1 turns it on"


def main() -> int:
    """Compiles the library unless there is one, and prints where it is. Returns 1 if that fails."""
    options = argparse.ArgumentParser(prog="python -m pumice_torch.build", description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--again", action="store_true", help="compile even if there is a library")
    given = options.parse_args()
    try:
        found = None if given.again else find()
        if found is None:
            print(f"compiling torch.device('vk') for PyTorch {torch_version()}", flush=True)
            found = build()
    except BuildError as error:
        _show("")
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
