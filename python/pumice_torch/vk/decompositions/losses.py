"""Embeddings of bags, and losses."""
from __future__ import annotations

from typing import Any

import torch

from . import decomposes
from .scattering import identity, segments, wide

aten = torch.ops.aten

_SUM, _MEAN, _MAX = 0, 1, 2

_Bags = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]

@decomposes(aten._embedding_bag.default, aten._embedding_bag_forward_only.default)
def embedding_bag(weight: torch.Tensor, indices: torch.Tensor, offsets: torch.Tensor, scale_grad_by_freq: bool = False,
                  mode: int = 0, sparse: bool = False, per_sample_weights: torch.Tensor | None = None,
                  include_last_offset: bool = False, padding_idx: int = -1) -> _Bags:
    """Reduces the rows of `weight` in each bag of indices.

    Returns:
        The result, the bag of each index, the size of each bag, and the indices of maxima.
    """
    begins = offsets[:-1] if include_last_offset else offsets
    number = indices.shape[0]
    ends = torch.cat([begins[1:], begins.new_full((1,), number)])
    counted = indices != padding_idx
    bag = torch.searchsorted(begins, torch.arange(number, device=offsets.device, dtype=begins.dtype), right=True) - 1
    places = torch.cat([torch.zeros(1, dtype=torch.int64, device=offsets.device), torch.cumsum(counted, 0)])
    sizes = places[ends] - places[begins]  # padding does not count
    kind = wide(weight.dtype)
    rows = weight[indices].to(kind)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(kind).unsqueeze(1)
    reduce = "amax" if mode == _MAX else "sum"
    rows = torch.where(counted.unsqueeze(1), rows, identity(reduce, kind))
    start = torch.full((begins.shape[0], weight.shape[1]), identity(reduce, kind), dtype=kind, device=weight.device)
    made = segments(rows, begins, ends, start, reduce)
    is_empty = (sizes == 0).unsqueeze(1)
    if mode == _MEAN:
        made = made / sizes.clamp(min=1).unsqueeze(1)
    elif mode == _MAX:
        # The first index of a maximum: the smallest place in the bag that has it.
        place = torch.arange(number, device=indices.device).unsqueeze(1).expand(rows.shape)
        place = torch.where((rows == made[bag]) & counted.unsqueeze(1), place, number)
        best = segments(place, begins, ends, torch.full(made.shape, number, dtype=torch.int64, device=weight.device), "amin")
        maxima = torch.where(is_empty, -1, indices[best.clamp(max=number - 1)]).to(indices.dtype)
        return torch.where(is_empty, 0, made).to(weight.dtype), bag.to(indices.dtype), sizes.to(indices.dtype), maxima
    none = torch.zeros_like(sizes)
    return made.to(weight.dtype), bag.to(indices.dtype), sizes.to(indices.dtype), none.to(indices.dtype)



@decomposes(aten._embedding_bag_backward.default, aten._embedding_bag_dense_backward.default)
def embedding_bag_backward(grad: torch.Tensor, indices: torch.Tensor, *given: Any) -> torch.Tensor:
    """Computes the gradient of the weight.

    The first operator also has the offsets, and whether the gradient is sparse.
    """
    if len(given) == 10:
        offsets, bag, sizes, maxima, count, by_frequency, mode, sparse, per_sample, padding = given
        if sparse:
            return NotImplemented
    else:
        bag, sizes, maxima, count, by_frequency, mode, per_sample, padding = given
    kind = wide(grad.dtype)
    made = torch.zeros((count, grad.shape[1]), dtype=kind, device=grad.device)
    grad = grad.to(kind)
    if mode == _MAX:
        column = torch.arange(grad.shape[1], device=grad.device).expand(maxima.shape)
        values = torch.where(maxima >= 0, grad, 0)
        return made.index_put((maxima.clamp(min=0), column), values, accumulate=True).to(grad.dtype)
    rows = grad[bag]
    if mode == _MEAN:
        rows = rows / sizes[bag].unsqueeze(1)
    if per_sample is not None:
        rows = rows * per_sample.to(kind).unsqueeze(1)
    if by_frequency:
        frequency = torch.zeros(count, dtype=kind, device=grad.device)
        frequency = frequency.index_put((indices,), torch.ones_like(rows[:, 0]), accumulate=True)
        rows = rows / frequency[indices].unsqueeze(1)
    rows = torch.where((indices != padding).unsqueeze(1), rows, 0)
    return made.index_put((indices,), rows, accumulate=True).to(grad.dtype)


@decomposes(aten._embedding_bag_per_sample_weights_backward.default)
def embedding_bag_per_sample_weights_backward(grad: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor,
                                              offsets: torch.Tensor, offset2bag: torch.Tensor, mode: int,
                                              padding_idx: int = -1) -> torch.Tensor:
    made = (grad[offset2bag] * weight[indices]).sum(1)
    return torch.where(indices != padding_idx, made, 0)
