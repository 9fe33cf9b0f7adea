"""Orthogonal polynomials of a degree that each element has: by their recurrences, in a kernel of ours."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..kernels.elements import recurrence
from . import decomposes
from .elements import promoting
from .launches import blocks, launch

aten = torch.ops.aten

_CHEBYSHEV, _LEGENDRE, _LAGUERRE, _HERMITE, _HERMITE_E = range(5)


def _run(kind: int, x: torch.Tensor, degree: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    """Runs the recurrence of a kind, from p(1)."""
    count = x.numel()
    (made,) = launch(recurrence, (blocks(count, 256),), x, degree.to(torch.int32),
                     first, count, outputs=["out_memory"], KIND=kind, BLOCK=256)
    return made


def _is_even(n: torch.Tensor) -> torch.Tensor:
    return torch.remainder(n, 2) == 0


def _chebyshev(x: torch.Tensor, n: torch.Tensor, first: torch.Tensor,
               of_angle: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> torch.Tensor:
    """Computes one of Chebyshev's polynomials, whose value inside (-1, 1) is a function of n and of acos x."""
    is_angle = (n > 8) & (x.abs() < 1)
    made = _run(_CHEBYSHEV, x, torch.where(is_angle, 0, n), first)
    return torch.where(is_angle, of_angle(n, torch.acos(x.clamp(-1, 1))), made)


def _chebyshev_t(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return _chebyshev(x, n, x, lambda n, angle: torch.cos(n * angle))


def _chebyshev_u(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return _chebyshev(x, n, 2 * x, lambda n, angle: torch.sin((n + 1) * angle) / torch.sin(angle))


def _chebyshev_v(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return _chebyshev(x, n, 2 * x - 1, lambda n, angle: torch.cos((n + 0.5) * angle) / torch.cos(angle / 2))


def _chebyshev_w(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return _chebyshev(x, n, 2 * x + 1, lambda n, angle: torch.sin((n + 0.5) * angle) / torch.sin(angle / 2))


def _hermite(kind: int, x: torch.Tensor, n: torch.Tensor, first: torch.Tensor) -> torch.Tensor:
    """Computes one of Hermite's polynomials. Those of high degrees are NaN, as on the CPU."""
    most = 512 if x.dtype == torch.float64 else 128
    return torch.where(n > most, torch.nan, _run(kind, x, n.clamp(max=most), first))


_POLYNOMIALS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "chebyshev_polynomial_t": _chebyshev_t,
    "chebyshev_polynomial_u": _chebyshev_u,
    "chebyshev_polynomial_v": _chebyshev_v,
    "chebyshev_polynomial_w": _chebyshev_w,
    "shifted_chebyshev_polynomial_t": lambda x, n: _chebyshev_t(2 * x - 1, n),
    "shifted_chebyshev_polynomial_u": lambda x, n: _chebyshev_u(2 * x - 1, n),
    "shifted_chebyshev_polynomial_v": lambda x, n: _chebyshev_v(2 * x - 1, n),
    "shifted_chebyshev_polynomial_w": lambda x, n: _chebyshev_w(2 * x - 1, n),
    "hermite_polynomial_h": lambda x, n: _hermite(_HERMITE, x, n, 2 * x),
    "hermite_polynomial_he": lambda x, n: _hermite(_HERMITE_E, x, n, x),
    "laguerre_polynomial_l": lambda x, n: _run(_LAGUERRE, x, n, 1 - x),
    "legendre_polynomial_p": lambda x, n: _run(_LEGENDRE, x, n, x),
}


def _register(name: str, function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]) -> None:
    """Registers a polynomial. It is 0 for negative degrees, and a degree's fraction is cut off."""
    def compute(x: torch.Tensor, n: torch.Tensor) -> Any:
        n = n.trunc()
        return torch.where(n < 0, 0.0, function(x, n))

    packet = getattr(aten, f"special_{name}")
    decomposes(packet.default, packet.x_scalar, packet.n_scalar)(promoting(compute, 2))


for _name, _function in _POLYNOMIALS.items():
    _register(_name, _function)
