"""Random numbers. Plans take them from the generator of the call."""
from __future__ import annotations

import math
from typing import Any

import torch

from . import decomposes, sorting

aten = torch.ops.aten


def uniform_like(x: torch.Tensor) -> torch.Tensor:
    """Returns random numbers from [0, 1) of the shape of `x`: of f64 if it is of that, and else of f32."""
    made = torch.rand(x.shape, dtype=torch.float32, device=x.device)
    if x.dtype != torch.float64:
        return made
    fine = torch.rand(x.shape, dtype=torch.float32, device=x.device)  # the bits below those of f32
    return (made.double() + fine.double() * 2.0 ** -24) / (1 + 2.0 ** -24)


def positive_like(x: torch.Tensor) -> torch.Tensor:
    """Returns random numbers from (0, 1]."""
    return 1 - uniform_like(x)


def normal_like(x: torch.Tensor) -> torch.Tensor:
    """Returns random numbers of the standard normal distribution, of the shape of `x`."""
    return torch.sqrt(-2 * torch.log(positive_like(x))) * torch.cos(2 * math.pi * uniform_like(x))


def exponential_like(x: torch.Tensor) -> torch.Tensor:
    """Returns random numbers of the exponential distribution with a mean of 1, of the shape of `x`."""
    return -torch.log(positive_like(x))


def _bits_like(x: torch.Tensor) -> torch.Tensor:
    """Returns random integers of 63 bits, of the shape of `x`."""
    high, low = (torch.randint(0, (1 << 31) - 1, x.shape, dtype=torch.int64, device=x.device) for _ in range(2))
    top = torch.randint(0, 2, x.shape, dtype=torch.int64, device=x.device)
    return (high << 32) ^ (low << 1) ^ top


@decomposes(aten.uniform_.default)
def uniform_(self: torch.Tensor, low: float = 0, high: float = 1) -> torch.Tensor:
    return self.copy_(uniform_like(self) * (high - low) + low)


@decomposes(aten.normal_.default)
def normal_(self: torch.Tensor, mean: float = 0, std: float = 1) -> torch.Tensor:
    return self.copy_(normal_like(self) * std + mean)


@decomposes(aten.log_normal_.default)
def log_normal_(self: torch.Tensor, mean: float = 1, std: float = 2) -> torch.Tensor:
    return self.copy_(torch.exp(normal_like(self) * std + mean))


@decomposes(aten.exponential_.default)
def exponential_(self: torch.Tensor, rate: float = 1) -> torch.Tensor:
    return self.copy_(exponential_like(self) / rate)


@decomposes(aten.cauchy_.default)
def cauchy_(self: torch.Tensor, median: float = 0, sigma: float = 1) -> torch.Tensor:
    return self.copy_(median + sigma * torch.tan(math.pi * (uniform_like(self) - 0.5)))


@decomposes(aten.geometric_.default)
def geometric_(self: torch.Tensor, p: float) -> torch.Tensor:
    return self.copy_(torch.ceil(exponential_like(self) / -math.log1p(-p)).clamp(min=1))


@decomposes(getattr(aten.random_, "from"))
def random_from(self: torch.Tensor, low: int, high: int | None) -> torch.Tensor:
    if high is None and self.dtype == torch.int64 and low < 0:  # all integers (torch_shim/operators/Random.cpp)
        bits = _bits_like(self)
        return self.copy_(torch.where(torch.randint(0, 2, self.shape, device=self.device) == 0, bits, ~bits))
    if high is None:
        return self.copy_(low + _bits_like(self) % (_largest(self.dtype) - low + 1))
    return self.copy_(low + _bits_like(self) % (high - low))


@decomposes(aten.random_.to)
def random_to(self: torch.Tensor, high: int) -> torch.Tensor:
    return random_from(self, 0, high)


@decomposes(aten.random_.default)
def random_(self: torch.Tensor) -> torch.Tensor:
    if self.dtype == torch.int64:
        return self.copy_(_bits_like(self))
    return random_from(self, 0, _largest(self.dtype) + 1)


def _largest(dtype: torch.dtype) -> int:
    """Returns the largest integer up to which a type has all."""
    if dtype == torch.bool:
        return 1
    if dtype.is_floating_point:
        return int(2 / torch.finfo(dtype).eps)
    return min(torch.iinfo(dtype).max, (1 << 63) - 2)


@decomposes(aten.bernoulli_.Tensor)
def bernoulli_tensor(self: torch.Tensor, p: torch.Tensor) -> torch.Tensor:
    return self.copy_(uniform_like(self) < p)


@decomposes(aten.bernoulli_.float)
def bernoulli_float(self: torch.Tensor, p: float = 0.5) -> torch.Tensor:
    return self.copy_(uniform_like(self) < p)


@decomposes(aten.bernoulli.default)
def bernoulli(self: torch.Tensor) -> torch.Tensor:
    return (uniform_like(self) < self).to(self.dtype)


@decomposes(aten.bernoulli.p)
def bernoulli_p(self: torch.Tensor, p: float) -> torch.Tensor:
    return (uniform_like(self) < p).to(self.dtype)


@decomposes(aten.normal.Tensor_Tensor, aten.normal.Tensor_float, aten.normal.float_Tensor)
def normal(mean: Any, std: Any = 1.0) -> torch.Tensor:
    like = torch.broadcast_tensors(*(one for one in (mean, std) if isinstance(one, torch.Tensor)))[0]
    kind = mean.dtype if isinstance(mean, torch.Tensor) else std.dtype
    return (normal_like(like) * std + mean).to(kind)


@decomposes(aten.rrelu_with_noise.default)
def rrelu_with_noise(self: torch.Tensor, noise: torch.Tensor, lower: float = 0.125, upper: float = 1 / 3,
                     training: bool = False) -> torch.Tensor:
    """Computes a leaky ReLU with random slopes, which `noise` gets."""
    if not training:
        return torch.where(self > 0, self, self * ((lower + upper) / 2))
    slopes = torch.where(self > 0, 1, uniform_like(self) * (upper - lower) + lower).to(self.dtype)
    noise.copy_(slopes)
    return self * slopes


@decomposes(aten.rrelu_with_noise_.default)
def rrelu_with_noise_(self: torch.Tensor, noise: torch.Tensor, *given: Any) -> torch.Tensor:
    return self.copy_(rrelu_with_noise(self, noise, *given))


@decomposes(aten.randperm.generator_out, aten.randperm.out)
def randperm_out(n: int, *, out: torch.Tensor) -> torch.Tensor:
    """Sorts random integers, and takes their places."""
    if n < 2:
        return out.zero_()
    return out.copy_(sorting.sorted_places(_bits_like(out).reshape(1, -1))[1].reshape(-1))


@decomposes(aten.multinomial.default)
def multinomial(self: torch.Tensor, num_samples: int, replacement: bool = False) -> torch.Tensor:
    """Draws places by their weights. Without replacement, the earliest of arrivals at these rates are drawn."""
    if not replacement:
        return sorting.topk(self / exponential_like(self), num_samples)[1]
    sums = torch.cumsum(self if self.dtype == torch.float64 else self.float(), -1)
    like = torch.empty((*self.shape[:-1], num_samples), dtype=sums.dtype, device=self.device)
    drawn = torch.searchsorted(sums, uniform_like(like) * sums[..., -1:], right=True)
    return drawn.clamp(max=self.shape[-1] - 1)
