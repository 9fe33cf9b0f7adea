"""Attention, forward and backward, without memory for the scores.

Tensors are batch x heads x length x width in any layout. Keys and values may have fewer heads: each serves a group of
the queries' heads.
"""
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.file import Tensor
from ..plans.own import Operand, Writer
from ..plans.values import Unsupported


_LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def _scores(query, key, bias_at, i, j, rows, columns, scale, HAS_BIAS: tl.constexpr, IS_CAUSAL: tl.constexpr,
            IS_MASKED: tl.constexpr, bias_row, bias_column):
    """Returns a block of scores, as exponents of 2. Those that do not count are minus infinity."""
    score = tl.dot(query, tl.trans(key)) * (scale * _LOG2_E)
    if HAS_BIAS:
        seen = (i[:, None] < rows) & (j[None, :] < columns)
        bias = tl.load(bias_at + i[:, None] * bias_row + j[None, :] * bias_column, mask=seen, other=0)
        score += bias.to(tl.float32) * _LOG2_E
    if IS_MASKED:
        seen = j[None, :] < columns
        if IS_CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        score = tl.where(seen, score, -float("inf"))
    return score


@triton.jit
def _load(at, i, i_stride, d, d_stride, count, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr, IS_MASKED: tl.constexpr):
    """Returns rows of a matrix. Those beyond its end, and its width, are zero."""
    at += i[:, None] * i_stride + d[None, :] * d_stride
    if IS_MASKED:
        return tl.load(at, mask=(i[:, None] < count) & (d[None, :] < WIDTH), other=0)
    if WIDTH < BLOCK_D:
        return tl.load(at, mask=d[None, :] < WIDTH, other=0)
    return tl.load(at)


@triton.jit
def _attend(query, k, v, bias_at, start, i, d, most, total, sum, rows, columns, scale, k_t, k_d, v_t, v_d, bias_row,
            bias_column, HAS_BIAS: tl.constexpr, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr,
            BLOCK_N: tl.constexpr, IS_MASKED: tl.constexpr):
    """Adds a block of keys and values to what a block of queries has seen."""
    j = start + tl.arange(0, BLOCK_N)
    key = _load(k, j, k_t, d, k_d, columns, WIDTH, BLOCK_D, IS_MASKED)
    score = _scores(query, key, bias_at, i, j, rows, columns, scale, HAS_BIAS, IS_CAUSAL, IS_MASKED, bias_row,
                    bias_column)
    now = tl.maximum(most, tl.max(score, 1))
    # Without a bias, each row has seen its first key.
    base = tl.where(now == -float("inf"), 0.0, now) if HAS_BIAS else now
    weight = tl.exp2(score - base[:, None])
    before = tl.exp2(most - base)
    value = _load(v, j, v_t, d, v_d, columns, WIDTH, BLOCK_D, IS_MASKED)
    sum = tl.dot(weight.to(value.dtype), value, sum * before[:, None])
    return now, total * before + tl.sum(weight, 1), sum


@triton.jit
def forward(q, k, v, bias, out, sums, scale, heads, group, rows, columns, q_b, q_h, q_t, q_d, k_b, k_h, k_t, k_d, v_b,
            v_h, v_t, v_d, bias_b, bias_h, bias_row, bias_column, out_b, out_h, out_t, out_d, HAS_BIAS: tl.constexpr,
            IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr,
            BLOCK_N: tl.constexpr, ROWS_ARE_EVEN: tl.constexpr):
    """Writes the attention, and the logarithms of the sums of exponentials."""
    blocks = tl.cdiv(rows, BLOCK_M)
    head_at = tl.program_id(0) // blocks
    b = (head_at // heads).to(tl.int64)
    h = (head_at % heads).to(tl.int64)
    first = tl.program_id(0) % blocks * BLOCK_M
    i = first + tl.arange(0, BLOCK_M)
    d = tl.arange(0, BLOCK_D)
    query = _load(q + b * q_b + h * q_h, i, q_t, d, q_d, rows, WIDTH, BLOCK_D, not ROWS_ARE_EVEN)
    k += b * k_b + h // group * k_h
    v += b * v_b + h // group * v_h
    bias_at = bias + b * bias_b + h * bias_h if HAS_BIAS else bias
    most = tl.full((BLOCK_M,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sum = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
    # Blocks that all rows see as a whole come first.
    end = min(first + BLOCK_M, columns) if IS_CAUSAL else columns
    whole = (min(first, columns) if IS_CAUSAL else columns) // BLOCK_N * BLOCK_N
    for start in range(0, whole, BLOCK_N):
        most, total, sum = _attend(query, k, v, bias_at, start, i, d, most, total, sum, rows, columns, scale, k_t, k_d,
                                   v_t, v_d, bias_row, bias_column, HAS_BIAS, IS_CAUSAL, WIDTH, BLOCK_D, BLOCK_N, False)
    for start in range(whole, end, BLOCK_N):
        most, total, sum = _attend(query, k, v, bias_at, start, i, d, most, total, sum, rows, columns, scale, k_t, k_d,
                                   v_t, v_d, bias_row, bias_column, HAS_BIAS, IS_CAUSAL, WIDTH, BLOCK_D, BLOCK_N, True)
    count = tl.where(total == 0, 1.0, total)
    at = out + b * out_b + h * out_h + i[:, None] * out_t + d[None, :] * out_d
    result = (sum / count[:, None]).to(out.dtype.element_ty)
    if ROWS_ARE_EVEN and WIDTH == BLOCK_D:
        tl.store(at, result)
    else:
        tl.store(at, result, mask=(i[:, None] < rows) & (d[None, :] < WIDTH))
    base = tl.where(most == -float("inf"), 0.0, most)
    tl.store(sums + head_at.to(tl.int64) * rows + i, (base + tl.log2(count)) / _LOG2_E, mask=i < rows)


@triton.jit
def weigh(out, gradient, weighed, heads, rows, out_b, out_h, out_t, out_d, gradient_b, gradient_h, gradient_t,
          gradient_d, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr):
    """Writes the products of the results and their gradients, summed over the width."""
    blocks = tl.cdiv(rows, BLOCK_M)
    head_at = tl.program_id(0) // blocks
    b = (head_at // heads).to(tl.int64)
    h = (head_at % heads).to(tl.int64)
    i = tl.program_id(0) % blocks * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, BLOCK_D)
    mask = (i[:, None] < rows) & (d[None, :] < WIDTH)
    x = tl.load(out + b * out_b + h * out_h + i[:, None] * out_t + d[None, :] * out_d, mask=mask, other=0)
    y = tl.load(gradient + b * gradient_b + h * gradient_h + i[:, None] * gradient_t + d[None, :] * gradient_d,
                mask=mask, other=0)
    tl.store(weighed + head_at.to(tl.int64) * rows + i, tl.sum(x.to(tl.float32) * y.to(tl.float32), 1), mask=i < rows)


@triton.jit
def backward_rows(q, k, v, bias, gradient, sums, weighed, out, scale, heads, group, rows, columns, q_b, q_h, q_t, q_d,
                  k_b, k_h, k_t, k_d, v_b, v_h, v_t, v_d, bias_b, bias_h, bias_row, bias_column, gradient_b,
                  gradient_h, gradient_t, gradient_d, out_b, out_h, out_t, out_d, HAS_BIAS: tl.constexpr,
                  IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr,
                  BLOCK_N: tl.constexpr, ROWS_ARE_EVEN: tl.constexpr):
    """Writes the gradient of the queries."""
    blocks = tl.cdiv(rows, BLOCK_M)
    head_at = tl.program_id(0) // blocks
    b = (head_at // heads).to(tl.int64)
    h = (head_at % heads).to(tl.int64)
    first = tl.program_id(0) % blocks * BLOCK_M
    i = first + tl.arange(0, BLOCK_M)
    d = tl.arange(0, BLOCK_D)
    query = _load(q + b * q_b + h * q_h, i, q_t, d, q_d, rows, WIDTH, BLOCK_D, not ROWS_ARE_EVEN)
    change = _load(gradient + b * gradient_b + h * gradient_h, i, gradient_t, d, gradient_d, rows, WIDTH, BLOCK_D,
                   not ROWS_ARE_EVEN)
    base = tl.load(sums + head_at.to(tl.int64) * rows + i, mask=i < rows, other=0) * _LOG2_E
    mean = tl.load(weighed + head_at.to(tl.int64) * rows + i, mask=i < rows, other=0)
    k += b * k_b + h // group * k_h
    v += b * v_b + h // group * v_h
    bias_at = bias + b * bias_b + h * bias_h if HAS_BIAS else bias
    sum = tl.zeros((BLOCK_M, BLOCK_D), tl.float32)
    end = min(first + BLOCK_M, columns) if IS_CAUSAL else columns
    whole = (min(first, columns) if IS_CAUSAL else columns) // BLOCK_N * BLOCK_N
    for start in range(0, whole, BLOCK_N):
        sum = _query_change(query, change, k, v, bias_at, start, i, d, base, mean, sum, rows, columns, scale, k_t, k_d,
                            v_t, v_d, bias_row, bias_column, HAS_BIAS, IS_CAUSAL, WIDTH, BLOCK_D, BLOCK_N, False)
    for start in range(whole, end, BLOCK_N):
        sum = _query_change(query, change, k, v, bias_at, start, i, d, base, mean, sum, rows, columns, scale, k_t, k_d,
                            v_t, v_d, bias_row, bias_column, HAS_BIAS, IS_CAUSAL, WIDTH, BLOCK_D, BLOCK_N, True)
    tl.store(out + b * out_b + h * out_h + i[:, None] * out_t + d[None, :] * out_d,
             (sum * scale).to(out.dtype.element_ty), mask=(i[:, None] < rows) & (d[None, :] < WIDTH))


@triton.jit
def _query_change(query, change, k, v, bias_at, start, i, d, base, mean, sum, rows, columns, scale, k_t, k_d, v_t, v_d,
                  bias_row, bias_column, HAS_BIAS: tl.constexpr, IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr,
                  BLOCK_D: tl.constexpr, BLOCK_N: tl.constexpr, IS_MASKED: tl.constexpr):
    """Adds what a block of keys and values gives to the gradient of a block of queries."""
    j = start + tl.arange(0, BLOCK_N)
    key = _load(k, j, k_t, d, k_d, columns, WIDTH, BLOCK_D, IS_MASKED)
    value = _load(v, j, v_t, d, v_d, columns, WIDTH, BLOCK_D, IS_MASKED)
    score = _scores(query, key, bias_at, i, j, rows, columns, scale, HAS_BIAS, IS_CAUSAL, IS_MASKED, bias_row,
                    bias_column)
    weight = tl.exp2(score - base[:, None])
    changes = weight * (tl.dot(change, tl.trans(value)) - mean[:, None])
    return tl.dot(changes.to(key.dtype), key, sum)


@triton.jit
def backward_columns(q, k, v, bias, gradient, sums, weighed, key_out, value_out, scale, heads, group, rows, columns,
                     q_b, q_h, q_t, q_d, k_b, k_h, k_t, k_d, v_b, v_h, v_t, v_d, bias_b, bias_h, bias_row,
                     bias_column, gradient_b, gradient_h, gradient_t, gradient_d, key_out_b, key_out_h, key_out_t,
                     key_out_d, value_out_b, value_out_h, value_out_t, value_out_d, HAS_BIAS: tl.constexpr,
                     IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr,
                     BLOCK_N: tl.constexpr, ROWS_ARE_EVEN: tl.constexpr):
    """Writes the gradients of the keys and the values."""
    blocks = tl.cdiv(columns, BLOCK_N)
    head_at = tl.program_id(0) // blocks
    b = (head_at // (heads // group)).to(tl.int64)
    shared = (head_at % (heads // group)).to(tl.int64)
    first = tl.program_id(0) % blocks * BLOCK_N
    j = first + tl.arange(0, BLOCK_N)
    d = tl.arange(0, BLOCK_D)
    key = _load(k + b * k_b + shared * k_h, j, k_t, d, k_d, columns, WIDTH, BLOCK_D, True)
    value = _load(v + b * v_b + shared * v_h, j, v_t, d, v_d, columns, WIDTH, BLOCK_D, True)
    key_sum = tl.zeros((BLOCK_N, BLOCK_D), tl.float32)
    value_sum = tl.zeros((BLOCK_N, BLOCK_D), tl.float32)
    begin = first // BLOCK_M * BLOCK_M if IS_CAUSAL else 0
    # From here on, all rows see the block as a whole.
    whole = min(tl.cdiv(first + BLOCK_N, BLOCK_M) * BLOCK_M, rows) if IS_CAUSAL else 0
    for member in range(group):
        h = shared * group + member
        at = (b * heads + h) * rows
        q_at = q + b * q_b + h * q_h
        gradient_at = gradient + b * gradient_b + h * gradient_h
        bias_at = bias + b * bias_b + h * bias_h if HAS_BIAS else bias
        if IS_CAUSAL:
            for start in range(begin, whole, BLOCK_M):
                key_sum, value_sum = _key_change(
                    q_at, gradient_at, key, value, bias_at, sums + at, weighed + at, start, j, d, key_sum, value_sum,
                    rows, columns, scale, q_t, q_d, gradient_t, gradient_d, bias_row, bias_column, HAS_BIAS, True,
                    WIDTH, BLOCK_D, BLOCK_M, ROWS_ARE_EVEN, True)
        for start in range(whole, rows, BLOCK_M):
            key_sum, value_sum = _key_change(
                q_at, gradient_at, key, value, bias_at, sums + at, weighed + at, start, j, d, key_sum, value_sum,
                rows, columns, scale, q_t, q_d, gradient_t, gradient_d, bias_row, bias_column, HAS_BIAS, False, WIDTH,
                BLOCK_D, BLOCK_M, ROWS_ARE_EVEN, False)
    mask = (j[:, None] < columns) & (d[None, :] < WIDTH)
    tl.store(key_out + b * key_out_b + shared * key_out_h + j[:, None] * key_out_t + d[None, :] * key_out_d,
             (key_sum * scale).to(key_out.dtype.element_ty), mask=mask)
    tl.store(value_out + b * value_out_b + shared * value_out_h + j[:, None] * value_out_t + d[None, :] * value_out_d,
             value_sum.to(value_out.dtype.element_ty), mask=mask)


@triton.jit
def _key_change(q, gradient, key, value, bias_at, sums, weighed, start, j, d, key_sum, value_sum, rows, columns, scale,
                q_t, q_d, gradient_t, gradient_d, bias_row, bias_column, HAS_BIAS: tl.constexpr,
                IS_CAUSAL: tl.constexpr, WIDTH: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_M: tl.constexpr,
                ROWS_ARE_EVEN: tl.constexpr, IS_MASKED: tl.constexpr):
    """Adds what a block of queries gives to the gradients of a block of keys and values.

    Queries and gradients beyond the last row are zero, and so is what they add.
    """
    i = start + tl.arange(0, BLOCK_M)
    query = _load(q, i, q_t, d, q_d, rows, WIDTH, BLOCK_D, not ROWS_ARE_EVEN)
    change = _load(gradient, i, gradient_t, d, gradient_d, rows, WIDTH, BLOCK_D, not ROWS_ARE_EVEN)
    if ROWS_ARE_EVEN:
        base, mean = tl.load(sums + i) * _LOG2_E, tl.load(weighed + i)
    else:
        base = tl.load(sums + i, mask=i < rows, other=0) * _LOG2_E
        mean = tl.load(weighed + i, mask=i < rows, other=0)
    score = _scores(query, key, bias_at, i, j, rows, columns, scale, HAS_BIAS, IS_CAUSAL, IS_MASKED, bias_row,
                    bias_column)
    weight = tl.exp2(score - base[:, None])
    value_sum = tl.dot(tl.trans(weight.to(change.dtype)), change, value_sum)
    changes = weight * (tl.dot(change, tl.trans(value)) - mean[:, None])
    return tl.dot(tl.trans(changes.to(query.dtype)), query, key_sum), value_sum


class _Attention:
    """What the plans of one attention share."""

    def __init__(self, writer: Writer, q: Operand, k: Operand, v: Operand, bias: Operand | None, causal: bool,
                 scale: Any) -> None:
        self.writer, self.q, self.k, self.bias = writer, q, k, bias
        width, heads, shared = q.actual_sizes[3], q.actual_sizes[1], k.actual_sizes[1]
        if not q.kind == k.kind == v.kind or q.kind not in (torch.float32, torch.float16, torch.bfloat16):
            raise Unsupported(f"attention on the types {q.kind}, {k.kind} and {v.kind}; expected float32, float16 or "
                              "bfloat16 for all")
        if k.actual_sizes != v.actual_sizes or k.actual_sizes[3] != width or width > 256 or heads % shared:
            raise Unsupported(f"attention on the sizes {q.actual_sizes}, {k.actual_sizes} and {v.actual_sizes}; expected "
                              "keys and values of one size, and heads of one width up to 256")
        if any(0 in one.actual_sizes for one in (q, k)):
            raise Unsupported("attention on tensors without elements")
        small = [writer.is_small(one) for one in (q, k, v, bias) if one is not None]
        if not all(small):
            raise Unsupported("attention on tensors of more than 2^31 elements")  # kernels compute addresses by 32 bits
        fixed = writer.constant(width)
        for one in (q, k, v):
            writer.file.require(writer.apply("eq", one.size(3), fixed))
        for dim in range(3):
            writer.file.require(writer.apply("eq", k.size(dim), v.size(dim)))
        writer.file.require(writer.apply("eq", q.size(0), k.size(0)))
        group = writer.constant(heads // shared)
        writer.file.require(writer.apply("eq", q.size(1), writer.product(k.size(1), group)))
        self.width, self.block_d = width, max(16, triton.next_power_of_2(width))
        self.numbers = {"scale": (writer.real(scale), "fp32"), "heads": (q.size(1), "i32"), "group": (group, "i32"),
                        "rows": (q.size(2), "i32"), "columns": (k.size(2), "i32")}
        self.constants = {"HAS_BIAS": bias is not None, "IS_CAUSAL": causal, "WIDTH": width, "BLOCK_D": self.block_d,
                          "ROWS_ARE_EVEN": writer.is_multiple(q.size(2), q.actual_sizes[2], 128)}
        self._aligned: dict[int, bool] = {}
        self.align(q, k, v)

    def align(self, *operands: Operand) -> None:
        """Decides for operands whether their strides are aligned."""
        self._aligned |= {id(one): self._is_aligned(one) for one in operands}

    def _is_aligned(self, given: Operand) -> bool:
        """Decides whether all strides are multiples of 16, apart from those that are known."""
        decided = [self.writer.is_multiple(given.stride(dim), given.actual_strides[dim], 16)
                   for dim in range(4) if given.known_stride(dim) is None]
        return all(decided)

    def rows_grid(self, block: int) -> int:
        """Returns the number of programs for all rows."""
        return self.writer.product(self.writer.ceil_div(self.q.size(2), block), self.q.size(0), self.q.size(1))

    def columns_grid(self, block: int) -> int:
        """Returns the number of programs for all columns."""
        return self.writer.product(self.writer.ceil_div(self.k.size(2), block), self.k.size(0), self.k.size(1))

    def make_like(self, given: Operand) -> tuple[Tensor, list[tuple[int, int | None]]]:
        """Allocates a tensor with the sizes of another, and the order of its strides. Returns its strides, too."""
        writer = self.writer
        order = _order(writer, given)
        strides: list[tuple[int, int | None]] = [(writer.constant(1), 1)] * 4
        step: tuple[int, int | None] = (writer.constant(1), 1)
        for dim in reversed(order):
            strides[dim] = step
            step = (writer.product(step[0], given.size(dim)), None)
        sizes = [given.size(dim) for dim in range(4)]
        return writer.file.allocate(given.kind, sizes, [value for value, _ in strides]), strides

    def launch(self, kernel: Any, grid: int, arguments: dict[str, Any], blocks: dict[str, int], warps: int,
               made: dict[str, list[tuple[int, int | None]]]) -> None:
        """Adds a launch. Strides of operands are passed, and those of the tensors in `made`."""
        everything = arguments | self.numbers
        constants: dict[str, Any] = self.constants | blocks
        if self.bias is None:
            constants |= {"bias": None, "bias_b": 0, "bias_h": 0, "bias_row": 0, "bias_column": 0}
        else:
            everything["bias"] = self.bias
        strides: dict[str, tuple[int, int | None]] = {}
        for name, given in list(everything.items()):
            if isinstance(given, Operand) and given.rank == 4:
                letters = ("b", "h", "row", "column") if name == "bias" else "bhtd"
                for dim, letter in enumerate(letters):
                    strides[f"{name}_{letter}"] = (given.stride(dim), given.known_stride(dim))
        aligned = [f"{name}_{letter}" for name, given in everything.items() if self._aligned.get(id(given))
                   for letter in "bhtd"]
        for name, own in made.items():
            strides |= {f"{name}_{letter}": stride for letter, stride in zip("bhtd", own)}
            if own[3][1] == 1 and self.width % 16 == 0:
                aligned += [f"{name}_{letter}" for letter in "bht"]
        for name, (value, known) in strides.items():
            if known is None:
                everything[name] = (value, "i32")
            else:
                constants[name] = known
        constants = {name: value for name, value in constants.items() if name in kernel.arg_names}
        self.writer.launch(kernel, [grid], everything, constants, aligned=aligned, num_warps=warps)

    def blocks(self, *, is_forward: bool) -> tuple[dict[str, int], int]:
        """Chooses the size of a block of scores, and the number of warps."""
        if self.writer.is_cpu:
            return {"BLOCK_M": 64, "BLOCK_N": 64}, 4
        if self.q.kind == torch.float32 or self.block_d > 128:
            return {"BLOCK_M": 32, "BLOCK_N": 32}, 4
        return {"BLOCK_M": 128 if is_forward else 64, "BLOCK_N": 64}, 4


def _order(writer: Writer, given: Operand) -> list[int]:
    """Decides the order of a tensor's dimensions in memory, as `torch.empty_like` does."""
    if given.layout == "c":
        return [0, 1, 2, 3]
    dims = [dim for dim in range(4) if given.actual_sizes[dim] > 1]
    if given.layout == "p":
        order = [dim for dim in given.order if dim in dims]
    else:
        order = sorted(dims, key=lambda dim: -given.actual_strides[dim])
        for outer, inner in zip(order, order[1:]):
            writer.decide(writer.apply("ge", given.stride(outer), given.stride(inner)), is_so=True)
    return [dim for dim in range(4) if dim not in dims] + order


def attention(writer: Writer, q: Operand, k: Operand, v: Operand, bias: Operand | None, causal: bool,
              scale: Any) -> None:
    """Writes the plan of pumice_vk::attention."""
    made = _Attention(writer, q, k, v, bias, causal, scale)
    blocks, warps = made.blocks(is_forward=True)
    out, strides = made.make_like(q)
    one = writer.constant(1)
    sizes = [q.size(0), q.size(1), q.size(2)]
    sums = writer.file.allocate(torch.float32, sizes, [writer.product(sizes[1], sizes[2]), sizes[2], one])
    arguments: dict[str, Any] = {"q": q, "k": k, "v": v, "out": (out, q.kind), "sums": (sums, torch.float32)}
    made.launch(forward, made.rows_grid(blocks["BLOCK_M"]), arguments, blocks, warps, {"out": strides})
    writer.file.add_result(out)
    writer.file.add_result(sums)


def attention_backward(writer: Writer, gradient: Operand, q: Operand, k: Operand, v: Operand, bias: Operand | None,
                       out: Operand, sums: Operand, causal: bool, scale: Any) -> None:
    """Writes the plan of pumice_vk::attention_backward."""
    made = _Attention(writer, q, k, v, bias, causal, scale)
    small = [writer.is_small(one) for one in (gradient, out)]
    if not all(small):
        raise Unsupported("attention on tensors of more than 2^31 elements")
    made.align(gradient, out)
    if sums.layout != "c":
        raise Unsupported("attention whose sums are not contiguous")
    blocks, warps = made.blocks(is_forward=False)
    (query_out, query_strides), (key_out, key_strides), (value_out, value_strides) = map(made.make_like, (q, k, v))
    count = writer.product(q.size(0), q.size(1), q.size(2))
    weighed = writer.file.allocate(torch.float32, [count], [writer.constant(1)])
    common: dict[str, Any] = {"weighed": (weighed, torch.float32), "gradient": gradient}
    made.launch(weigh, made.rows_grid(64), common | {"out": out}, {"BLOCK_M": 64}, 4, {})
    common |= {"q": q, "k": k, "v": v, "sums": sums}
    made.launch(backward_rows, made.rows_grid(blocks["BLOCK_M"]), common | {"out": (query_out, q.kind)}, blocks, warps,
                {"out": query_strides})
    made.launch(backward_columns, made.columns_grid(blocks["BLOCK_N"]),
                common | {"key_out": (key_out, k.kind), "value_out": (value_out, v.kind)}, blocks, warps,
                {"key_out": key_strides, "value_out": value_strides})
    writer.file.free(weighed)
    for one in (query_out, key_out, value_out):
        writer.file.add_result(one)
