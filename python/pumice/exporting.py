"""Writes kernels as C or C++, so that programs launch them without Python."""
from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from . import _native
from .programs import Program

_LANGUAGES = ("c", "c++")


def export(kernel: Any, folder: str | os.PathLike[str], *, signature: Any = None, grid: Any = None,
           constexprs: Any = None, targets: Any = None, name: str | None = None, language: str = "c++",
           beside: bool = False, num_warps: int = 4, num_stages: int = 3, overlap: bool = False) -> list[pathlib.Path]:
    """Writes a kernel as C or C++: a header with a typed function, its source, the executable, and build files.

    Args:
        kernel: A Triton kernel (`@triton.jit`, also under `@triton.autotune` or `@triton.heuristics`), or a program
            of `pumice.compile` or `pumice.load`. The other arguments up to `targets` are for Triton's kernels.
        folder: Where the files go. The folder is made if it is missing.
        signature: The types of the arguments, as text in their order ("*fp32:16, i32, 1024") or as a dictionary.
            ":16" promises a multiple of 16, and ":1" the value 1. A list has several signatures: the launcher
            runs the most specific one that fits the arguments.
        grid: The grid of a launch: numbers, or a function of the arguments as `kernel[grid]` takes it. The
            launcher computes it if it is arithmetic of arguments and constants. Otherwise, and if it is None, the
            caller passes it.
        constexprs: The values of the kernel's constants: a dictionary, or a list of several. The launcher has a
            parameter for each constant that differs. An item of the list may be a pair of a dictionary and a
            function of the arguments: the first item whose function is true is used. `num_warps` and `num_stages`
            may be among the values. None means those of the autotuner.
        targets: What the kernel is compiled for, as for `pumice.compile`.
        name: The name of the files, and of what they declare. The default is the kernel's.
        language: "c" or "c++".
        beside: Whether the executable stays a file, which the program loads.
        num_warps: The warps of a program, as in a launch.
        num_stages: The stages of loops, as in a launch.
        overlap: Whether arguments may share memory that the kernel writes. Otherwise the launcher rejects that.

    Returns:
        The paths of the files.

    Raises:
        ValueError: If an argument does not fit the kernel.
        TypeError: If an argument has the wrong type.
        CompileError: If Triton rejects the kernel.
        OSError: If a file cannot be written.
    """
    files = exported_files(kernel, signature=signature, grid=grid, constexprs=constexprs, targets=targets, name=name,
                           language=language, beside=beside, num_warps=num_warps, num_stages=num_stages,
                           overlap=overlap)
    return write_files(pathlib.Path(folder), files)


def write_files(folder: pathlib.Path, files: dict[str, bytes]) -> list[pathlib.Path]:
    """Writes the files of an export, and returns their paths. Rejects to replace a file that no export made.

    The array of an older export, which an executable beside the sources replaces, is removed. Otherwise a build that
    takes all sources of the folder would compile it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / name for name in files]
    for path in paths:
        if path.suffix != ".pumice" and path.exists() and path.stat().st_size and not _is_of_export(path):
            raise FileExistsError(f"'{path}' exists, and no export made it; move it, or choose another folder or name")
    for path, data in zip(paths, files.values()):
        path.write_bytes(data)
    names = {path.name for path in paths}
    for source in (path for path in paths if path.suffix in (".c", ".cpp") and f"{path.stem}.pumice" in names):
        array = source.with_stem(f"{source.stem}_data")
        if array.is_file() and _is_of_export(array):
            array.unlink()
    return paths


def _is_of_export(path: pathlib.Path) -> bool:
    """Returns whether an export made a file."""
    return b"Made by " in path.read_bytes()[:1000]  # the comment at the top


def exported_files(kernel: Any, *, language: str = "c++", beside: bool = False, name: str | None = None,
                   **options: Any) -> dict[str, bytes]:
    """Returns the files of an export by name. `options` are those of `export`."""
    if language not in _LANGUAGES:
        raise ValueError(f"language is {language!r}; expected 'c' or 'c++'")
    if isinstance(kernel, Program):
        given = sorted(key for key in ("signature", "grid", "constexprs", "targets") if options.get(key) is not None)
        if given:
            raise ValueError(f"{', '.join(given)}: expected a Triton kernel with these, got a compiled program, which "
                             "has them already: leave them out")
        if name is None:
            name = _native.kernel_names(kernel.data)[0]
        plan: dict[str, Any] = {"line": "pumice.export"}
        inputs: Sequence[bytes] = [kernel.data]
    else:
        plan, inputs = planned(kernel, **options)
    plan |= {"name": plan["kernels"][0]["name"] if name is None else name, "language": language, "beside": beside}
    return dict(_native.export(json.dumps(plan), list(inputs)))


def planned(kernel: Any, **options: Any) -> tuple[dict[str, Any], Sequence[bytes]]:
    """Returns the plan of a Triton kernel, and the executables that it names. `options` are those of `export`."""
    return _prepare_function(kernel)(kernel, **options)


def _prepare_function(kernel: Any) -> Callable[..., tuple[dict[str, Any], Sequence[bytes]]]:
    """Returns the function that makes the plan and the executables of a kernel that is not compiled yet."""
    from importlib import metadata  # importing it takes longer than importing all of this package
    for entry in metadata.entry_points(group="pumice.export"):
        prepare = entry.load()
        if prepare.takes(kernel):
            return prepare.prepare
    raise TypeError(f"expected a Triton kernel (@triton.jit) or a program of pumice.compile, got {type(kernel).__name__}")


def check_mapping(given: object, what: str) -> Mapping[str, Any]:
    """Returns `given` if it is a dictionary with names as keys.

    Raises:
        TypeError: If it is something else.
    """
    if not isinstance(given, Mapping) or any(not isinstance(key, str) for key in given):
        raise TypeError(f"{what}: expected a dictionary of names and values, got {given!r}")
    return given
