"""Arithmetic and running reductions that inductor leaves to others."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..kernels.elements import integer_power
from . import decomposes, decomposes_alone
from .launches import blocks, launch

aten = torch.ops.aten


@decomposes(aten._cummax_helper.default)
def cummax_helper(self: torch.Tensor, values: torch.Tensor, indices: torch.Tensor, dim: int) -> None:
    _put(torch.cummax(self, dim), values, indices)


@decomposes(aten._cummin_helper.default)
def cummin_helper(self: torch.Tensor, values: torch.Tensor, indices: torch.Tensor, dim: int) -> None:
    _put(torch.cummin(self, dim), values, indices)


def _put(made: Any, values: torch.Tensor, indices: torch.Tensor) -> None:
    values.copy_(made[0])
    indices.copy_(made[1])


@decomposes(aten._amp_update_scale_.default)
def amp_update_scale(self: torch.Tensor, growth_tracker: torch.Tensor, found_inf: torch.Tensor, scale_growth_factor: Any,
                     scale_backoff_factor: Any, growth_interval: int) -> torch.Tensor:
    """Lowers the scale of gradients after infinite ones, and raises it after enough steps without."""
    is_bad, steps = found_inf > 0, growth_tracker + 1
    raised = self * scale_growth_factor
    is_full = steps == growth_interval
    scale = torch.where(is_full & raised.isfinite(), raised, self)
    growth_tracker.copy_(torch.where(is_bad | is_full, 0, steps))
    return self.copy_(torch.where(is_bad, self * scale_backoff_factor, scale))


@decomposes(aten._logcumsumexp.default)
def logcumsumexp(self: torch.Tensor, dim: int) -> torch.Tensor:
    return torch.logcumsumexp(self, dim)


@decomposes(aten._logcumsumexp.out)
def logcumsumexp_out(self: torch.Tensor, dim: int, *, out: torch.Tensor) -> torch.Tensor:
    return out.copy_(torch.logcumsumexp(self, dim))


_PART = 1024   # elements of a row that a program sums up
_FEW_ROWS = 256


@decomposes(aten.cumsum.default)
def cumsum(self: torch.Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Any:
    """Sums up the parts of a few long rows, and then adds the sums of earlier parts. Other rows have a program each."""
    if self.dim() == 0 or self.dtype.is_complex or (dtype is not None and dtype.is_complex):
        return NotImplemented
    length = self.shape[dim]
    if length <= 16 * _PART or self.numel() > _FEW_ROWS * length:
        return NotImplemented
    kind = dtype or (self.dtype if self.dtype.is_floating_point else torch.int64)
    wide = torch.float32 if kind in (torch.float16, torch.bfloat16) else kind
    rows = self.movedim(dim, -1).to(wide)
    parts = torch.nn.functional.pad(rows, (0, -length % _PART)).unflatten(-1, (blocks(length, _PART), _PART))
    sums = parts.cumsum(-1)
    earlier = torch.nn.functional.pad(sums[..., -1].cumsum(-1)[..., :-1], (1, 0))
    made = (sums + earlier[..., None]).flatten(-2)[..., :length]
    return made.movedim(-1, dim).to(kind).contiguous()


@decomposes(aten.addbmm.default)
def addbmm(self: torch.Tensor, batch1: torch.Tensor, batch2: torch.Tensor, *, beta: Any = 1, alpha: Any = 1) -> torch.Tensor:
    """Adds products of matrices: as one product of wide matrices."""
    rows = batch1.transpose(0, 1).reshape(batch1.shape[1], -1)
    return torch.addmm(self, rows, batch2.reshape(-1, batch2.shape[2]), beta=beta, alpha=alpha)


@decomposes(aten.pow.Scalar)
def pow_of_number(self: Any, exponent: torch.Tensor) -> torch.Tensor:
    kind = torch.result_type(exponent, self)
    return torch.pow(torch.full((), self, dtype=kind, device=exponent.device), exponent.to(kind))


@decomposes(aten.nonzero_static.default)
def nonzero_static(self: torch.Tensor, *, size: int, fill_value: int = -1) -> torch.Tensor:
    """Finds the places of the first elements that are not 0. Others write to the place behind the result."""
    flags = self.reshape(-1) != 0
    number = torch.cumsum(flags, 0) - 1
    to = torch.where(flags & (number < size), number, size)
    columns = []
    step = 1
    for length in reversed(self.shape):
        place = torch.arange(self.numel(), device=self.device) // step % length
        column = torch.full((size + 1,), fill_value, dtype=torch.int64, device=self.device)
        columns.append(aten.index_put.default(column, [to], place)[:size])
        step = step * length
    if not columns:
        return torch.zeros((size, 0), dtype=torch.int64, device=self.device)
    return torch.stack(columns[::-1], 1)


@decomposes(aten.pow.Tensor_Tensor)
def pow_of_integers(self: torch.Tensor, exponent: torch.Tensor) -> Any:
    kind = torch.result_type(self, exponent)
    if kind.is_floating_point or kind == torch.bool:
        return NotImplemented
    base, exponent = torch.broadcast_tensors(self.long(), exponent.long())
    count = base.numel()
    (made,) = launch(integer_power, (blocks(count, 256),), base, exponent,
                     base.new_empty(base.shape), count, outputs=["out"], BLOCK=256)
    return made.to(kind)


@decomposes(aten.hash_tensor.default)
def hash_tensor(self: torch.Tensor, dim: Sequence[int] = (), *, keepdim: bool = False, mode: int = 0) -> torch.Tensor:
    """Combines the bits of elements, of f64 or i64, by exclusive or."""
    bits = self.double().view(torch.int64) if self.dtype.is_floating_point else self.long()
    if self.dim() == 0:
        return bits.view(torch.uint64)
    dims = sorted({one % self.dim() for one in dim} or set(range(self.dim())))
    made = torch.ops.prims.xor_sum(bits, dims)
    if keepdim:
        for one in dims:
            made = made.unsqueeze(one)
    return made.view(torch.uint64)


def _shift(self: Any, other: Any) -> tuple[torch.dtype, torch.Tensor, torch.Tensor]:
    """Returns the type of a shift's result, and both operands in this type."""
    kind = torch.result_type(self, other)
    device = self.device if isinstance(self, torch.Tensor) else other.device
    values, amounts = (one.to(kind) if isinstance(one, torch.Tensor) else torch.full((), one, dtype=kind, device=device)
                       for one in (self, other))
    return kind, values, amounts


@decomposes_alone(aten.bitwise_left_shift.Tensor, aten.bitwise_left_shift.Tensor_Scalar,
                  aten.bitwise_left_shift.Scalar_Tensor, aten.__lshift__.Tensor, aten.__lshift__.Scalar)
def left_shift(self: Any, other: Any) -> Any:
    """Shifts out all bits if the amount is negative or no less than the number of bits, as the CPU does."""
    kind, values, amounts = _shift(self, other)
    if kind.is_floating_point:
        return NotImplemented
    fits = (amounts >= 0) & (amounts < torch.iinfo(kind).bits)
    return torch.where(fits, aten.bitwise_left_shift.Tensor(values, torch.where(fits, amounts, 0)), 0)


@decomposes_alone(aten.bitwise_right_shift.Tensor, aten.bitwise_right_shift.Tensor_Scalar,
                  aten.bitwise_right_shift.Scalar_Tensor, aten.__rshift__.Tensor, aten.__rshift__.Scalar)
def right_shift(self: Any, other: Any) -> Any:
    """Leaves copies of the sign if the amount is negative or no less than the number of bits, as the CPU does."""
    kind, values, amounts = _shift(self, other)
    if kind.is_floating_point:
        return NotImplemented
    bits = torch.iinfo(kind).bits
    fits = (amounts >= 0) & (amounts < bits)
    shifted = aten.bitwise_right_shift.Tensor(values, torch.where(fits, amounts, bits - 1))
    return shifted if kind.is_signed else torch.where(fits, shifted, 0)


@decomposes_alone(aten.__ilshift__.Tensor, aten.__ilshift__.Scalar)
def left_shift_in_place(self: torch.Tensor, other: Any) -> torch.Tensor:
    return self.copy_(left_shift(self, other))


@decomposes_alone(aten.__irshift__.Tensor, aten.__irshift__.Scalar)
def right_shift_in_place(self: torch.Tensor, other: Any) -> torch.Tensor:
    return self.copy_(right_shift(self, other))


@decomposes(aten.nextafter.default)
def nextafter(x: torch.Tensor, toward: torch.Tensor) -> torch.Tensor:
    """Computes neighbours of 16-bit floats. Inductor computes with float32, whose neighbours are nearer."""
    dtype = torch.result_type(x, toward)
    if dtype not in (torch.bfloat16, torch.float16):
        return NotImplemented
    x, toward = torch.broadcast_tensors(x.to(dtype), toward.to(dtype))
    # Floats have the order of integers that count them from zero. Devices that take small floats for zeros count right.
    place, target = (torch.where(bits < 0, -(bits & 0x7fff), bits) for bits in
                     (one.view(torch.int16).to(torch.int32) for one in (x, toward)))
    next_place = place + (target - place).sign()
    is_below = (next_place < 0) | ((next_place == 0) & (place < 0))
    moved = torch.where(is_below, next_place.abs() - 0x8000, next_place).to(torch.int16).view(dtype)
    moved = torch.where(target == place, toward, moved)
    return torch.where(x.isnan() | toward.isnan(), x + toward, moved)
