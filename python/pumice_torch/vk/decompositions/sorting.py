"""Sorts of rows of any length, and what follows from them: the largest elements, medians, and most frequent values.

Elements become integers of the same order. A kernel sorts short runs, and others merge pairs of runs: each element
finds its place by a binary search in the other run. If only the first elements are wanted, merged runs are cut.
"""
from __future__ import annotations

from typing import Any

import torch

from ..kernels import sorting
from ..kernels.sorting import merge_runs, sort_runs
from . import decomposes
from .launches import blocks, launch

aten = torch.ops.aten

_RUN, _BLOCK = sorting.RUN.value, sorting.BLOCK.value


def sorted_places(keys: torch.Tensor, wanted: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
    """Sorts rows of integers.

    Returns:
        The first `wanted` keys of each row, or all of them, and the places where they were. Equal keys keep their order.
    """
    rows, length = keys.shape
    wanted = length if wanted is None else wanted
    count = rows * length
    written = ["out_keys", "out_places"]
    made, places = launch(sort_runs, (blocks(count, _BLOCK),), keys.reshape(-1), keys.new_empty(count),
                          keys.new_empty(count, dtype=torch.int32), length, count, outputs=written)
    run, steps = _RUN, _RUN.bit_length()
    while run < length:
        keep, out_length = 2 * run, length
        if run >= wanted:
            keep, rest = run, length % (2 * run)
            out_length = length // (2 * run) * keep + (rest if rest < keep else keep)
        made, places = launch(merge_runs, (blocks(count, _BLOCK),), made, places, keys.new_empty(rows * out_length),
                              keys.new_empty(rows * out_length, dtype=torch.int32), length, count, run, keep, out_length,
                              steps, outputs=written)
        length, count = out_length, rows * out_length
        run, steps = keep, steps + (keep > run)
    return made.view(rows, length)[:, :wanted], places.view(rows, length)[:, :wanted]


def keys_of(x: torch.Tensor, *, descending: bool = False) -> torch.Tensor:
    """Returns integers in the order of the elements. NaN is larger than all others."""
    if x.dtype.is_floating_point:
        x = x if x.dtype == torch.float64 else x.float()
        kind, largest = (torch.int64, (1 << 63) - 1) if x.dtype == torch.float64 else (torch.int32, (1 << 31) - 1)
        bits = torch.where(x == 0, torch.zeros_like(x), x).view(kind)  # -0 equals 0
        keys = torch.where(x != x, torch.full_like(bits, largest), torch.where(bits < 0, bits ^ largest, bits))
    else:
        keys = x if x.dtype in (torch.int32, torch.int64) else x.to(torch.int32)
    return ~keys if descending else keys


def _rows(x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns a matrix whose rows are along a dimension."""
    last = x.movedim(dim, -1)
    return last.reshape(-1, last.shape[-1]) if last.numel() else last.reshape(0, last.shape[-1])


def _unrows(rows: torch.Tensor, x: torch.Tensor, dim: int) -> torch.Tensor:
    """Returns a tensor like `x`, apart from the size along a dimension, whose rows these are."""
    sizes = [*x.movedim(dim, -1).shape[:-1], rows.shape[-1]]
    return rows.reshape(sizes).movedim(-1, dim).contiguous()


def first_places(x: torch.Tensor, dim: int, *, descending: bool, wanted: Any = None) -> torch.Tensor:
    """Returns the places of the first elements along a dimension in the order of their values."""
    if x.numel() == 0:
        sizes = list(x.shape)
        sizes[dim] = sizes[dim] if wanted is None else wanted
        return torch.zeros(sizes, dtype=torch.int64, device=x.device)
    places = sorted_places(keys_of(_rows(x, dim), descending=descending), wanted)[1]
    return _unrows(places.long(), x, dim)


@decomposes(aten.sort.stable)
def sort_stable(self: torch.Tensor, *, stable: bool | None = None, dim: int = -1,
                descending: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    if self.dim() == 0:
        return self.clone(), torch.zeros_like(self, dtype=torch.int64)
    places = first_places(self, dim, descending=descending)
    return torch.gather(self, dim, places), places


@decomposes(aten.sort.default)
def sort(self: torch.Tensor, dim: int = -1, descending: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    return sort_stable(self, dim=dim, descending=descending)


@decomposes(aten.topk.default)
def topk(self: torch.Tensor, k: int, dim: int = -1, largest: bool = True,
         sorted: bool = True) -> tuple[torch.Tensor, torch.Tensor]:
    if self.dim() == 0:
        shape = [k] if k != 1 else []
        return self.reshape(shape), torch.zeros(shape, dtype=torch.int64, device=self.device)
    places = first_places(self, dim, descending=largest, wanted=k)
    return torch.gather(self, dim, places), places


def _picked(x: torch.Tensor, places: torch.Tensor, dim: int, keepdim: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the elements at places along a dimension, of which there is one each."""
    made = torch.gather(x, dim, places)
    return (made, places) if keepdim else (made.squeeze(dim), places.squeeze(dim))


@decomposes(aten.kthvalue.default)
def kthvalue(self: torch.Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    if self.dim() == 0:
        return self.clone(), torch.zeros_like(self, dtype=torch.int64)
    places = first_places(self, dim, descending=False, wanted=k)
    return _picked(self, places.narrow(dim, k - 1, 1), dim, keepdim)


def _median(x: torch.Tensor, dim: int, keepdim: bool, *, skips_nan: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Finds the lower median along a dimension. It is NaN if an element is, or NaN does not count."""
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    places = first_places(x, dim, descending=False)
    length = x.shape[dim]
    numbers = (x == x).sum(dim, keepdim=True)
    middle = ((numbers - 1) // 2).clamp(min=0)
    if not skips_nan:
        middle = torch.where(numbers == length, middle, numbers)  # the first NaN comes after all numbers
    return _picked(x, torch.gather(places, dim, middle), dim, keepdim)


@decomposes(aten.median.dim)
def median_dim(self: torch.Tensor, dim: int, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    return _median(self, dim, keepdim, skips_nan=False)


@decomposes(aten.nanmedian.dim)
def nanmedian_dim(self: torch.Tensor, dim: int, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    return _median(self, dim, keepdim, skips_nan=True)


def _of_all(x: torch.Tensor, *, skips_nan: bool) -> torch.Tensor:
    if x.numel() == 0:
        return torch.full((), torch.nan if x.dtype.is_floating_point else -(1 << 63), dtype=x.dtype, device=x.device)
    return _median(x.reshape(-1), 0, False, skips_nan=skips_nan)[0]


@decomposes(aten.median.default)
def median(self: torch.Tensor) -> torch.Tensor:
    return _of_all(self, skips_nan=False)


@decomposes(aten.nanmedian.default)
def nanmedian(self: torch.Tensor) -> torch.Tensor:
    return _of_all(self, skips_nan=True)


@decomposes(aten.mode.default)
def mode(self: torch.Tensor, dim: int = -1, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Finds the smallest of the most frequent values along a dimension, and the last of its places."""
    if self.dim() == 0:
        return self.clone(), torch.zeros_like(self, dtype=torch.int64)
    keys, places = sorted_places(keys_of(_rows(self, dim)))
    keys = keys.contiguous()
    begins = torch.searchsorted(keys, keys)
    counts = torch.arange(keys.shape[1], device=keys.device) - begins  # each element counts those before it
    best = torch.argmax(counts, dim=1, keepdim=True)
    return _picked(self, _unrows(torch.gather(places.long(), 1, best), self, dim), dim, keepdim)
