"""Runs code when another package is imported, or once in a process.

`pumice`, `pumice_triton` and `pumice_torch` use it. It is a package of its own because `import triton` imports
`pumice_triton`, which must not load the library of `pumice`.
"""
from __future__ import annotations

import functools
import sys
import threading
import types
import warnings
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from typing import Any

_actions: dict[str, list[Callable[[types.ModuleType], object]]] = {}


def once(function: Callable[[], object]) -> Callable[[], None]:
    """A function of no arguments that runs at its first call; other threads that call it meanwhile wait. What changes
    other packages may not run twice."""
    lock = threading.RLock()
    done: list[bool] = []

    @functools.wraps(function)
    def call() -> None:
        with lock:
            if not done:
                done.append(True)  # before: it may come to call itself
                try:
                    function()
                except BaseException:
                    done.clear()
                    raise

    return call


def after_import(name: str, action: Callable[[types.ModuleType], object]) -> None:
    """Calls `action(module)`: now, if the package is imported, else right after it was."""
    module = sys.modules.get(name)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        action(module)
        return
    _actions.setdefault(name, []).append(action)
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher:
    """Finds nothing itself: what the others find, it has tell when it is loaded."""

    def find_spec(self, name: str, path: Sequence[str] | None = None,
                  target: types.ModuleType | None = None) -> ModuleSpec | None:
        if name not in _actions:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)  # old ones lack it
            spec = find(name, path, target) if find else None
            if spec is not None:
                if hasattr(spec.loader, "exec_module"):
                    self._watch(name, spec.loader)
                return spec
        return None

    def _watch(self, name: str, loader: Any) -> None:
        load = loader.exec_module

        def load_and_tell(module: types.ModuleType) -> None:
            load(module)
            for action in _actions.pop(name, ()):
                try:
                    action(module)
                except Exception as error:  # noqa: BLE001 - whoever imports it is to have it all the same
                    _warn(f"pumice, after the import of {name}: {error}")

        loader.exec_module = load_and_tell


def _warn(text: str) -> None:
    """Also where warnings are errors the import goes on."""
    try:
        warnings.warn(text, stacklevel=2)
    except Warning:
        print(text, file=sys.stderr)
