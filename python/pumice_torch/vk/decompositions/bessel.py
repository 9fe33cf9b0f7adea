"""Functions of Bessel's and Airy's."""
from __future__ import annotations

import mpmath
import torch

from .elements import of_floats
from .fits import Fit

aten = torch.ops.aten

# Exponentially scaled functions of the first kind: of x up to 8, and sqrt(x) times them, of 8 / x.
_I0_NEAR = Fit(0, 8, lambda x: mpmath.besseli(0, x) * mpmath.exp(-x))
_I0_FAR = Fit(0, 1, lambda t: _scaled(lambda x: mpmath.besseli(0, x) * mpmath.exp(-x), 8, t))
_I1_NEAR = Fit(0, 8, lambda x: mpmath.besseli(1, x) * mpmath.exp(-x) / x)
_I1_FAR = Fit(0, 1, lambda t: _scaled(lambda x: mpmath.besseli(1, x) * mpmath.exp(-x), 8, t))
# The parts of functions of the second kind that are no logarithms, of x * x up to 4, and of 2 / x.
_K0_NEAR = Fit(0, 4, lambda s: _of_root(s, lambda x: mpmath.besselk(0, x) + mpmath.log(x / 2) * mpmath.besseli(0, x)))
_K0_FAR = Fit(0, 1, lambda t: _scaled(lambda x: mpmath.besselk(0, x) * mpmath.exp(x), 2, t))
_K1_NEAR = Fit(0, 4, lambda s: _of_root(s, lambda x: x * (mpmath.besselk(1, x)
                                                          - mpmath.log(x / 2) * mpmath.besseli(1, x))))
_K1_FAR = Fit(0, 1, lambda t: _scaled(lambda x: mpmath.besselk(1, x) * mpmath.exp(x), 2, t))
_I0_SMALL = Fit(0, 4, lambda s: _of_root(s, lambda x: mpmath.besseli(0, x)))
_I1_SMALL = Fit(0, 4, lambda s: _of_root(s, lambda x: mpmath.besseli(1, x) / x))


def _scaled(function, end, t):  # type: ignore[no-untyped-def]
    """Returns sqrt(x) * function(x) for x = end / t."""
    x = end / t
    return mpmath.sqrt(x) * function(x)


def _of_root(s, function):  # type: ignore[no-untyped-def]
    """Returns function(sqrt(s))."""
    return function(mpmath.sqrt(s))


@of_floats(aten.special_i0e.default)
def special_i0e(x: torch.Tensor) -> torch.Tensor:
    x = x.abs()
    return torch.where(x <= 8, _I0_NEAR(x), _I0_FAR(8 / x) * x.rsqrt())


@of_floats(aten.special_i1e.default)
def special_i1e(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    return torch.where(size <= 8, _I1_NEAR(size) * x, _I1_FAR(8 / size) * size.rsqrt() * x.sign())


def _second_kind(x: torch.Tensor, near: torch.Tensor, far: torch.Tensor, *, is_scaled: bool) -> torch.Tensor:
    """Chooses between what is right for x up to 2, and exp(x) times what is right for larger x."""
    far = far * x.rsqrt()
    near, far = (near * x.exp(), far) if is_scaled else (near, far * torch.exp(-x))
    made = torch.where(x <= 2, near, far)
    return torch.where(x > 0, made, torch.where(x == 0, torch.inf, torch.nan))


def _k0(x: torch.Tensor, *, is_scaled: bool) -> torch.Tensor:
    square = x * x
    near = _K0_NEAR(square) - torch.log(0.5 * x) * _I0_SMALL(square)
    return _second_kind(x, near, _K0_FAR(2 / x), is_scaled=is_scaled)


def _k1(x: torch.Tensor, *, is_scaled: bool) -> torch.Tensor:
    square = x * x
    near = _K1_NEAR(square) / x + torch.log(0.5 * x) * _I1_SMALL(square) * x
    return _second_kind(x, near, _K1_FAR(2 / x), is_scaled=is_scaled)


@of_floats(aten.special_modified_bessel_k0.default)
def special_modified_bessel_k0(x: torch.Tensor) -> torch.Tensor:
    return _k0(x, is_scaled=False)


@of_floats(aten.special_modified_bessel_k1.default)
def special_modified_bessel_k1(x: torch.Tensor) -> torch.Tensor:
    return _k1(x, is_scaled=False)


@of_floats(aten.special_scaled_modified_bessel_k0.default)
def special_scaled_modified_bessel_k0(x: torch.Tensor) -> torch.Tensor:
    return _k0(x, is_scaled=True)


@of_floats(aten.special_scaled_modified_bessel_k1.default)
def special_scaled_modified_bessel_k1(x: torch.Tensor) -> torch.Tensor:
    return _k1(x, is_scaled=True)


@of_floats(aten.special_spherical_bessel_j0.default)
def special_spherical_bessel_j0(x: torch.Tensor) -> torch.Tensor:
    square = x * x
    series = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110))))
    made = torch.where(x.abs() < 0.5, series, torch.sin(x) / x)
    return torch.where(x.isinf(), 0.0, made)


_AIRY_END = 2.0  # where series in 1 / (2/3 x^(3/2)) begin
_AIRY_MOST = float(1 / (mpmath.mpf(2) / 3 * mpmath.mpf(_AIRY_END) ** 1.5))


def _airy_size(t):  # type: ignore[no-untyped-def]
    """Returns x > 0 with 2/3 x^(3/2) = 1/t."""
    return (3 / (2 * t)) ** (mpmath.mpf(2) / 3)


def _airy_wave(t, sign):  # type: ignore[no-untyped-def]
    """Returns the factor of the cosine (sign 1) or of the sine (-1) in Ai(-x), both of which vary slowly."""
    x, angle = _airy_size(t), 1 / t - mpmath.pi / 4
    scale = mpmath.sqrt(mpmath.pi) * x ** 0.25
    first, second = scale * mpmath.airyai(-x), scale * mpmath.airybi(-x)
    if sign > 0:
        return first * mpmath.cos(angle) - second * mpmath.sin(angle)
    return first * mpmath.sin(angle) + second * mpmath.cos(angle)


_AIRY_NEAR = Fit(-_AIRY_END, _AIRY_END, mpmath.airyai)
_AIRY_RIGHT = Fit(0, _AIRY_MOST, lambda t: mpmath.airyai(_airy_size(t)) * mpmath.exp(1 / t) * _airy_size(t) ** 0.25)
_AIRY_COSINE = Fit(0, _AIRY_MOST, lambda t: _airy_wave(t, 1))
_AIRY_SINE = Fit(0, _AIRY_MOST, lambda t: _airy_wave(t, -1))


@of_floats(aten.special_airy_ai.default)
def special_airy_ai(x: torch.Tensor) -> torch.Tensor:
    size = x.abs()
    power = size.sqrt().sqrt()  # size ^ 1/4
    phase = size * size.sqrt() * (2 / 3)
    angle = phase - torch.pi / 4
    left = (torch.cos(angle) * _AIRY_COSINE(1 / phase) + torch.sin(angle) * _AIRY_SINE(1 / phase)) / (power * torch.pi ** 0.5)
    right = _AIRY_RIGHT(1 / phase) * torch.exp(-phase) / power
    made = torch.where(size <= _AIRY_END, _AIRY_NEAR(x), torch.where(x > 0, right, left))
    return torch.where(x.isinf(), torch.nan, made)
