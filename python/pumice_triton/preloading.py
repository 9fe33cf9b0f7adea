"""Kernels with functions among their constants, as `JITFunction.preload` and the hooks of Triton's JIT have them.

Triton 3.6 writes no function into its JSON, and later versions none that is in a tuple: hooks fail then, and nothing
can be preloaded. Functions are written here as Triton 3.7 has them, by module and name."""
import functools
import importlib

_KEY = "jit_function"


def serializes_functions(serialize):
    from triton.runtime.jit import JITFunction

    @functools.wraps(serialize)
    def serialize_with_functions(name, signature, constants, *rest):
        named = {path: _named(value, JITFunction) for path, value in constants.items()}
        return serialize(name, signature, named, *rest)

    return serialize_with_functions


def compiles_with_functions(compile):
    from triton.runtime.jit import JITFunction

    @functools.wraps(compile)
    def compile_with_functions(self, key, signature, device, constants, *rest, **more):
        found = {path: _found(value, JITFunction) for path, value in constants.items()}
        return compile(self, key, signature, device, found, *rest, **more)

    return compile_with_functions


def _named(value, function):
    """A constant as JSON has it: with functions by their names."""
    if isinstance(value, function):
        return {_KEY: f"{value.module}:{value.fn.__qualname__}"}
    if isinstance(value, tuple):
        return [_named(part, function) for part in value]
    return value


def _found(value, function):
    """The constant that JSON has."""
    if isinstance(value, dict) and _KEY in value:
        return _function_named(value[_KEY], function)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return tuple(_found(part, function) for part in value)
    return value


def _function_named(name, function):
    module, _, path = name.partition(":")
    try:
        found = functools.reduce(getattr, path.split("."), importlib.import_module(module))
        while not isinstance(found, function):
            found = found.fn  # of an autotuner
        return found
    except (ImportError, AttributeError):
        raise RuntimeError(f"the kernel has the function '{path}' of the module '{module}' for a constant, which is not "
                           "there: import what defines it, outside of other functions, before preloading") from None
