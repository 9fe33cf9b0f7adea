"""Remembers the key of the installed Triton.

Triton computes this key in every process that compiles a kernel or finds it in its cache. It reads all of its library for
that, which takes 0.3 s. The key is the same as long as the files are.
"""
from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pathlib
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PARTS = ("runtime", "compiler", "backends", "language", "_C")  # the folders of Triton that its key depends on


def remembers_key(triton_key: Callable[[], str]) -> Callable[[], str]:
    """Returns a replacement of `triton_key` that takes the key from Pumice's cache if Triton's files are the same."""
    import triton

    from .devices import cache_folder
    package = pathlib.Path(triton.__file__).resolve().parent

    @functools.lru_cache
    @functools.wraps(triton_key)
    def key() -> str:
        if os.environ.get("PUMICE_CACHE") == "off":
            return triton_key()
        return known_key(triton_key, package, cache_folder() / "triton")

    return key


def known_key(triton_key: Callable[[], str], package: pathlib.Path, folder: pathlib.Path) -> str:
    """Returns the key of the Triton in a folder. It is kept in another folder, together with a stamp of Triton's files."""
    stamp = hashlib.sha256("\n".join([sys.version, *_stamps(package)]).encode()).hexdigest()
    path = folder / f"key-{stamp[:32]}"
    with contextlib.suppress(OSError, ValueError), open(path, encoding="utf-8") as file:
        kept, _, of = file.read().rpartition("\n")
        if of == stamp and kept and _is_own(file.fileno()):
            return kept
    key = triton_key()
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, draft = tempfile.mkstemp(dir=folder)
        with open(handle, "w", encoding="utf-8") as file:
            file.write(f"{key}\n{stamp}")
        os.replace(draft, path)
    return key


def _is_own(handle: int) -> bool:
    """Returns whether only this user may write a file."""
    if sys.platform == "win32":
        return True
    found = os.fstat(handle)
    return found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _stamps(package: pathlib.Path) -> Iterator[str]:
    """Yields the name, the size and the times of each file that the key depends on, in a fixed order."""
    for part in _PARTS:
        for folder, folders, files in os.walk(package / part, followlinks=True):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(files):
                if name.endswith((".py", ".so", ".pyd")):
                    path = os.path.join(folder, name)
                    found = os.stat(path)
                    yield f"{path} {found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
