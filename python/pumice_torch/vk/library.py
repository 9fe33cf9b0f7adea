"""Loads the library that implements "vk" in C++. There is one for each minor version of PyTorch."""
from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path

from .. import build


def path() -> Path | None:
    """Returns where the library for this PyTorch is, or None if there is none."""
    chosen = os.environ.get("PUMICE_TORCH_LIBRARY")
    return Path(chosen) if chosen else build.find()


@functools.cache
def load() -> ctypes.CDLL | None:
    """Loads the library, or returns None if there is none for this PyTorch.

    Raises:
        OSError: If the library exists, but cannot be loaded.
    """
    file = path()
    return ctypes.CDLL(str(file)) if file is not None and file.exists() else None


def is_loaded() -> bool:
    """Returns whether vk is implemented in this process."""
    return load() is not None


@functools.cache
def connect() -> None:
    """Lets launches of Triton's kernels take tensors of vk."""
    from pumice import _native
    loaded = load()
    if loaded is not None:
        _native.set_torch_device(*(ctypes.cast(loaded[f"pumice_vk_{name}"], ctypes.c_void_p).value or 0
                                   for name in ("find", "current_queue", "device", "keep_failure")))
