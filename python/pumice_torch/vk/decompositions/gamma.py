"""The gamma function's derivatives, Hurwitz's zeta function, and quantiles of the normal distribution."""
from __future__ import annotations

import math

import mpmath
import torch

from ..kernels.elements import hurwitz
from . import decomposes
from .elements import of_floats, polynomial, promoting
from .fits import Fit
from .launches import blocks, launch

aten = torch.ops.aten

_BERNOULLI = [float(mpmath.bernoulli(2 * k)) for k in range(1, 13)]


def _cotangent(x: torch.Tensor) -> torch.Tensor:
    """Returns pi / tan(pi x) from the fraction of x, which is exact."""
    return math.pi / torch.tan(math.pi * (x - x.round()))


def _shifted(s: torch.Tensor, q: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns the sum of (q + k) ^ -s while q + k is below 9, and the q + k where it ends."""
    count = q.numel()
    made, place = launch(hurwitz, (blocks(count, 128),), s, q, q.new_empty(q.shape), count,
                         outputs=["out_memory", "q_memory"], BLOCK=128)
    return made, place


@of_floats(aten.digamma.default)
def digamma(x: torch.Tensor) -> torch.Tensor:
    is_left = x < 0
    made, y = _shifted(torch.ones_like(x), torch.where(is_left, 1 - x, torch.where(x == 0, 1, x)))
    inverse = 1 / (y * y)
    terms = [value / (2 * k) for k, value in enumerate(_BERNOULLI[:8], 1)]
    made = torch.log(y) - 0.5 / y - inverse * polynomial(inverse, terms[::-1]) - made
    made = torch.where(is_left, made - _cotangent(x), made)
    made = torch.where(is_left & (x == x.floor()), torch.nan, made)
    made = torch.where(x == torch.inf, x, made)
    return torch.where(x == 0, -torch.copysign(torch.full_like(x, torch.inf), x), made)


def _trigamma(x: torch.Tensor) -> torch.Tensor:
    is_left = x < 0.5
    made, y = _shifted(torch.full_like(x, 2), torch.where(is_left, 1 - x, x))
    inverse = 1 / (y * y)
    made = made + 1 / y + 0.5 * inverse + inverse / y * polynomial(inverse, _BERNOULLI[:8][::-1])
    cosecant = math.pi / torch.sin(math.pi * (x - x.round()))
    return torch.where(is_left, cosecant * cosecant - made, made)


def _zeta(s: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """Computes Hurwitz's zeta function by the formula of Euler and Maclaurin."""
    is_pole = (q <= 0) & (q == q.floor())
    is_wrong = (s < 1) | ((q < 0) & ~is_pole & (s != s.floor())) | s.isnan() | q.isnan()
    is_regular = ~(is_pole | is_wrong | (s == 1) | q.isinf())
    s_regular = torch.where(is_regular, s, 2)
    made, place = _shifted(s_regular, torch.where(is_regular, q, 9))
    power = place ** -s_regular
    made = made + power * place / (s_regular - 1) + 0.5 * power
    factor = s_regular * power / place
    for k, value in enumerate(_BERNOULLI, 1):
        made = made + factor * (value / math.factorial(2 * k))
        factor = factor * ((s_regular + 2 * k - 1) * (s_regular + 2 * k)) / (place * place)
    made = torch.where(q == torch.inf, 0.0, made)
    made = torch.where(is_pole | (s == 1), torch.inf, made)
    return torch.where(is_wrong, torch.nan, made)


for _op in (aten.special_zeta.default, aten.special_zeta.other_scalar, aten.special_zeta.self_scalar):
    decomposes(_op)(promoting(_zeta, 2))


@decomposes(aten.polygamma.default)
def polygamma(n: int, x: torch.Tensor) -> torch.Tensor:
    if n == 0:
        return torch.digamma(x)

    def compute(x: torch.Tensor) -> torch.Tensor:
        if n == 1:
            return _trigamma(x)
        scale = math.factorial(n) if n < 150 else torch.inf
        return (scale if n % 2 else -scale) * _zeta(torch.full_like(x, n + 1), x)
    return promoting(compute, 1)(x)


_TAIL = 0.1  # quantiles of smaller probabilities are computed from w = sqrt(-2 log p)


def _quantile(t):  # type: ignore[no-untyped-def]
    """Returns w times the difference between w = 1/t and minus the quantile of exp(-w * w / 2)."""
    w = 1 / t
    start = w - mpmath.log(w) / w - 1 / w
    x = mpmath.findroot(lambda x: mpmath.log(mpmath.erfc(x / mpmath.sqrt(2)) / 2) + w * w / 2, (start, start + 0.1),
                        tol=1e-30)
    return w * (w - x) - mpmath.log(w)


_QUANTILE_NEAR = Fit(1 / 8, float(1 / mpmath.sqrt(-2 * mpmath.log(_TAIL))) + 0.01, _quantile)
_QUANTILE_FAR = Fit(1 / 40, 1 / 8, _quantile)


@of_floats(aten.special_ndtri.default)
def special_ndtri(p: torch.Tensor) -> torch.Tensor:
    is_right = p > 0.5
    low = torch.where(is_right, 1 - p, p)
    w = torch.sqrt(-2 * torch.log(low))
    t = 1 / w
    tail = (torch.where(w < 8, _QUANTILE_NEAR(t), _QUANTILE_FAR(t)) + torch.log(w)) * t - w
    middle = math.sqrt(2) * torch.erfinv(2 * p - 1)
    made = torch.where(low < _TAIL, torch.where(is_right, -tail, tail), middle)
    made = torch.where((p == 0) | (p == 1), torch.where(is_right, torch.inf, -torch.inf), made)
    return torch.where((p < 0) | (p > 1), torch.nan, made)
