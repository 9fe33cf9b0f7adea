"""Products that the kernels for them do not serve, such as those of empty matrices."""
from __future__ import annotations

from typing import Any

import torch

from . import decomposes_alone

aten = torch.ops.aten


def _product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Multiplies matrices, whose last two dimensions are rows and columns."""
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected matrices of one type, got {a.dtype} and {b.dtype}")
    if a.shape[-1] == 0:
        return a.new_zeros((*a.shape[:-1], b.shape[-1]))
    return (a.unsqueeze(-1) * b.unsqueeze(-3)).sum(-2, dtype=a.dtype)


def _put(out: torch.Tensor, made: torch.Tensor) -> torch.Tensor:
    if out.dtype != made.dtype:
        raise RuntimeError(f"expected an out tensor of type {made.dtype}, got {out.dtype}")
    return out.copy_(made)


def _sum(added: torch.Tensor, product: torch.Tensor, beta: Any, alpha: Any) -> torch.Tensor:
    return alpha * product if beta == 0 else beta * added + alpha * product


@decomposes_alone(aten.mm.out, aten.bmm.out)
def mm(self: torch.Tensor, mat2: torch.Tensor, *, out: torch.Tensor) -> torch.Tensor:
    return _put(out, _product(self, mat2))


@decomposes_alone(aten.addmm.out)
def addmm(self: torch.Tensor, mat1: torch.Tensor, mat2: torch.Tensor, *, beta: Any = 1, alpha: Any = 1,
          out: torch.Tensor) -> torch.Tensor:
    return _put(out, _sum(self, _product(mat1, mat2), beta, alpha))


@decomposes_alone(aten.baddbmm.out)
def baddbmm(self: torch.Tensor, batch1: torch.Tensor, batch2: torch.Tensor, *, beta: Any = 1, alpha: Any = 1,
            out: torch.Tensor) -> torch.Tensor:
    return _put(out, _sum(self, _product(batch1, batch2), beta, alpha))


@decomposes_alone(aten.addmv.out)
def addmv(self: torch.Tensor, mat: torch.Tensor, vec: torch.Tensor, *, beta: Any = 1, alpha: Any = 1,
          out: torch.Tensor) -> torch.Tensor:
    return _put(out, _sum(self, _product(mat, vec.unsqueeze(1)).squeeze(1), beta, alpha))
