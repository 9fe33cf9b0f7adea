"""Tells the library of vk where plans are, and what compiles them. It imports nothing large."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import logging
import os
import pathlib
import queue
import threading
import warnings
from collections.abc import Callable
from typing import Any

import torch
from pumice_triton.devices import cache_folder
from pumice_triton.versions import REQUIREMENT

from ... import build
from .. import library, packs

_Compile = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int,
                            ctypes.c_int64, ctypes.c_char_p, ctypes.c_char_p)


def folder() -> pathlib.Path:
    """Returns the folder of plans. Plans of another build, or for another PyTorch, are in other folders."""
    chosen = os.environ.get("PUMICE_VK_PLANS")
    plans = pathlib.Path(chosen) if chosen else cache_folder() / "plans"
    return plans / f"{build.minor(torch.__version__)}-{build_key()}"


@functools.cache
def build_key() -> str:
    """Returns a key for what makes plans: files of this package and of the compiler, by their sizes and times."""
    package = pathlib.Path(__file__).parents[2]
    patterns = ("pumice_torch/vk/**/*.py", "pumice_triton/*.py", "pumice/*.so", "pumice/lib/*")
    files = [file for pattern in patterns for file in sorted(package.parent.glob(pattern))]
    found = library.path()
    return _digest([*files, found] if found else files)


def _digest(files: list[pathlib.Path]) -> str:
    """Returns a key for files, by their sizes and times. A build folder may have links to files that are gone."""
    said = [torch.__version__]
    for file in files:
        if file.exists():
            about = file.stat()
            said.append(f"{file}-{about.st_size}-{about.st_mtime_ns}")
    return hashlib.sha256(";".join(said).encode()).hexdigest()[:16]


def _silence_logs() -> None:
    """Keeps messages about plans out of PyTorch's logs. It makes new handlers when inductor is imported.

    PyTorch's log of traces removes its handler once it is called without TORCH_TRACE. Until then each trace is made, at
    a tenth of the time of a plan. So that handler has to be called.
    """
    for name, logger in list(logging.root.manager.loggerDict.items()):
        if name.partition(".")[0] == "torch" and name != "torch.__trace" and isinstance(logger, logging.Logger):
            for handler in logger.handlers:
                handler.addFilter(_is_of_others)


def _is_of_others(record: logging.LogRecord) -> bool:
    """Returns whether a message is not about a plan. Calls that no plan can serve are no errors."""
    return record.threadName != _NAME or "PUMICE_VK_PLANS_DEBUG" in os.environ


_NAME = "pumice plans"


class _Thread:
    """The thread that compiles plans. Its own state of PyTorch is the default one: no modes, no autocast."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tasks: queue.SimpleQueue[tuple[Callable[[], int], queue.SimpleQueue[Any]]] = queue.SimpleQueue()
        self._started_by = 0

    def call(self, function: Callable[[], int]) -> int:
        """Runs a function on the thread, and returns its result."""
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        with self._lock:
            if self._started_by != os.getpid():
                self._started_by = os.getpid()
                threading.Thread(target=self._run, name=_NAME, daemon=True).start()
        self._tasks.put((function, done))
        result = done.get()
        if isinstance(result, BaseException):
            raise result
        return int(result)

    def _run(self) -> None:
        loaded = library.load()
        assert loaded is not None
        loaded.pumice_vk_use_plans_no_more()  # inductor runs some operators, and may not wait for this thread
        while True:
            function, done = self._tasks.get()
            try:
                done.put(function())
            except BaseException as error:  # noqa: BLE001 - the caller raises it
                done.put(error)


_thread = _Thread()


def _compile(name: bytes, overload: bytes, arguments: bytes, level: int, device: int, key: bytes,
             path: bytes) -> int:
    def task() -> int:
        from . import building
        _silence_logs()
        return building.write_plan(name.decode(), overload.decode(), arguments.decode(), level, device,
                                   key.decode(), path.decode())

    try:
        return _thread.call(task)
    except KeyboardInterrupt:
        return 3
    except (ImportError, MemoryError, OSError) as error:
        _warn(error)
        return 0
    except BaseException as error:  # noqa: BLE001 - the caller is C++
        if os.environ.get("PUMICE_VK_PLANS_DEBUG"):
            import traceback
            traceback.print_exception(error)
        return 0


_warned: set[type] = set()


def _warn(error: BaseException) -> None:
    """Says once for each kind of error why operators cannot be compiled in this process."""
    if type(error) in _warned:
        return
    _warned.add(type(error))
    message = f"operators of vk run on the CPU, since they cannot be compiled: {type(error).__name__}: {error}"
    if isinstance(error, ImportError) and error.name == "triton":
        message += f". Install it: pip install '{REQUIREMENT}'"
    if isinstance(error, OSError):
        message += ". PUMICE_CACHE_DIR chooses another folder for plans"
    with contextlib.suppress(Warning):  # C++ calls, so it cannot be an error
        warnings.warn(message, stacklevel=3)


_callback = _Compile(_compile)  # lives as long as the library may call it


def connect() -> None:
    """Lets the library of vk use plans. PUMICE_VK_PLANS=0 leaves all operators to the CPU."""
    loaded = library.load()
    if loaded is None or os.environ.get("PUMICE_VK_PLANS") == "0":
        return
    loaded.pumice_vk_set_plan_compiler(str(folder()).encode(), _callback, ctypes.pythonapi.PyErr_SetInterrupt)
    packs.connect()
