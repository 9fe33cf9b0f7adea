"""Distances between rows of matrices."""
from __future__ import annotations

import math

import torch

from . import decomposes

aten = torch.ops.aten


def _norm(differences: torch.Tensor, p: float) -> torch.Tensor:
    """Returns the p-norms along the last dimension."""
    size = differences.abs()
    if p == 0:
        return (size != 0).sum(-1).to(size.dtype)
    if size.shape[-1] == 0:
        return size.new_zeros(size.shape[:-1])
    if p == math.inf:
        return size.amax(-1)
    if p == 1:
        return size.sum(-1)
    if p == 2:
        return (size * size).sum(-1).sqrt()
    return (size ** p).sum(-1) ** (1 / p)


def _slopes(differences: torch.Tensor, distances: torch.Tensor, p: float) -> torch.Tensor:
    """Returns the derivatives of p-norms by each difference. They are 0 if the norm is."""
    distances = distances.unsqueeze(-1)
    if p == 0:
        return torch.zeros_like(differences)
    if p == 1:
        return differences.sign()
    if p == math.inf:
        return differences.sign() * (differences.abs() == distances)
    if p == 2:
        made = differences / distances
    else:
        made = differences.sign() * differences.abs() ** (p - 1) / distances ** (p - 1)
    return torch.where((distances == 0) | ((differences == 0) & (p < 1)), 0, made)


@decomposes(aten._cdist_forward.default)
def cdist_forward(x1: torch.Tensor, x2: torch.Tensor, p: float, compute_mode: int | None) -> torch.Tensor:
    return _norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p)


@decomposes(aten._cdist_backward.default)
def cdist_backward(grad: torch.Tensor, x1: torch.Tensor, x2: torch.Tensor, p: float, cdist: torch.Tensor) -> torch.Tensor:
    made = grad.unsqueeze(-1) * _slopes(x1.unsqueeze(-2) - x2.unsqueeze(-3), cdist, p)
    return made.sum(-2)


@decomposes(aten._pdist_forward.default)
def pdist_forward(self: torch.Tensor, p: float = 2) -> torch.Tensor:
    rows, columns = torch.triu_indices(self.shape[0], self.shape[0], 1, device=self.device)
    return _norm(self[rows] - self[columns], p)


@decomposes(aten._pdist_backward.default)
def pdist_backward(grad: torch.Tensor, self: torch.Tensor, p: float, pdist: torch.Tensor) -> torch.Tensor:
    count = self.shape[0]
    rows, columns = torch.triu_indices(count, count, 1, device=self.device)

    def square(values: torch.Tensor) -> torch.Tensor:
        made = self.new_zeros(count, count).index_put((rows, columns), values)
        return made + made.t()
    return cdist_backward(square(grad), self, self, p, square(pdist))
