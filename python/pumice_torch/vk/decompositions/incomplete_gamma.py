"""Incomplete gamma functions: by a series, or by a continued fraction if x is larger than a + 1."""
from __future__ import annotations

import math

import torch

from ..kernels.elements import incomplete
from . import decomposes
from .elements import promoting
from .launches import blocks, launch

aten = torch.ops.aten

_MOST = 20000  # terms


def _scale(a: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Returns x^a exp(-x) / gamma(a + 1). Stirling's formula for large a keeps its digits."""
    direct = torch.exp(a * torch.log(x) - x - torch.lgamma(a + 1))
    distance = (x - a) / a
    inverse = 1 / (a * a)
    correction = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)))) / a
    stirling = torch.exp(a * (torch.log1p(distance) - distance) - correction) / torch.sqrt(2 * math.pi * a)
    return torch.where(a < 10, direct, stirling)


def _compute(a: torch.Tensor, x: torch.Tensor, *, is_upper: bool) -> torch.Tensor:
    is_regular = (a > 0) & (x > 0) & (a != torch.inf) & (x != torch.inf)
    a_regular, x_regular = torch.where(is_regular, a, 1), torch.where(is_regular, x, 1)
    limit = torch.full((1,), torch.finfo(a.dtype).eps, dtype=a.dtype, device=a.device)
    count = a.numel()
    (made,) = launch(incomplete, (blocks(count, 64),), a_regular, x_regular,
                     _scale(a_regular, x_regular), a.new_empty(a.shape), count, limit, _MOST,
                     outputs=["out"], IS_UPPER=is_upper, BLOCK=64)
    none, all = (1.0, 0.0) if is_upper else (0.0, 1.0)  # at x = 0, and at infinity
    made = torch.where(x == torch.inf, all, made)
    made = torch.where(a == torch.inf, torch.where(x == torch.inf, torch.nan, none), made)
    made = torch.where(x == 0, none, made)
    made = torch.where(a == 0, torch.where(x > 0, all, torch.nan), made)
    return torch.where((a < 0) | (x < 0) | a.isnan() | x.isnan(), torch.nan, made)


decomposes(aten.igamma.default)(promoting(lambda a, x: _compute(a, x, is_upper=False), 2))
decomposes(aten.igammac.default)(promoting(lambda a, x: _compute(a, x, is_upper=True), 2))
