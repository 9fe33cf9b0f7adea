"""Layer norm, forward and backward, with a row of elements in the registers of a workgroup."""
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.file import Tensor
from ..plans.own import Operand, Writer
from ..plans.values import Unsupported

_KINDS = (torch.float32, torch.float16, torch.bfloat16)
_WIDEST = 8192    # elements of a row
_PROGRAMS = 512   # that sum up gradients of weights


@triton.jit
def _load(at, columns, width, IS_WHOLE: tl.constexpr):
    """Returns a row in f32, with zeros beyond its end."""
    if IS_WHOLE:
        return tl.load(at + columns).to(tl.float32)
    return tl.load(at + columns, mask=columns < width, other=0).to(tl.float32)


@triton.jit
def _store(at, columns, value, width, IS_WHOLE: tl.constexpr):
    value = value.to(at.dtype.element_ty)
    if IS_WHOLE:
        tl.store(at + columns, value)
    else:
        tl.store(at + columns, value, mask=columns < width)


@triton.jit
def forward(x, weight, bias, out, means, inverses, width, eps, BLOCK: tl.constexpr, IS_WHOLE: tl.constexpr):
    """Writes a row with mean 0 and variance 1, scaled and shifted, and its mean and inverse deviation."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    value = _load(x + row * width, columns, width, IS_WHOLE)
    mean = tl.sum(value) / width
    apart = value - mean if IS_WHOLE else tl.where(columns < width, value - mean, 0.0)
    inverse = 1 / tl.sqrt(tl.sum(apart * apart) / width + eps)
    result = apart * inverse
    if weight is not None:
        result *= _load(weight, columns, width, IS_WHOLE)
    if bias is not None:
        result += _load(bias, columns, width, IS_WHOLE)
    _store(out + row * width, columns, result, width, IS_WHOLE)
    tl.store(means + row, mean)
    tl.store(inverses + row, inverse)


@triton.jit
def backward(gradient, x, weight, means, inverses, out, weight_sums, bias_sums, rows, width, BLOCK: tl.constexpr,
             IS_WHOLE: tl.constexpr):
    """Writes the gradients of every n-th row, and adds up what the rows give to the gradients of weights."""
    columns = tl.arange(0, BLOCK)
    weight_sum = tl.zeros((BLOCK,), tl.float32)
    bias_sum = tl.zeros((BLOCK,), tl.float32)
    factor = tl.full((BLOCK,), 1.0, tl.float32) if weight is None else _load(weight, columns, width, IS_WHOLE)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        at = tl.cast(row, tl.int64) * width
        change = _load(gradient + at, columns, width, IS_WHOLE)
        inverse = tl.load(inverses + row)
        normal = (_load(x + at, columns, width, IS_WHOLE) - tl.load(means + row)) * inverse
        if not IS_WHOLE:
            normal = tl.where(columns < width, normal, 0.0)
        scaled = change * factor
        if out is not None:
            result = scaled - tl.sum(scaled) / width - normal * (tl.sum(scaled * normal) / width)
            _store(out + at, columns, result * inverse, width, IS_WHOLE)
        weight_sum += change * normal
        bias_sum += change
    at = tl.program_id(0).to(tl.int64) * width
    if weight_sums is not None:
        _store(weight_sums + at, columns, weight_sum, width, IS_WHOLE)
    if bias_sums is not None:
        _store(bias_sums + at, columns, bias_sum, width, IS_WHOLE)


@triton.jit
def add_up(sums, out, count, width, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    """Writes the sums of columns."""
    columns = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((ROWS, BLOCK), tl.float32)
    for first in range(0, count, ROWS):
        row = first + tl.arange(0, ROWS)
        mask = (row[:, None] < count) & (columns[None, :] < width)
        total += tl.load(sums + row[:, None] * width + columns[None, :], mask=mask, other=0)
    tl.store(out + columns, tl.sum(total, 0).to(out.dtype.element_ty), mask=columns < width)


class _Rows:
    """A tensor as rows of the elements that are normalized together."""

    def __init__(self, writer: Writer, x: Operand, shape: list[Any], *others: Operand | None) -> None:
        for given in (x, *others):
            if given is not None and (given.kind not in _KINDS or given.layout != "c"):
                raise Unsupported("a layer norm of tensors that are not contiguous, or of other types than float32, "
                                  "float16 and bfloat16")
        first = x.rank - len(shape)
        actual = 1
        for size in x.actual_sizes[first:]:
            actual *= size
        if not shape or 0 in x.actual_sizes or actual > _WIDEST:
            raise Unsupported(f"a layer norm of {actual} elements at once; expected 1 to {_WIDEST}")
        for dim, size in enumerate(shape):
            writer.file.require(writer.apply("eq", x.size(first + dim), size))
        self.width = writer.product(*(x.size(dim) for dim in range(first, x.rank)))
        self.rows = writer.product(*(x.size(dim) for dim in range(first)))
        block = max(16, triton.next_power_of_2(actual))
        self.outer = [x.size(dim) for dim in range(first)] + [writer.constant(1)] * len(shape)
        self.sizes = [x.size(dim) for dim in range(x.rank)]
        writer.is_at_most(self.width, actual, block)
        writer.is_at_most(self.width, actual, block // 2 if block > 16 else 0)
        self.is_aligned = writer.is_multiple(self.width, actual, 16)
        self.constants = {"BLOCK": block,
                          "IS_WHOLE": writer.decide(writer.apply("eq", self.width, writer.constant(block)), actual == block)}
        self.warps = 4 if writer.is_cpu else max(1, min(16, block // 512))

    def strides(self, writer: Writer, sizes: list[int]) -> list[int]:
        """Returns the strides of a contiguous tensor."""
        made = [writer.constant(1)]
        for size in reversed(sizes[1:]):
            made.insert(0, writer.product(size, made[0]))
        return made

    def allocate(self, writer: Writer, kind: torch.dtype, sizes: list[int]) -> Tensor:
        """Allocates a contiguous tensor."""
        return writer.file.allocate(kind, sizes, self.strides(writer, sizes))

    def launch(self, writer: Writer, kernel: Any, grid: int, arguments: dict[str, Any]) -> None:
        """Adds a launch. Arguments that are None are constants."""
        absent = {name: None for name, given in arguments.items() if given is None}
        present = {name: given for name, given in arguments.items() if given is not None}
        writer.launch(kernel, [grid], present | {"width": (self.width, "i32")}, self.constants | absent,
                      aligned=["width"] if self.is_aligned else [], num_warps=self.warps)


def native_layer_norm(writer: Writer, x: Operand, shape: list[Any], weight: Operand | None, bias: Operand | None,
                      eps: Any) -> None:
    """Writes the plan of native_layer_norm."""
    made = _Rows(writer, x, shape, weight, bias)
    out = made.allocate(writer, x.kind, made.sizes)
    means, inverses = (made.allocate(writer, torch.float32, made.outer) for _ in range(2))
    made.launch(writer, forward, made.rows, {
        "x": x, "weight": weight, "bias": bias, "out": (out, x.kind), "means": (means, torch.float32),
        "inverses": (inverses, torch.float32), "eps": (writer.real(eps), "fp32")})
    for one in (out, means, inverses):
        writer.file.add_result(one)


def native_layer_norm_backward(writer: Writer, gradient: Operand, x: Operand, shape: list[Any], means: Operand,
                               inverses: Operand, weight: Operand | None, bias: Operand | None,
                               wanted: list[bool]) -> None:
    """Writes the plan of native_layer_norm_backward."""
    made = _Rows(writer, x, shape, gradient, means, inverses, weight, bias)
    if means.kind != torch.float32 or inverses.kind != torch.float32 or gradient.actual_sizes != x.actual_sizes:
        raise Unsupported("a layer norm whose statistics are not float32")
    for dim in range(x.rank):
        writer.file.require(writer.apply("eq", gradient.size(dim), x.size(dim)))
    programs = writer.apply("min", made.rows, writer.constant(_PROGRAMS))
    out = made.allocate(writer, x.kind, made.sizes) if wanted[0] else None
    sums = [made.allocate(writer, torch.float32, [programs, made.width]) if one else None for one in wanted[1:]]
    made.launch(writer, backward, programs, {
        "gradient": gradient, "x": x, "weight": weight, "means": means, "inverses": inverses,
        "out": (out, x.kind) if out else None, "weight_sums": (sums[0], torch.float32) if sums[0] else None,
        "bias_sums": (sums[1], torch.float32) if sums[1] else None, "rows": (made.rows, "i32")})
    results: list[Tensor | None] = [out]
    kinds = [weight.kind if weight else x.kind, bias.kind if bias else weight.kind if weight else x.kind]
    inner = made.sizes[x.rank - len(shape):]
    for sum, kind in zip(sums, kinds):
        if sum is None:
            results.append(None)
            continue
        result = made.allocate(writer, kind, inner)
        results.append(result)
        block = 32
        writer.launch(add_up, [writer.ceil_div(made.width, block)], {
            "sums": (sum, torch.float32), "out": (result, kind), "count": (programs, "i32"),
            "width": (made.width, "i32")}, {"BLOCK": block, "ROWS": 32}, num_warps=4)
        writer.file.free(sum)
    for each in results:
        writer.file.add_result(each or writer.file.undefined())
