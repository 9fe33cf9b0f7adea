"""Writes and reductions at places that elements choose.

Inductor's kernels need atomic additions, which only some types have, and no other reduction. Here elements are sorted
by their places, and each place reduces its own elements in order. So results do not depend on the order of threads.
With torch.use_deterministic_algorithms, all types are reduced so.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from ..kernels.scattering import reduce_chosen, reduce_rows, store_at
from . import decomposes
from .launches import blocks, launch
from .sorting import sorted_places

aten = torch.ops.aten

_BLOCK = 128
_KINDS = {"sum": 0, "mean": 0, "prod": 1, "amin": 2, "min": 2, "amax": 3, "max": 3}
_WITHOUT_ATOMICS = (torch.int64, torch.bool)


def wide(dtype: torch.dtype) -> torch.dtype:
    """Returns the type in which elements of a type are reduced."""
    if dtype in (torch.float16, torch.bfloat16):
        return torch.float32
    return dtype if dtype.is_floating_point else torch.int64


def identity(reduce: str, dtype: torch.dtype) -> float:
    """Returns the value that changes no result of a reduction."""
    kind = _KINDS[reduce]
    if kind < 2:
        return kind
    if dtype.is_floating_point:
        return math.inf if kind == 2 else -math.inf
    limits = torch.iinfo(dtype)
    return limits.max if kind == 2 else limits.min


def segments(rows: torch.Tensor, begins: torch.Tensor, ends: torch.Tensor, start: torch.Tensor, reduce: str) -> torch.Tensor:
    """Reduces runs of rows of a matrix, each run into a row of `start`."""
    inner, count = rows.shape[1], start.numel()
    if start.numel() == 0 or rows.numel() == 0:
        return start
    (made,) = launch(reduce_rows, (blocks(count, _BLOCK),), rows.reshape(-1), begins.long(),
                     ends.long(), start.reshape(-1), inner, count, outputs=["out"], KIND=_KINDS[reduce],
                     BLOCK=_BLOCK)
    return made.view(start.shape)


def _by_order(self: torch.Tensor) -> bool:
    """Returns whether a tensor is written in order, instead of by inductor's kernels."""
    return self.dtype in _WITHOUT_ATOMICS or torch.are_deterministic_algorithms_enabled()


def _strides(shape: Sequence[Any]) -> list[Any]:
    made, step = [], 1
    for size in reversed(shape):
        made.append(step)
        step = step * size
    return made[::-1]


def _places(shape: Sequence[Any], coordinates: Sequence[torch.Tensor]) -> torch.Tensor:
    """Returns the places of elements in contiguous memory, by their coordinates."""
    made: Any = 0
    for one, step in zip(coordinates, _strides(shape), strict=True):
        made = made + one * step
    return made


def _along(length: Any, dim: int, rank: int, device: torch.device) -> torch.Tensor:
    """Returns the numbers 0, 1, ... along a dimension."""
    return torch.arange(length, device=device).view([-1 if d == dim else 1 for d in range(rank)])


def _places_along(self: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    """Returns the places in `self` that an index along a dimension chooses."""
    rank = index.dim()
    return _places(self.shape, [index if d == dim else _along(index.shape[d], d, rank, index.device)
                                for d in range(rank)])


def _written(self: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Returns a copy of `self` with values at places."""
    if torch.are_deterministic_algorithms_enabled():
        return _last_written(self, places, values)
    count = places.numel()
    (made,) = launch(store_at, (blocks(count, _BLOCK),), self.reshape(-1), places.reshape(-1),
                     values.to(self.dtype).expand(places.shape).reshape(-1), count, outputs=["out"], BLOCK=_BLOCK)
    return made.view(self.shape)


def _last_written(self: torch.Tensor, places: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Returns a copy of `self` with values at places. Of several values for a place, the last one remains."""
    keys, order = sorted_places(places.reshape(1, -1))
    every = torch.arange(self.numel(), device=self.device)
    begins, ends = (torch.searchsorted(keys.reshape(-1), every, right=right) for right in (False, True))
    last = values.to(self.dtype).expand(places.shape).reshape(-1)[order.reshape(-1)[(ends - 1).clamp(min=0)]]
    return torch.where(ends > begins, last, self.reshape(-1)).view(self.shape)


def _reduced(self: torch.Tensor, places: torch.Tensor, values: torch.Tensor, reduce: str,
             include_self: bool = True) -> torch.Tensor:
    """Returns a copy of `self` whose elements are reduced with the values at their places."""
    kind = wide(self.dtype)
    keys, order = sorted_places(places.reshape(1, -1))
    keys = keys.reshape(-1)
    every = torch.arange(self.numel(), device=self.device)
    begins, ends = torch.searchsorted(keys, every), torch.searchsorted(keys, every, right=True)
    start = self.reshape(-1).to(kind)
    number = ends - begins
    if not include_self:
        start = torch.where(number > 0, identity(reduce, kind), start).to(kind)
    count = start.numel()
    (out,) = launch(reduce_chosen, (blocks(count, _BLOCK),), values.expand(places.shape).reshape(-1).to(kind),
                    order.reshape(-1), begins, ends, start, count, outputs=["out"], KIND=_KINDS[reduce], BLOCK=_BLOCK)
    if reduce == "mean":
        number = (number + 1 if include_self else number.clamp(min=1)).to(kind)
        out = out / number if kind.is_floating_point else torch.div(out, number, rounding_mode="floor")
    return out.to(self.dtype).view(self.shape)


@decomposes(aten.scatter_reduce.two)
def scatter_reduce(self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, reduce: str, *,
                   include_self: bool = True) -> Any:
    if reduce == "sum" and include_self and not _by_order(self):
        return NotImplemented
    if self.dim() == 0:
        made = scatter_reduce(self.view(1), 0, index.reshape(-1), src.reshape(-1), reduce, include_self=include_self)
        return made.view([])
    if index.numel() == 0:
        return self.clone()
    dim %= self.dim()
    src = src[tuple(slice(0, size) for size in index.shape)]
    return _reduced(self, _places_along(self, dim, index), src, reduce, include_self)


@decomposes(aten.scatter_add.default)
def scatter_add(self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> Any:
    if not _by_order(self):
        return NotImplemented
    return scatter_reduce(self, dim, index, src, "sum")


@decomposes(aten.index_reduce.default)
def index_reduce(self: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, reduce: str, *,
                 include_self: bool = True) -> Any:
    if self.dim() == 0:
        return scatter_reduce(self, 0, index, source, reduce, include_self=include_self)
    shape = [-1 if d == dim % self.dim() else 1 for d in range(self.dim())]
    return scatter_reduce(self, dim, index.view(shape).expand(source.shape), source, reduce, include_self=include_self)


@decomposes(aten.scatter.src)
def scatter(self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> Any:
    if not _by_order(self) or self.dim() == 0 or index.numel() == 0:
        return NotImplemented
    src = src[tuple(slice(0, size) for size in index.shape)]
    return _written(self, _places_along(self, dim % self.dim(), index), src)


@decomposes(aten.scatter.reduce)
def scatter_by(self: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, *, reduce: str) -> Any:
    return aten.scatter_reduce.two(self, dim, index, src, {"add": "sum", "multiply": "prod"}[reduce])


@decomposes(aten.scatter.value_reduce)
def scatter_value_by(self: torch.Tensor, dim: int, index: torch.Tensor, value: float, *, reduce: str) -> Any:
    return scatter_by(self, dim, index, torch.full(index.shape, value, dtype=self.dtype, device=self.device), reduce=reduce)


@decomposes(aten.index_put.default, aten._unsafe_index_put.default)
def index_put(self: torch.Tensor, indices: Sequence[torch.Tensor | None], values: torch.Tensor,
              accumulate: bool = False) -> Any:
    is_mask = any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in indices)
    if not _by_order(self) or self.dim() == 0 or is_mask or self.numel() == 0:
        return NotImplemented
    places = _places_of(self, indices)
    if places.numel() == 0:
        return self.clone()
    return _reduced(self, places, values, "sum") if accumulate else _written(self, places, values)


@decomposes(aten._index_put_impl_.default)
def index_put_impl_(self: torch.Tensor, indices: Sequence[torch.Tensor | None], values: torch.Tensor,
                    accumulate: bool = False, unsafe: bool = False) -> torch.Tensor:
    return self.copy_(aten.index_put.default(self, indices, values, accumulate))


def _places_of(self: torch.Tensor, indices: Sequence[torch.Tensor | None]) -> torch.Tensor:
    """Returns the places that indices choose, in the shape that `self[indices]` has."""
    chosen = [d for d, one in enumerate(indices) if one is not None]
    shared = torch.broadcast_tensors(*(indices[d] for d in chosen))
    rank = shared[0].dim()
    is_together = chosen == list(range(chosen[0], chosen[-1] + 1))
    others = [d for d in range(self.dim()) if d not in chosen]
    front = [d for d in others if is_together and d < chosen[0]]
    back = [d for d in others if d not in front]
    full = len(front) + rank + len(back)
    coordinates: list[Any] = [None] * self.dim()
    for d, one in zip(chosen, shared):
        wrapped = torch.where(one < 0, one + self.shape[d], one).long()
        coordinates[d] = wrapped.reshape([1] * len(front) + list(wrapped.shape) + [1] * len(back))
    for place, d in [*enumerate(front), *enumerate(back, len(front) + rank)]:
        coordinates[d] = _along(self.shape[d], place, full, self.device)
    return _places(self.shape, coordinates)


@decomposes(aten.index_select.default)
def index_select(self: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    """Selects rows with the CPU's checks. Inductor's own accepts several places in a single number."""
    dim = torch._prims_common.canonicalize_dim(self.dim(), dim)
    if index.dtype not in (torch.int32, torch.int64):
        raise RuntimeError(f"index_select(): expected an index of type int32 or int64, got {index.dtype}")
    if index.dim() > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if self.dim() == 0:
        if index.numel() != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
        return self.clone()
    return aten.index.Tensor(self, [None] * dim + [index.reshape(-1)])


@decomposes(aten.segment_reduce.default)
def segment_reduce(data: torch.Tensor, reduce: str, *, lengths: torch.Tensor | None = None,
                   indices: torch.Tensor | None = None, offsets: torch.Tensor | None = None, axis: int = 0,
                   unsafe: bool = False, initial: float | None = None) -> torch.Tensor:
    """Reduces runs of elements along a dimension. Their lengths, or where they begin and end, differ between rows."""
    axis %= data.dim()
    if offsets is None:
        assert lengths is not None
        ends = lengths.cumsum(-1)
        begins = ends - lengths
    else:
        begins, ends = offsets[..., :-1], offsets[..., 1:]
    shape = [*begins.shape, *data.shape[axis + 1:]]
    outer = _strides(data.shape[:axis])
    first: Any = 0
    for d, step in enumerate(outer):
        first = first + _along(data.shape[d], d, axis + 1, data.device) * (step * data.shape[axis])
    number = ends - begins
    kind = wide(data.dtype)
    rows = data.reshape(math.prod(data.shape[:axis + 1]), -1).to(kind)
    start = identity(reduce, kind) if initial is None else initial
    made = segments(rows, (begins + first).reshape(-1), (ends + first).reshape(-1),
                    torch.full((begins.numel(), rows.shape[1]), start, dtype=kind, device=data.device), reduce)
    if reduce == "mean":
        number = number.reshape(-1, 1)
        made = torch.where(number > 0, made / number, torch.nan if initial is None else made)
    return made.to(data.dtype).view(shape)


@decomposes(aten._segment_reduce_backward.default)
def segment_reduce_backward(grad: torch.Tensor, output: torch.Tensor, data: torch.Tensor, reduce: str, *,
                            lengths: torch.Tensor | None = None, offsets: torch.Tensor | None = None, axis: int = 0,
                            initial: float | None = None) -> torch.Tensor:
    axis %= data.dim()
    if offsets is None:
        assert lengths is not None
        ends = lengths.cumsum(-1)
        begins = ends - lengths
    else:
        begins, ends = offsets[..., :-1].contiguous(), offsets[..., 1:]
    # The segment of each element along the dimension: the last that begins there or before.
    place = torch.arange(data.shape[axis], device=data.device, dtype=begins.dtype).expand(*data.shape[:axis + 1])
    segment = (torch.searchsorted(begins, place.contiguous(), right=True) - 1).clamp(min=0)
    fits = (place >= torch.gather(begins, -1, segment)) & (place < torch.gather(ends, -1, segment))
    inner = [1] * (data.dim() - axis - 1)
    chosen = segment.view(*segment.shape, *inner).expand(data.shape)

    def of_segments(values: torch.Tensor) -> torch.Tensor:
        return torch.gather(values, axis, chosen)

    gradient = of_segments(grad)
    if reduce == "mean":
        gradient = gradient / of_segments((ends - begins).view(*begins.shape, *inner).expand(output.shape)).to(data.dtype)
    elif reduce in ("min", "max", "amin", "amax"):
        best = of_segments(output)
        is_best = (data == best) | (data.isnan() & best.isnan())
        counts = torch.zeros_like(output).scatter_add(axis, chosen, is_best.to(data.dtype))
        gradient = torch.where(is_best, gradient / of_segments(counts), 0)
    elif reduce == "prod":
        zeros = torch.zeros_like(output).scatter_add(axis, chosen, (data == 0).to(data.dtype))
        others = _products_without_zeros(data, chosen, output, axis, initial)
        all_others = torch.where(data == 0, of_segments(others), of_segments(others) / torch.where(data == 0, 1, data))
        has_zero = of_segments(zeros) - (data == 0).to(data.dtype) > 0
        gradient = torch.where(has_zero, 0, gradient * all_others)
    return torch.where(fits.view(*fits.shape, *inner), gradient, 0)


def _products_without_zeros(data: torch.Tensor, chosen: torch.Tensor, output: torch.Tensor, axis: int,
                            initial: float | None) -> torch.Tensor:
    """Returns the products of the elements of segments that are not 0."""
    start = torch.full_like(output, 1 if initial is None else initial)
    return scatter_reduce(start, axis, chosen, torch.where(data == 0, 1, data), "prod")
