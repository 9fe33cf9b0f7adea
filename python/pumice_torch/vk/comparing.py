"""Repeats operators of vk on the CPU, and compares the results: torch.vk.comparing(), or PUMICE_VK_COMPARE=1."""
from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten
VARIABLE = "PUMICE_VK_COMPARE"  # autoload.py calls `begin` if it is set
_ACTIONS = ("raise", "warn")

# The relative error that each type allows, of an element and of the largest element.
_TOLERANCES = {torch.float64: 1e-7, torch.float32: 1e-4, torch.float16: 5e-3, torch.bfloat16: 3e-2}
# Results that nobody promised, or that depend on addresses.
_SKIPPED = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted", "resize_", "set_",
            "record_stream", "_pin_memory", "is_pinned"}
# Equal elements may come in any order, so only the values are compared.
_ORDERED = {"sort", "topk", "kthvalue", "median", "nanmedian", "mode", "max", "min", "max_pool2d_with_indices",
            "max_pool3d_with_indices"}


class Mismatch(RuntimeError):
    """Says which operator of vk differs from the CPU's, and where."""


def _attention(query: Any, key: Any, value: Any, bias: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
               return_debug_mask: bool = False, compute_log_sumexp: bool = False, *, scale: float | None = None) -> Any:
    """Returns the first result of vk's attention. The others are for its gradient alone."""
    if dropout_p > 0:
        raise NotImplementedError("random numbers differ")
    return aten._scaled_dot_product_attention_math(query, key, value, bias, dropout_p, is_causal, scale=scale)[0]


# The CPU's operators for those that only other devices have.
_OTHERS: dict[Any, Callable[..., Any]] = {
    aten._scaled_dot_product_fused_attention_overrideable.default: _attention,
}


class Comparing(TorchDispatchMode):
    """A context in which each operator of vk also runs on the CPU."""

    def __init__(self, action: str = "raise") -> None:
        super().__init__()
        if action not in _ACTIONS:
            raise ValueError(f"expected one of {', '.join(map(repr, _ACTIONS))} as the action, got {action!r}")
        self.action = action
        self.compared: dict[str, int] = {}  # calls by operator
        self.skipped: dict[str, int] = {}   # those without a result to compare

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if not any(map(_is_of_vk, _leaves((args, kwargs)))):
            return func(*args, **kwargs)
        name = str(func)
        expected = None
        # This is the state before the call, which may write its arguments.
        copies = None if _is_skipped(func) else _Copies().move((args, kwargs))
        made = func(*args, **kwargs)
        if copies is not None:
            try:
                expected = _OTHERS.get(func, func)(*copies[0], **copies[1])
            except (NotImplementedError, RuntimeError):  # the CPU lacks the operator, or rejects the call
                copies = None
        counts = self.skipped if copies is None else self.compared
        counts[name] = counts.get(name, 0) + 1
        if copies is not None:
            written = zip(_written(func, args, kwargs), _written(func, *copies), strict=True)
            pairs = [*written, *_results(func, made, expected)]
            difference = next(filter(None, (_difference(one, other, args) for one, other in pairs)), "")
            if difference:
                self._report(f"{name} on vk differs from the CPU: {difference}. Its arguments are {_described(args, kwargs)}")
        return made

    def _report(self, message: str) -> None:
        if self.action == "raise":
            raise Mismatch(message)
        warnings.warn(message, stacklevel=3)


def begin() -> None:
    """Compares in the whole process, if PUMICE_VK_COMPARE is 1 ("raise") or "warn"."""
    asked = os.environ[VARIABLE]
    if asked not in ("1", *_ACTIONS):
        warnings.warn(f"{VARIABLE} is {asked!r}; expected 0, 1, 'raise' or 'warn'", stacklevel=2)
        return
    Comparing("raise" if asked == "1" else asked).__enter__()


def _leaves(value: Any) -> list[Any]:
    """Returns what lists, tuples and dictionaries hold."""
    if isinstance(value, dict):
        return _leaves(list(value.values()))
    return [leaf for part in value for leaf in _leaves(part)] if isinstance(value, list | tuple) else [value]


def _mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Returns a value with the function's results in the place of what lists, tuples and dictionaries hold."""
    if isinstance(value, dict):
        return {key: _mapped(function, part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_mapped(function, part) for part in value)
    return function(value)


def _is_of_vk(value: Any) -> bool:
    return isinstance(value, torch.Tensor | torch.device) and (
        value.device if isinstance(value, torch.Tensor) else value).type == "vk"


def _is_skipped(func: Any) -> bool:
    if func in _OTHERS:
        return False
    return (torch.Tag.nondeterministic_seeded in func.tags or func.namespace != "aten"
            or func._schema.name.partition("::")[2] in _SKIPPED)


class _Copies:
    """Copies arguments to the CPU. Tensors that share memory share it there, too."""

    def __init__(self) -> None:
        self._memory: dict[tuple[int, torch.dtype], torch.Tensor] = {}

    def move(self, value: Any) -> Any:
        return _mapped(self._leaf, value)

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, torch.device):
            return torch.device("cpu") if value.type == "vk" else value
        if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
            return value
        if value.is_conj():
            return self._leaf(value.conj()).conj()
        if value.is_neg():
            return self._leaf(value._neg_view())._neg_view()
        value = value.detach()
        storage = value.untyped_storage()
        key = storage._cdata, value.dtype
        if key not in self._memory:
            flat = torch.empty(0, dtype=value.dtype, device=value.device)
            flat.set_(storage, 0, (storage.nbytes() // value.element_size(),))
            self._memory[key] = flat.to("cpu", copy=True)
        return self._memory[key].as_strided(value.size(), value.stride(), value.storage_offset())


def _written(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Returns the tensors among the arguments that the operator writes."""
    schema = func._schema.arguments
    given = {**dict(zip((one.name for one in schema), args, strict=False)), **kwargs}
    return [tensor for one in schema if one.alias_info is not None and one.alias_info.is_write
            for tensor in _leaves(given.get(one.name)) if isinstance(tensor, torch.Tensor)]


def _results(func: Any, made: Any, expected: Any) -> list[tuple[Any, Any]]:
    """Returns the pairs of results that must agree."""
    pairs = list(zip(_leaves(made), _leaves(expected), strict=False))
    if func._schema.name.partition("::")[2] in _ORDERED and len(pairs) > 1:
        return [pair for pair in pairs if not (isinstance(pair[0], torch.Tensor) and pair[0].dtype == torch.int64
                                               and pair[0] is not pairs[0][0])]
    return pairs


def _difference(one: Any, other: Any, args: Any) -> str:
    """Returns how a result differs from the CPU's, or nothing."""
    if not isinstance(other, torch.Tensor):
        if not isinstance(other, int | float) or isinstance(other, bool) or not isinstance(one, int | float):
            return "" if one == other else f"got {one!r}, expected {other!r}"
        one, other = torch.tensor(float(one), dtype=torch.float64), torch.tensor(float(other), dtype=torch.float64)
    if not isinstance(one, torch.Tensor):
        return f"got {one!r}, expected a tensor"
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"got {_kind(one)}, expected {_kind(other)}"
    if other.layout != torch.strided or other.numel() == 0:
        return ""
    one = one.detach().cpu().resolve_conj().resolve_neg()
    other = other.detach().resolve_conj().resolve_neg()
    wide = (torch.complex128 if other.is_complex() else torch.float64 if other.is_floating_point() else torch.int64)
    mine, its = one.to(wide), other.to(wide)
    if other.is_floating_point() or other.is_complex():
        kinds = [tensor.dtype for tensor in (other, *filter(_is_real, _leaves(args)))]
        tolerance = max(_TOLERANCES.get(kind, 1e-4) for kind in kinds)
        finite = its.abs()[its.isfinite()]
        largest = float(finite.max()) if finite.numel() else 0.0
        inputs = max((float(one.detach().abs().double().nan_to_num(0, 0, 0).max()) for one in filter(_is_real, _leaves(args))
                      if one.numel()), default=0.0)
        apart = (mine - its).abs()
        wrong = ~((apart <= tolerance * (its.abs() + largest) + 1e-6 * inputs) | (mine == its) | (mine.isnan() & its.isnan()))
    else:
        wrong, apart = mine != its, (mine - its).abs()
    if not wrong.any():
        return ""
    place = int(torch.where(wrong, apart.double().nan_to_num(torch.inf), -1).flatten().argmax())
    where = tuple(int(part) for part in torch.unravel_index(torch.tensor(place), other.shape))
    return (f"{int(wrong.sum())} of {other.numel()} elements; at {where} it is {mine.flatten()[place].item()}, "
            f"expected {its.flatten()[place].item()}")


def _is_real(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point() and value.layout == torch.strided


def _kind(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


def _described(args: Any, kwargs: Any) -> str:
    def one(value: Any) -> str:
        if isinstance(value, torch.Tensor):
            strides = "" if value.layout != torch.strided or value.is_contiguous() else f" with strides {list(value.stride())}"
            return _kind(value) + strides
        if isinstance(value, list | tuple):
            return f"[{', '.join(map(one, value))}]"
        return repr(value)
    return ", ".join((*map(one, args), *(f"{name}={one(value)}" for name, value in kwargs.items())))
