"""Resampling of images: sizes with a filter, and points of a grid."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from . import decomposes

aten = torch.ops.aten


def _triangle(x: torch.Tensor) -> torch.Tensor:
    return (1 - x.abs()).clamp(min=0)


def _cubic(x: torch.Tensor) -> torch.Tensor:
    x, a = x.abs(), -0.5
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return torch.where(x < 1, near, torch.where(x < 2, far, 0))


def _weights(length: Any, size: Any, scale: float | None, align_corners: bool, support: int,
             filter: Callable[[torch.Tensor], torch.Tensor], like: torch.Tensor) -> torch.Tensor:
    """Returns the weight of each of `length` elements in each of `size` results, with a wider filter if there are fewer."""
    kind = torch.float64 if like.dtype == torch.float64 else torch.float32
    if align_corners:
        step: Any = (length - 1) / (size - 1) if size > 1 else 0.0
    else:
        step = 1 / scale if scale is not None and scale > 0 else length / size
    width: Any = step if step >= 1 else 1.0
    center = step * (torch.arange(size, dtype=kind, device=like.device) + 0.5)[:, None]
    begin = (center - support * width + 0.5).to(torch.int64).clamp(min=0)
    end = torch.minimum((center + support * width + 0.5).to(torch.int64), torch.full_like(begin, length))
    element = torch.arange(length, device=like.device)
    made = filter((element - center + 0.5) / width)
    made = torch.where((element >= begin) & (element < end), made, 0)
    return made / made.sum(1, keepdim=True)


def _resized(x: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
    kind = rows.dtype
    return (rows @ (x.to(kind) @ columns.t())).to(x.dtype).contiguous()


def _register(name: str, support: int, filter: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """Registers a resize that filters, and its gradient, as products with matrices of weights."""
    @decomposes(getattr(aten, f"_upsample_{name}2d_aa").default)
    def forward(self: torch.Tensor, output_size: Sequence[Any], align_corners: bool, scales_h: float | None = None,
                scales_w: float | None = None) -> torch.Tensor:
        rows = _weights(self.shape[2], output_size[0], scales_h, align_corners, support, filter, self)
        columns = _weights(self.shape[3], output_size[1], scales_w, align_corners, support, filter, self)
        return _resized(self, rows, columns)

    @decomposes(getattr(aten, f"_upsample_{name}2d_aa_backward").default)
    def backward(grad_output: torch.Tensor, output_size: Sequence[Any], input_size: Sequence[Any], align_corners: bool,
                 scales_h: float | None = None, scales_w: float | None = None) -> torch.Tensor:
        rows = _weights(input_size[2], output_size[0], scales_h, align_corners, support, filter, grad_output)
        columns = _weights(input_size[3], output_size[1], scales_w, align_corners, support, filter, grad_output)
        return _resized(grad_output, rows.t(), columns.t())


_register("bilinear", 1, _triangle)
_register("bicubic", 2, _cubic)

_BILINEAR, _NEAREST = 0, 1
_ZEROS, _BORDER = 0, 1


def _reflected(x: torch.Tensor, low: Any, high: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Reflects coordinates at two ends, which are given as twice their values. Returns them and their derivatives."""
    if low == high:
        return torch.zeros_like(x), torch.zeros_like(x)
    begin, span = low / 2, (high - low) / 2
    sign = torch.where(x < begin, -1.0, 1.0)
    x = (x - begin).abs()
    flips = torch.floor(x / span)
    rest = x - flips * span
    is_even = torch.remainder(flips, 2) == 0
    return torch.where(is_even, rest + begin, span - rest + begin), torch.where(is_even, sign, -sign)


def _coordinate(x: torch.Tensor, size: Any, padding: int, align_corners: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Returns places of elements for coordinates from -1 to 1, and the derivatives."""
    place = (x + 1) * ((size - 1) / 2) if align_corners else ((x + 1) * size - 1) / 2
    slope = torch.full_like(x, (size - 1) / 2 if align_corners else size / 2)
    if padding == _ZEROS:
        return place, slope
    if padding != _BORDER:
        place, sign = _reflected(place, 0, 2 * (size - 1)) if align_corners else _reflected(place, -1, 2 * size - 1)
        slope = slope * sign
    slope = torch.where((place > 0) & (place < size - 1), slope, 0)
    return place.clamp(0, size - 1), slope


class _Corners:
    """The elements around each point. A dimension of its own, the first, counts them."""

    def __init__(self, input: torch.Tensor, grid: torch.Tensor, mode: int, padding: int, align_corners: bool) -> None:
        rank = grid.shape[-1]
        kind = torch.float32 if input.dtype in (torch.float16, torch.bfloat16) else input.dtype
        ones = [1] * rank
        numbers = torch.arange(1 if mode == _NEAREST else 1 << rank, device=input.device).view(-1, 1, *ones)
        self.parts: list[torch.Tensor] = []  # the weight of each corner along each dimension
        self.slopes: list[torch.Tensor] = []  # and its derivative by the point's coordinate
        chosen: list[torch.Tensor] = []
        inside: Any = True
        for d, size in enumerate(input.shape[2:]):
            place, slope = _coordinate(grid[..., rank - 1 - d].to(kind), size, padding, align_corners)
            bit = numbers >> d & 1
            corner = place.round().unsqueeze(0) if mode == _NEAREST else place.floor() + bit
            part = 1 - (place - corner).abs()
            self.parts.append(torch.ones_like(part) if mode == _NEAREST else part)
            self.slopes.append(torch.zeros_like(part) if mode == _NEAREST else torch.where(bit == 1, slope, -slope))
            inside = (corner >= 0) & (corner < size) & inside
            chosen.append(corner.clamp(0, size - 1).to(torch.int64).unsqueeze(2))
        self.inside = inside.unsqueeze(2)
        images = torch.arange(input.shape[0], device=input.device).view(1, -1, 1, *ones)
        layers = torch.arange(input.shape[1], device=input.device).view(1, 1, -1, *ones)
        self.places = (images, layers, *chosen)
        self.found = torch.where(self.inside, input.to(kind)[self.places], 0)

    def weight(self, slope_of: int | None = None) -> torch.Tensor:
        """Returns the weights of corners, or their derivatives by one coordinate."""
        made: Any = 1
        for d, part in enumerate(self.parts):
            made = made * (self.slopes[d] if d == slope_of else part)
        return made.unsqueeze(2)


@decomposes(aten.grid_sampler_3d.default)
def grid_sampler_3d(input: torch.Tensor, grid: torch.Tensor, interpolation_mode: int, padding_mode: int,
                    align_corners: bool) -> torch.Tensor:
    corners = _Corners(input, grid, interpolation_mode, padding_mode, align_corners)
    return (corners.found * corners.weight()).sum(0).to(input.dtype)


@decomposes(aten.grid_sampler_2d_backward.default, aten.grid_sampler_3d_backward.default)
def grid_sampler_backward(grad_output: torch.Tensor, input: torch.Tensor, grid: torch.Tensor, interpolation_mode: int,
                          padding_mode: int, align_corners: bool, output_mask: Sequence[bool]) -> Any:
    if interpolation_mode not in (_BILINEAR, _NEAREST):
        return NotImplemented
    corners = _Corners(input, grid, interpolation_mode, padding_mode, align_corners)
    grad = grad_output.to(corners.found.dtype)
    of_input = None
    if output_mask[0]:
        values = torch.where(corners.inside, corners.weight() * grad, 0)
        of_input = torch.zeros(input.shape, dtype=grad.dtype, device=grad.device)
        of_input = of_input.index_put(corners.places, values, accumulate=True).to(input.dtype)
    rank = grid.shape[-1]
    of_grid = [(corners.found * grad * corners.weight(rank - 1 - d)).sum((0, 2)) for d in range(rank)]
    return of_input, torch.stack(of_grid, -1).to(grid.dtype) if output_mask[1] else None
