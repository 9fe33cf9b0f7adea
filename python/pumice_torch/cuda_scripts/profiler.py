"""Replaces proton, Triton's profiler, by the host's clock: the library in Triton's wheel measures only GPUs.

A session is a tree of scopes. They hold the kernels that Triton launched. Each kernel has its time, its number of runs,
and the bytes and operations from its launch metadata. A scope without kernels, such as one around a product of
PyTorch's, has its own time. `finalize` writes the tree in proton's format (NAME.hatchet), for proton's viewer.
"""
from __future__ import annotations

import functools
import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from pumice_hooks import after_import

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MARK = "time (ns)"


class Node:
    """A scope or a kernel in the tree of a session."""

    def __init__(self, name: str) -> None:
        self.metrics: dict[str, Any]
        self.children: dict[str, Node]
        self.name, self.metrics, self.children = name, {}, {}

    def child(self, name: str) -> Node:
        """Returns the child with this name. Makes it if it is missing."""
        return self.children.setdefault(name, Node(name))

    def add(self, metrics: dict[str, Any]) -> None:
        """Adds these values to the node's."""
        for metric, value in metrics.items():
            self.metrics[metric] = self.metrics.get(metric, 0) + value

    def has_time(self) -> bool:
        """Returns whether the node or a child of it has a time."""
        return MARK in self.metrics or any(child.has_time() for child in self.children.values())

    def as_hatchet(self) -> dict[str, Any]:
        """Returns the node and its children in proton's format."""
        metrics = dict(self.metrics)
        if MARK in metrics:
            metrics |= {"device_id": "0", "device_type": "CUDA"}
        return {"children": [child.as_hatchet() for child in self.children.values()],
                "frame": {"name": self.name, "type": "function"}, "metrics": metrics}


class Session:
    """A session of the profiler."""

    def __init__(self, name: str) -> None:
        self.name, self.root, self.is_active = name, Node("ROOT"), True

    def write(self) -> None:
        """Writes the session's file."""
        import torch
        properties = torch.cuda.get_device_properties(0)
        device = {"arch": "80", "bus_width": 64, "clock_rate": 1000000, "memory_clock_rate": 1000000,
                  "num_sms": properties.multi_processor_count}
        tree = self.root.as_hatchet()
        tree["metrics"] |= {"count": 0, MARK: 0}
        with open(f"{self.name}.hatchet", "w") as file:
            json.dump([tree, {"CUDA": {"0": device}}], file)


_sessions: dict[int, Session] = {}
_numbers = iter(range(1 << 62))
_open = threading.local()  # `scopes`: names from the outermost to the innermost; `launches`: running kernels


def _scopes() -> list[str]:
    """Returns the names of this thread's scopes, from the outermost to the innermost."""
    if not hasattr(_open, "scopes"):
        _open.scopes, _open.launches = [], []
    return _open.scopes


def _nodes(*names: str) -> Iterator[Node]:
    """Yields the node of each active session that has these names within this thread's scopes."""
    for session in list(_sessions.values()):
        if session.is_active:
            node = session.root
            for name in (*_scopes(), *names):
                node = node.child(name)
            yield node


def _chosen(session: int | None) -> list[Session]:
    """Returns the session with this number, if there is one, or all sessions for None."""
    return [_sessions[session]] if session is not None and session in _sessions else \
        list(_sessions.values()) if session is None else []


def start(name: str | None = None, *, context: Any = "shadow", data: Any = "tree", backend: Any = None,
          mode: Any = None, hook: Any = None) -> int:
    """Begins a session, and returns its number. All arguments but the name are ignored."""
    number = next(_numbers)
    if not _sessions:
        _watch_launches(True)
    _sessions[number] = Session("proton" if name is None else name)
    return number


def activate(session: int | None = None) -> None:
    """Resumes a session, or all of them."""
    for each in _chosen(session):
        each.is_active = True


def deactivate(session: int | None = None) -> None:
    """Pauses a session, or all of them."""
    for each in _chosen(session):
        each.is_active = False


def finalize(session: int | None = None, output_format: str | None = "") -> None:
    """Ends a session, or all of them, and writes the files.

    Raises:
        ValueError: If the format is not "hatchet".
    """
    if output_format not in ("", "hatchet", None):
        raise ValueError(f"output_format is '{output_format}'; expected 'hatchet', the only format for times of the host")
    for each in _chosen(session):
        each.write()
    numbers = [session] if session is not None else list(_sessions)
    for number in numbers:
        _sessions.pop(number, None)
    if not _sessions:
        _watch_launches(False)


def profile(func: Any = None, *, name: str | None = None, **named: Any) -> Any:
    """Decorates a function, so that each of its calls is a session."""
    if func is None:
        return functools.partial(profile, name=name, **named)

    @functools.wraps(func)
    def call(*given: Any, **more: Any) -> Any:
        session = start(name, **named)
        result = func(*given, **more)
        deactivate(session)
        return result

    return call


class Scope:
    """Replaces proton.scope: a context manager, or a decorator."""

    def __init__(self, name: str, metrics: dict[str, Any] | None = None) -> None:
        self.name, self.metrics = name, metrics

    def __enter__(self) -> Scope:
        _scopes().append(self.name)
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *error: Any) -> None:
        elapsed = time.perf_counter_ns() - self._start
        nodes = list(_nodes())
        _scopes().pop()
        for node in nodes:
            # If there are kernels inside, their time counts, and the scope's own does not.
            measured = {} if any(child.has_time() for child in node.children.values()) else {MARK: elapsed, "count": 1}
            node.add({**(self.metrics or {}), **measured})

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*given: Any, **named: Any) -> Any:
            with Scope(self.name, self.metrics):
                return function(*given, **named)

        return call


def enter_scope(name: str, *, metrics: dict[str, Any] | None = None) -> int | None:
    """Enters a scope, and returns the number of open scopes, or None without a session."""
    if not _sessions:
        return None
    scope = Scope(name, metrics)
    _scopes()
    _open.entered = getattr(_open, "entered", [])
    _open.entered.append(scope.__enter__())
    return len(_open.entered)


def exit_scope(name: str | None = None, *, metrics: dict[str, Any] | None = None) -> int | None:
    """Leaves the innermost scope, and returns the number of scopes that were open, or None if none was.

    Raises:
        ValueError: If the innermost scope has another name.
    """
    if not _sessions or not getattr(_open, "entered", None):
        return None
    scope = _open.entered.pop()
    if name and name != scope.name:
        raise ValueError(f"expected the end of scope '{scope.name}', got that of '{name}'")
    scope.metrics = {**(scope.metrics or {}), **(metrics or {})}
    scope.__exit__()
    return len(_open.entered) + 1


_METRICS = ("flops", "flops8", "flops16", "flops32", "flops64", "bytes")


def _enter(metadata: Any) -> None:
    """Notes the beginning of a launch."""
    _scopes()
    known = metadata.get()
    _open.launches.append((known["name"], {key: known[key] for key in _METRICS if key in known}, time.perf_counter_ns()))


def _exit(metadata: Any) -> None:
    """Adds the time of the launch that ends."""
    _scopes()
    if _open.launches:
        name, metrics, begun = _open.launches.pop()
        elapsed = time.perf_counter_ns() - begun
        for node in _nodes(name):
            node.add({**metrics, MARK: elapsed, "count": 1})


def _watch_launches(on: bool) -> None:
    """Adds the two hooks above to Triton's launches, or removes them."""
    from triton import knobs
    for hooks, hook in ((knobs.runtime.launch_enter_hook, _enter), (knobs.runtime.launch_exit_hook, _exit)):
        (hooks.add if on else hooks.remove)(hook)


def install() -> None:
    """Replaces proton's functions once proton is imported."""
    after_import("triton.profiler", _replace)


def _replace(proton: Any) -> None:
    """Replaces proton's functions."""
    modules = [proton, *filter(None, (sys.modules.get(f"triton.profiler.{part}") for part in ("profile", "scope")))]
    for name, value in {"start": start, "activate": activate, "deactivate": deactivate, "finalize": finalize, "profile": profile,
                        "scope": Scope, "cpu_timed_scope": Scope, "enter_scope": enter_scope, "exit_scope": exit_scope}.items():
        for module in modules:
            if hasattr(module, name):
                setattr(module, name, value)
