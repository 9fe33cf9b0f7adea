"""Approximations of functions by Chebyshev's polynomials, whose coefficients mpmath computes while a plan is made."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import torch

from .elements import polynomial

_DIGITS = 40
_MOST = 60  # polynomials


class Fit:
    """A smooth function on an interval."""

    def __init__(self, low: float, high: float, function: Callable[[Any], Any]) -> None:
        self.low, self.high = low, high
        self._function = function

    @functools.cached_property
    def _exact(self) -> list[Any]:
        """The coefficients, by the function's values at Chebyshev's nodes."""
        with mpmath.workdps(_DIGITS):
            angles = [(2 * i + 1) * mpmath.pi / (2 * _MOST) for i in range(_MOST)]
            middle, half = (mpmath.mpf(self.high) + self.low) / 2, (mpmath.mpf(self.high) - self.low) / 2
            values = [self._function(middle + half * mpmath.cos(angle)) for angle in angles]
            made = [2 * mpmath.fsum(value * mpmath.cos(k * angle) for value, angle in zip(values, angles)) / _MOST
                    for k in range(_MOST)]
            made[0] /= 2
            return made

    @functools.cache  # noqa: B019 - fits live as long as the process
    def _coefficients(self, dtype: torch.dtype) -> list[float]:
        """Returns the coefficients of powers, the highest first, as many as count in a type.

        Inductor writes a term for each use of a value. So a sum of powers is far shorter than Clenshaw's recurrence.
        """
        limit = torch.finfo(dtype).eps / 64 * max(abs(one) for one in self._exact)
        count = 1 + max(k for k, one in enumerate(self._exact) if abs(one) >= limit)
        before, last = [mpmath.mpf(1)], [mpmath.mpf(0), mpmath.mpf(1)]  # the powers of T(0) and T(1)
        made = [mpmath.mpf(0)] * count
        with mpmath.workdps(_DIGITS):
            for one in self._exact[:count]:
                for power, value in enumerate(before):
                    made[power] += one * value
                following = [mpmath.mpf(0), *(2 * value for value in last)]
                for power, value in enumerate(before):
                    following[power] -= value
                before, last = last, following
        return [float(one) for one in reversed(made)]

    def __call__(self, x: torch.Tensor) -> torch.Tensor:
        """Computes the function."""
        t = ((x - self.low) * (2 / (self.high - self.low)) - 1).clamp(-1, 1)
        return polynomial(t, self._coefficients(x.dtype))
