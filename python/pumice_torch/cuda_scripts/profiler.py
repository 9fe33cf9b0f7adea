"""proton, Triton's profiler, by the host's clock: the library in Triton's wheel measures GPUs alone.

A session is a tree of scopes, and in them the kernels that Triton launched, each with its time, how often it ran, and
the bytes and operations that its launch metadata name. A scope without kernels, as around a product of PyTorch's, has
its own time. `finalize` writes the tree as proton does (NAME.hatchet), for proton's viewer.
"""
import functools
import json
import sys
import threading
import time

from pumice_hooks import after_import

MARK = "time (ns)"


class Node:
    def __init__(self, name):
        self.name, self.metrics, self.children = name, {}, {}

    def child(self, name):
        return self.children.setdefault(name, Node(name))

    def add(self, metrics):
        for metric, value in metrics.items():
            self.metrics[metric] = self.metrics.get(metric, 0) + value

    def has_time(self):
        return MARK in self.metrics or any(child.has_time() for child in self.children.values())

    def as_hatchet(self):
        metrics = dict(self.metrics)
        if MARK in metrics:
            metrics |= {"device_id": "0", "device_type": "CUDA"}
        return {"children": [child.as_hatchet() for child in self.children.values()],
                "frame": {"name": self.name, "type": "function"}, "metrics": metrics}


class Session:
    def __init__(self, name):
        self.name, self.root, self.is_active = name, Node("ROOT"), True

    def write(self):
        import torch
        properties = torch.cuda.get_device_properties(0)
        device = {"arch": "80", "bus_width": 64, "clock_rate": 1000000, "memory_clock_rate": 1000000,
                  "num_sms": properties.multi_processor_count}
        tree = self.root.as_hatchet()
        tree["metrics"] |= {"count": 0, MARK: 0}
        with open(f"{self.name}.hatchet", "w") as file:
            json.dump([tree, {"CUDA": {"0": device}}], file)


_sessions: dict = {}
_numbers = iter(range(1 << 62))
_open = threading.local()  # .scopes: names from the outermost to the innermost; .launches: what runs


def _scopes():
    if not hasattr(_open, "scopes"):
        _open.scopes, _open.launches = [], []
    return _open.scopes


def _nodes(*names):
    """Those of all active sessions, for these names within this thread's scopes."""
    for session in list(_sessions.values()):
        if session.is_active:
            node = session.root
            for name in (*_scopes(), *names):
                node = node.child(name)
            yield node


def _chosen(session):
    return [_sessions[session]] if session is not None and session in _sessions else \
        list(_sessions.values()) if session is None else []


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session, and returns its number. All but the name is taken, and makes no difference."""
    number = next(_numbers)
    if not _sessions:
        _watch_launches(True)
    _sessions[number] = Session("proton" if name is None else name)
    return number


def activate(session=None):
    for each in _chosen(session):
        each.is_active = True


def deactivate(session=None):
    for each in _chosen(session):
        each.is_active = False


def finalize(session=None, output_format=""):
    """Ends a session, or all of them, and writes the files."""
    if output_format not in ("", "hatchet", None):
        raise ValueError(f"output_format is '{output_format}'; times of the host are written as 'hatchet'")
    for each in _chosen(session):
        each.write()
    numbers = [session] if session is not None else list(_sessions)
    for number in numbers:
        _sessions.pop(number, None)
    if not _sessions:
        _watch_launches(False)


def profile(func=None, *, name=None, **named):
    """Decorates a function whose calls are a session each."""
    if func is None:
        return functools.partial(profile, name=name, **named)

    @functools.wraps(func)
    def call(*given, **more):
        session = start(name, **named)
        result = func(*given, **more)
        deactivate(session)
        return result

    return call


class Scope:
    """proton.scope: a context manager, or a decorator."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics

    def __enter__(self):
        _scopes().append(self.name)
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *error):
        elapsed = time.perf_counter_ns() - self._start
        nodes = list(_nodes())
        _scopes().pop()
        for node in nodes:
            # Time of kernels inside counts, not that of what launches them.
            measured = {} if any(child.has_time() for child in node.children.values()) else {MARK: elapsed, "count": 1}
            node.add({**(self.metrics or {}), **measured})

    def __call__(self, function):
        @functools.wraps(function)
        def call(*given, **named):
            with Scope(self.name, self.metrics):
                return function(*given, **named)

        return call


def enter_scope(name, *, metrics=None):
    if not _sessions:
        return None
    scope = Scope(name, metrics)
    _scopes()
    _open.entered = getattr(_open, "entered", [])
    _open.entered.append(scope.__enter__())
    return len(_open.entered)


def exit_scope(name=None, *, metrics=None):
    if not _sessions or not getattr(_open, "entered", None):
        return None
    scope = _open.entered.pop()
    if name and name != scope.name:
        raise ValueError(f"expected the end of scope '{scope.name}', got that of '{name}'")
    scope.metrics = {**(scope.metrics or {}), **(metrics or {})}
    scope.__exit__()
    return len(_open.entered) + 1


_METRICS = ("flops", "flops8", "flops16", "flops32", "flops64", "bytes")


def _enter(metadata):
    _scopes()
    known = metadata.get()
    _open.launches.append((known["name"], {key: known[key] for key in _METRICS if key in known}, time.perf_counter_ns()))


def _exit(metadata):
    _scopes()
    if _open.launches:
        name, metrics, begun = _open.launches.pop()
        elapsed = time.perf_counter_ns() - begun
        for node in _nodes(name):
            node.add({**metrics, MARK: elapsed, "count": 1})


def _watch_launches(on):
    from triton import knobs
    for hooks, hook in ((knobs.runtime.launch_enter_hook, _enter), (knobs.runtime.launch_exit_hook, _exit)):
        (hooks.add if on else hooks.remove)(hook)


def install():
    after_import("triton.profiler", _replace)


def _replace(proton):
    modules = [proton, *filter(None, (sys.modules.get(f"triton.profiler.{part}") for part in ("profile", "scope")))]
    for name, value in {"start": start, "activate": activate, "deactivate": deactivate, "finalize": finalize, "profile": profile,
                        "scope": Scope, "cpu_timed_scope": Scope, "enter_scope": enter_scope, "exit_scope": exit_scope}.items():
        for module in modules:
            if hasattr(module, name):
                setattr(module, name, value)
