"""Supports functions among a kernel's constants, for `JITFunction.preload` and the hooks of Triton's JIT.

Triton 3.6 cannot write functions into its JSON, and later versions cannot write those in tuples. Hooks then fail, and
nothing can be preloaded. This module writes functions as Triton 3.7 does, by module and name.
"""
from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_KEY = "jit_function"


def serializes_functions(serialize: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `serialize_specialization_data` that also writes functions."""
    from triton.runtime.jit import JITFunction

    @functools.wraps(serialize)
    def serialize_with_functions(name: str, signature: Any, constants: dict[Any, Any], *rest: Any) -> Any:
        named = {path: _named(value, JITFunction) for path, value in constants.items()}
        return serialize(name, signature, named, *rest)

    return serialize_with_functions


def compiles_with_functions(compile: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `JITFunction._do_compile` that finds the functions which JSON names."""
    from triton.runtime.jit import JITFunction

    @functools.wraps(compile)
    def compile_with_functions(self: Any, key: Any, signature: Any, device: Any, constants: dict[Any, Any], *rest: Any,
                               **more: Any) -> Any:
        found = {path: _found(value, JITFunction) for path, value in constants.items()}
        return compile(self, key, signature, device, found, *rest, **more)

    return compile_with_functions


def _named(value: Any, function: type[Any]) -> Any:
    """Returns a constant in its JSON form, with functions replaced by their names."""
    if isinstance(value, function):
        return {_KEY: f"{value.module}:{value.fn.__qualname__}"}
    if isinstance(value, tuple):
        return [_named(part, function) for part in value]
    return value


def _found(value: Any, function: type[Any]) -> Any:
    """Returns the constant that JSON represents, with names replaced by functions."""
    if isinstance(value, dict) and _KEY in value:
        return _function_named(value[_KEY], function)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return tuple(_found(part, function) for part in value)
    return value


def _function_named(name: str, function: type[Any]) -> Any:
    """Returns the kernel function with this "module:name".

    Raises:
        RuntimeError: If the module or the function is missing.
    """
    module, _, path = name.partition(":")
    try:
        found = functools.reduce(getattr, path.split("."), importlib.import_module(module))
        while not isinstance(found, function):
            found = found.fn  # an autotuner wraps it
        return found
    except (ImportError, AttributeError):
        raise RuntimeError(f"the kernel uses the function '{path}' of the module '{module}' as a constant, but it is not "
                           "there: import what defines it, outside of other functions, before preloading") from None
