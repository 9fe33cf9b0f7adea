"""What decompositions of element-wise operators share."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND
from torch._prims_common.wrappers import elementwise_type_promotion_wrapper

from . import OpOverload, decomposes


def of_floats(*operators: OpOverload, count: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers a function of floats for element-wise operators.

    It gets `count` tensors or numbers in the type that elements are computed in: that of the result, but f32 for
    narrower floats. Integers become floats.
    """
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        wrapped = promoting(function, count)
        decomposes(*operators)(wrapped)
        return wrapped
    return register


def promoting(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Returns a function of `count` operands that converts them to floats first, and the result to their type."""
    names = ("a", "b", "c")[:count]

    def one(a: Any) -> torch.Tensor:
        return function(a)

    def two(a: Any, b: Any) -> torch.Tensor:
        return function(*_tensors(a, b))

    made: Any = elementwise_type_promotion_wrapper(
        type_promoting_args=names, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.INT_TO_FLOAT)(
            one if count == 1 else two)
    return lambda *given: made(*given)


def _tensors(a: Any, b: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns both operands as tensors of one shape. At most one of them is a number."""
    if not isinstance(a, torch.Tensor):
        a = torch.full_like(b, a)
    if not isinstance(b, torch.Tensor):
        b = torch.full_like(a, b)
    return torch.broadcast_tensors(a, b)


def polynomial(x: torch.Tensor, coefficients: Sequence[float]) -> torch.Tensor:
    """Computes a polynomial, whose coefficients begin with that of the highest power."""
    made = torch.full_like(x, coefficients[0])
    for one in coefficients[1:]:
        made = made * x + one
    return made
