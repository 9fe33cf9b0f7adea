"""Averages of parts, and gradients of pooling."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from . import decomposes

aten = torch.ops.aten


def _to_places(grad: torch.Tensor, self: torch.Tensor, indices: torch.Tensor, rank: int) -> torch.Tensor:
    """Adds gradients of maxima to the places of the maxima in the last `rank` dimensions."""
    sizes = self.shape[self.dim() - rank:]
    outer = math.prod(self.shape[:self.dim() - rank])
    kind = torch.float32 if grad.dtype in (torch.float16, torch.bfloat16) else grad.dtype
    made = torch.zeros((outer, math.prod(sizes)), dtype=kind, device=grad.device)
    made = made.scatter_add(1, indices.reshape(outer, -1), grad.to(kind).reshape(outer, -1))
    return made.view(self.shape).to(grad.dtype)


@decomposes(aten.fractional_max_pool2d_backward.default)
def fractional_max_pool2d_backward(grad_output: torch.Tensor, self: torch.Tensor, kernel_size: Sequence[int],
                                   output_size: Sequence[int], indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad_output, self, indices, 2)


@decomposes(aten.fractional_max_pool3d_backward.default)
def fractional_max_pool3d_backward(grad_output: torch.Tensor, self: torch.Tensor, kernel_size: Sequence[int],
                                   output_size: Sequence[int], indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad_output, self, indices, 3)


@decomposes(aten.adaptive_max_pool2d_backward.default)
def adaptive_max_pool2d_backward(grad_output: torch.Tensor, self: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad_output, self, indices, 2)


@decomposes(aten.adaptive_max_pool3d_backward.default)
def adaptive_max_pool3d_backward(grad_output: torch.Tensor, self: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad_output, self, indices, 3)


@decomposes(aten.max_pool3d_with_indices_backward.default)
def max_pool3d_with_indices_backward(grad_output: torch.Tensor, self: torch.Tensor, kernel_size: Sequence[int],
                                     stride: Sequence[int], padding: Sequence[int], dilation: Sequence[int],
                                     ceil_mode: bool, indices: torch.Tensor) -> torch.Tensor:
    return _to_places(grad_output, self, indices, 3)


@decomposes(aten._adaptive_avg_pool3d.default)
def adaptive_avg_pool3d(self: torch.Tensor, output_size: Sequence[int]) -> torch.Tensor:
    """Averages parts of each dimension. Parts that have different sizes are sums of columns of a matrix."""
    made = self.float() if self.dtype in (torch.float16, torch.bfloat16) else self
    for dim, size in zip((-3, -2, -1), output_size, strict=True):
        made = _averaged(made, dim, size)
    return made.to(self.dtype)


def _averaged(x: torch.Tensor, dim: int, size: int) -> torch.Tensor:
    """Averages parts of a dimension: as differences of running sums would lose digits, by weights."""
    weights = _weights(x.shape[dim], size, x.dtype, x.device)
    return torch.movedim(torch.movedim(x, dim, -1) @ weights, -1, dim).contiguous()


def _weights(length: Any, size: int, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Returns the part that each element has in each average."""
    part = torch.arange(size, device=device)
    begin = part * length // size
    end = ((part + 1) * length + size - 1) // size
    element = torch.arange(length, device=device)[:, None]
    return torch.where((element >= begin) & (element < end), 1 / (end - begin).to(dtype), 0)


@decomposes(aten._adaptive_avg_pool3d_backward.default)
def adaptive_avg_pool3d_backward(grad_output: torch.Tensor, self: torch.Tensor) -> torch.Tensor:
    return _spread(grad_output, self, (-3, -2, -1))


@decomposes(aten._adaptive_avg_pool2d_backward.default)
def adaptive_avg_pool2d_backward(grad_output: torch.Tensor, self: torch.Tensor) -> torch.Tensor:
    return _spread(grad_output, self, (-2, -1))


def _spread(grad_output: torch.Tensor, self: torch.Tensor, dims: Sequence[int]) -> torch.Tensor:
    """Returns the gradient of averages."""
    made = grad_output.float() if self.dtype in (torch.float16, torch.bfloat16) else grad_output
    for dim in dims:
        weights = _weights(self.shape[dim], grad_output.shape[dim], made.dtype, made.device)
        made = torch.movedim(torch.movedim(made, dim, -1) @ weights.t(), -1, dim)
    return made.to(self.dtype).contiguous()
