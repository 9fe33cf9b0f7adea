"""Gradients of pooling."""
from __future__ import annotations

import math
from collections.abc import Sequence

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
