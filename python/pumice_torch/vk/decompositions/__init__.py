"""Decompositions of operators that inductor has no kernels for.

A decomposition computes an operator by others that have kernels. The modules of this folder register one function for
each operator, with its arguments. Plans of the operator, and of others that are composed of it, use the function. The
overload with `out` arguments and the one that works in place follow from it.
"""
from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch._ops import OpOverload as OpOverload  # other modules import it from here
from torch._ops import OpOverloadPacket

_MODULES = ("arithmetic", "backward", "bessel", "distances", "gamma", "incomplete_gamma", "losses", "polynomials",
            "pooling", "products", "random", "sampling", "scattering", "sorting")

Function = TypeVar("Function", bound=Callable[..., Any])

_functions: dict[OpOverload, Callable[..., Any]] = {}
_alone: dict[OpOverload, Callable[..., Any]] = {}


def decomposes(*operators: OpOverload) -> Callable[[Function], Function]:
    """Registers a function that computes these operators."""
    def register(function: Function) -> Function:
        for op in operators:
            _functions[op] = function
        return function
    return register


def decomposes_alone(*operators: OpOverload) -> Callable[[Function], Function]:
    """Registers a function that computes these operators, but not as parts of others."""
    def register(function: Function) -> Function:
        for op in operators:
            _alone[op] = function
        return function
    return register


@functools.cache
def table() -> dict[OpOverload, Callable[..., Any]]:
    """Returns the decompositions that are registered, by operator."""
    for module in _MODULES:
        importlib.import_module(f".{module}", __name__)
    return _functions


def without_out(op: OpOverload) -> tuple[OpOverload, bool] | None:
    """Returns the operator that makes the results of one with `out` arguments, or None if there is none.

    The second result says whether it also takes the results' type and device.
    """
    options = ("dtype", "layout", "device", "pin_memory")
    for ignored in ((), options):
        found = _overload(op, op.overloadpacket, ignored)
        if found is not None:
            return found, bool(ignored)
    return None


def _overload(op: OpOverload, packet: OpOverloadPacket,
              ignored: tuple[str, ...] = ()) -> OpOverload | None:
    """Returns the overload of a packet that changes nothing and has the same arguments, apart from outputs."""
    def signature(of: OpOverload, ignored: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        return [(one.name, str(one.type)) for one in of._schema.arguments if not one.is_out and one.name not in ignored]

    for name in packet.overloads():
        found: OpOverload = getattr(packet, name)
        if not found._schema.is_mutable and signature(found, ignored) == signature(op):
            return found
    return None


def function_of(op: OpOverload) -> Callable[..., Any] | None:
    """Returns a function that computes an operator with its own arguments, or None if none is registered."""
    def registered(op: OpOverload | None) -> Callable[..., Any] | None:
        return (table().get(op) or _alone.get(op)) if op is not None else None

    found = registered(op)
    if found is not None:
        return _or_itself(op, _without_generator(op, found))
    if any(argument.is_out for argument in op._schema.arguments):
        made = without_out(op)
        found = registered(made[0]) if made is not None else None
        if made is not None and found is not None and not made[1]:
            return _into_out(op, _or_itself(made[0], _without_generator(op, found)))
    base = op._schema.name.partition("::")[2]
    if base.endswith("_") and not base.endswith("__"):
        packet = getattr(torch.ops.aten, base[:-1], None)
        same = packet and _overload(op, packet)
        found = registered(same)
        if same is not None and found is not None:
            return _in_place(_or_itself(same, _without_generator(op, found)))
    return None


def _without_generator(op: OpOverload, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function. Plans take random numbers from the call's generator by themselves."""
    positional = [one.name for one in op._schema.arguments if not one.kwarg_only]
    if all(one.name != "generator" for one in op._schema.arguments):
        return function

    def call(*given: Any, **named: Any) -> Any:
        named.pop("generator", None)
        return function(*(one for name, one in zip(positional, given) if name != "generator"), **named)
    return call


def _or_itself(op: OpOverload, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that calls the operator itself if its decomposition returns NotImplemented."""
    def call(*given: Any, **named: Any) -> Any:
        made = function(*given, **named)
        return op(*given, **named) if made is NotImplemented else made
    return call


def _into_out(op: OpOverload, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that writes results into the arguments for them."""
    outs = [one.name for one in op._schema.arguments if one.is_out]

    def call(*given: Any, **named: Any) -> Any:
        into = [named.pop(name) for name in outs]
        made = function(*given, **named)
        for out, result in zip(into, (made,) if len(outs) == 1 else made, strict=True):
            if not torch.can_cast(result.dtype, out.dtype):
                raise RuntimeError(f"result type {result.dtype} cannot be cast to the type of out, {out.dtype}")
            out.copy_(result)
        return into[0] if len(outs) == 1 else tuple(into)
    return call


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that writes the result into the first argument."""
    def call(self: torch.Tensor, *given: Any, **named: Any) -> torch.Tensor:
        return self.copy_(function(self, *given, **named))
    return call
