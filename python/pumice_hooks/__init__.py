"""Runs code when another package is imported, or once in a process.

`pumice`, `pumice_triton` and `pumice_torch` use it. It is a separate package because `import triton` imports
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
    """Returns a function that runs `function` at its first call, and then never again.

    It serves changes of other packages that may not run twice. Other threads that call it meanwhile wait. If `function`
    fails, the next call runs it again.
    """
    lock = threading.RLock()
    done: list[bool] = []

    @functools.wraps(function)
    def call() -> None:
        with lock:
            if not done:
                done.append(True)  # set before the call, since the function may call itself
                try:
                    function()
                except BaseException:
                    done.clear()
                    raise

    return call


def after_import(name: str, action: Callable[[types.ModuleType], object]) -> None:
    """Calls `action(module)` right after a package is imported, or now if it is imported already.

    Args:
        name: The package's name.
        action: The function to call. An error that it raises after an import becomes a warning.
    """
    module = sys.modules.get(name)
    if module is not None and not getattr(module.__spec__, "_initializing", False):
        action(module)
        return
    _actions.setdefault(name, []).append(action)
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher:
    """A finder of imports that asks the other finders, and makes their loaders call the actions."""

    def find_spec(self, name: str, path: Sequence[str] | None = None,
                  target: types.ModuleType | None = None) -> ModuleSpec | None:
        if name not in _actions:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)  # old finders lack it
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
                except Exception as error:  # noqa: BLE001 - the import must succeed anyway
                    _warn(f"pumice, after the import of {name}: {error}")

        loader.exec_module = load_and_tell


def _warn(text: str) -> None:
    """Warns. The import continues even if warnings are errors."""
    try:
        warnings.warn(text, stacklevel=2)
    except Warning:
        print(text, file=sys.stderr)
