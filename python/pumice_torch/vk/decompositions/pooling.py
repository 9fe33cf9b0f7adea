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


@decomposes(aten.adaptive_max_pool3d.default)
def adaptive_max_pool3d(self: torch.Tensor, output_size: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes the maxima of parts of each dimension, from the last to the first, with their places in the image."""
    values, places = self, torch.arange(self.shape[-1], device=self.device).expand(self.shape)
    stride: Any = 1
    for dim, size in zip((-1, -2, -3), reversed(output_size), strict=True):
        values, places = _maxima(values, places, dim, size, stride)
        stride = stride * self.shape[dim]
    return values.contiguous(), places.contiguous()


def _maxima(values: torch.Tensor, places: torch.Tensor, dim: int, size: int, stride: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes the maxima of parts of a dimension. Adds the place in the dimension, times its stride, unless it is the last."""
    length = values.shape[dim]
    part = torch.arange(size, device=values.device)
    begin, end = part * length // size, ((part + 1) * length + size - 1) // size
    element = begin[:, None] + torch.arange((length + size - 1) // size + 1, device=values.device)
    least = float("-inf") if values.dtype.is_floating_point else torch.iinfo(values.dtype).min
    windows = torch.where(element < end[:, None], torch.movedim(values, dim, -1)[..., element.clamp(max=length - 1)], least)
    found, first = windows.max(-1)
    at = begin + first  # the place in the dimension
    inner = torch.gather(torch.movedim(places, dim, -1), -1, at)
    if dim != -1:
        inner = inner + at * stride
    return torch.movedim(found, -1, dim), torch.movedim(inner, -1, dim)


@decomposes(aten.fractional_max_pool3d.default)
def fractional_max_pool3d(self: torch.Tensor, kernel_size: Sequence[int], output_size: Sequence[int],
                          random_samples: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Takes the maxima of windows that begin at places which random numbers choose.

    Inductor's lowering reads the random numbers of the three dimensions in the reverse order.
    """
    image = self if self.dim() == 5 else self[None]
    samples = random_samples.to(image.dtype if image.dtype == torch.float64 else torch.float32)
    begins = [_interval(samples[..., dim], image.shape[dim + 2], output_size[dim], kernel_size[dim]) for dim in range(3)]
    z, y, x = (torch.arange(size, device=self.device) for size in kernel_size)
    z = begins[0][:, :, :, None, None, None, None, None] + z[:, None, None]
    y = begins[1][:, :, None, :, None, None, None, None] + y[:, None]
    x = begins[2][:, :, None, None, :, None, None, None] + x
    at = ((z * image.shape[3] + y) * image.shape[4] + x).flatten(5)
    values, first = torch.gather(image.flatten(2), 2, at.flatten(2)).reshape(at.shape).max(-1)
    places = torch.gather(at, -1, first[..., None])[..., 0]
    return (values, places) if self.dim() == 5 else (values[0], places[0])


def _interval(samples: torch.Tensor, length: Any, size: int, window: int) -> torch.Tensor:
    """Returns where the windows of a dimension begin, for each image and channel."""
    part = torch.arange(size, device=samples.device)
    last = length - window
    if size <= 1:
        return torch.zeros_like(samples, dtype=torch.int64)[..., None] + last
    step = last / (size - 1)
    begin = ((part + samples[..., None]) * step).long() - (samples[..., None] * step).long()
    return torch.where(part == size - 1, last, begin)


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
