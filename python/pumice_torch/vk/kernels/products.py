"""Products of matrices and vectors."""
from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from ..plans.own import Operand, Writer
from ..plans.values import Unsupported


@triton.jit
def product(a, b, added, out, rows, columns, length, a_batch, a_row, a_column, b_batch, b_row, b_column, added_batch,
            added_row, added_column, out_batch, out_row, out_column, alpha, beta, KIND: tl.constexpr,
            ADDS: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
            IS_EVEN: tl.constexpr, USES_DOT: tl.constexpr, IS_SCALED: tl.constexpr):
    """Writes alpha * a @ b + beta * added for a batch of matrices."""
    down = tl.cdiv(rows, BLOCK_M)
    across = tl.cdiv(columns, BLOCK_N)
    tile = tl.program_id(0) % (down * across)
    batch = (tl.program_id(0) // (down * across)).to(tl.int64)
    # Eight rows of tiles together, column by column of tiles: their operands stay in the cache.
    first = tile // (8 * across) * 8
    height = min(down - first, 8)
    top = (first + tile % (8 * across) % height) * BLOCK_M
    left = tile % (8 * across) // height * BLOCK_N

    # Rows and columns beyond the edge begin again at the first. They are computed, but not stored.
    i = (top + tl.arange(0, BLOCK_M)) % rows
    j = (left + tl.arange(0, BLOCK_N)) % columns
    k = tl.arange(0, BLOCK_K)
    a_at = a + batch * a_batch + i[:, None] * a_row + k[None, :] * a_column
    b_at = b + batch * b_batch + k[:, None] * b_row + j[None, :] * b_column
    sum = tl.zeros((BLOCK_M, BLOCK_N), KIND)
    for step in range(tl.cdiv(length, BLOCK_K)):
        if IS_EVEN:
            x = tl.load(a_at)
            y = tl.load(b_at)
        else:
            rest = length - step * BLOCK_K
            x = tl.load(a_at, mask=k[None, :] < rest, other=0)
            y = tl.load(b_at, mask=k[:, None] < rest, other=0)
        if USES_DOT:
            sum = tl.dot(x, y, sum)
        else:
            sum += tl.sum(x.to(KIND)[:, :, None] * y.to(KIND)[None, :, :], 1)
        a_at += BLOCK_K * a_column
        b_at += BLOCK_K * b_row
    if IS_SCALED:
        sum *= alpha.to(KIND)
    i = top + tl.arange(0, BLOCK_M)
    j = left + tl.arange(0, BLOCK_N)
    mask = (i[:, None] < rows) & (j[None, :] < columns)
    if ADDS:
        at = batch * added_batch + i[:, None] * added_row + j[None, :] * added_column
        more = tl.load(added + at, mask=mask, other=0).to(KIND)
        sum += more * beta.to(KIND) if IS_SCALED else more
    tl.store(out + batch * out_batch + i[:, None] * out_row + j[None, :] * out_column, sum, mask=mask)


_KINDS = {torch.float32: tl.float32, torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float64: tl.float64,
          torch.int64: tl.int64, torch.int32: tl.int32, torch.int16: tl.int32, torch.int8: tl.int32,
          torch.uint8: tl.int32}


class _Matrices:
    """An operand as a batch of matrices, with (value, known stride) for each dimension's stride."""

    def __init__(self, writer: Writer, given: Operand, *, is_column: bool = False, is_row: bool = False) -> None:
        self.given = given
        one, none = writer.constant(1), (writer.constant(0), 0)
        sizes = [(given.size(dim), (given.stride(dim), given.known_stride(dim)), given.actual_sizes[dim])
                 for dim in range(given.rank)]
        if is_column or given.rank == 0:
            sizes.append((one, none, 1))
        if is_row or given.rank == 0:
            sizes.insert(-1, (one, none, 1))
        if len(sizes) == 2:
            sizes.insert(0, (one, none, 1))
        self.sizes = [size for size, _, _ in sizes]
        self.strides = [stride for _, stride, _ in sizes]
        self.actual = [actual for _, _, actual in sizes]


def _blocks(writer: Writer, rows: tuple[int, int], columns: tuple[int, int], batch: tuple[int, int],
            kind: torch.dtype) -> tuple[int, int, int, int]:
    """Chooses (rows, columns, and depth of a tile, warps). Sizes are (value, actual value)."""
    if kind in (torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        return 16, 16, 16, 4
    is_short = writer.is_at_most(*rows, 16)
    is_narrow = writer.is_at_most(*columns, 16)
    if writer.is_cpu:
        return 16 if is_short else 64, 16 if is_narrow else 64, 32, 4
    depth = 32 if kind == torch.float32 else 64
    if is_short or is_narrow:
        return 16 if is_short else 64, 16 if is_narrow else 64, depth, 4
    tiles = writer.product(writer.ceil_div(rows[0], 128), writer.ceil_div(columns[0], 128), batch[0])
    actual = -(-rows[1] // 128) * -(-columns[1] // 128) * batch[1]
    if writer.is_at_most(tiles, actual, 128):
        return 64, 64, depth, 4
    return 128, 128, depth, 4


def _write(writer: Writer, a: _Matrices, b: _Matrices, out: _Matrices, added: _Matrices | None = None,
           beta: Any = None, alpha: Any = None) -> None:
    kind = out.given.kind
    kinds = {one.given.kind for one in (a, b, out, added) if one is not None}
    if len(kinds) > 1 or kind not in _KINDS:
        raise Unsupported(f"a product of {a.given.kind} and {b.given.kind} in {kind}")
    if 0 in a.actual or 0 in b.actual:
        raise Unsupported("a product of matrices without elements")
    if out.given.tensor in (a.given.tensor, b.given.tensor):
        raise Unsupported("a product that is written to an operand")
    _check_sizes(writer, a, b, out, added)
    rows, columns, length = a.sizes[1], b.sizes[2], a.sizes[2]
    batch = (out.sizes[0], out.actual[0])
    if added is not None and not _is_used(writer, beta):
        added = None
    is_scaled = not (_is_one(writer, alpha) and (added is None or _is_one(writer, beta)))
    block_m, block_n, block_k, warps = _blocks(writer, (rows, a.actual[1]), (columns, b.actual[2]), batch, a.given.kind)
    compute = _KINDS[a.given.kind]
    arguments: dict[str, Any] = {"a": a.given, "b": b.given, "out": out.given, "rows": (rows, "i32"),
                                 "columns": (columns, "i32"), "length": (length, "i32")}
    constants: dict[str, Any] = {
        "KIND": compute, "ADDS": added is not None, "BLOCK_M": block_m, "BLOCK_N": block_n, "BLOCK_K": block_k,
        "IS_EVEN": writer.is_multiple(length, a.actual[2], block_k), "IS_SCALED": is_scaled,
        "USES_DOT": kind in (torch.float32, torch.float16, torch.bfloat16)}
    if added is None:
        constants["added"] = None
    else:
        arguments["added"] = added.given
    aligned = []
    are_small = [writer.is_small(one.given) for one in (a, b, added, out) if one is not None]
    index = "i32" if all(are_small) else "i64"
    for name, actual, value in (("rows", a.actual[1], rows), ("columns", b.actual[2], columns),
                                ("length", a.actual[2], length)):
        if writer.is_multiple(value, actual, 16):
            aligned.append(name)
    for name, one in (("a", a), ("b", b), ("added", added), ("out", out)):
        for part, dim in (("batch", 0), ("row", 1), ("column", 2)):
            value, known = one.strides[dim] if one is not None else (writer.constant(0), 0)
            if one is not None and one.actual[dim] > 1 and one.actual[0] == 1 and dim == 0:
                value, known = writer.constant(0), 0
            if known is not None:
                constants[f"{name}_{part}"] = known
                continue
            arguments[f"{name}_{part}"] = (value, index)
            actual = one.given.actual_strides[dim - 3] if one is not None else 0
            if writer.is_multiple(value, actual, 16):
                aligned.append(f"{name}_{part}")
    number = "fp64" if compute in (tl.float64, tl.int64) else "fp32"
    for name, value in (("alpha", alpha), ("beta", beta)):
        if is_scaled:
            arguments[name] = (writer.real(1.0 if value is None else value), number)
        else:
            constants[name] = 1
    grid = writer.product(writer.ceil_div(rows, block_m), writer.ceil_div(columns, block_n), batch[0])
    writer.launch(product, [grid], arguments, constants, aligned, num_warps=warps)


def _check_sizes(writer: Writer, a: _Matrices, b: _Matrices, out: _Matrices, added: _Matrices | None) -> None:
    """Holds the plan to operands that fit together. PyTorch has not checked a call with an out argument."""
    pairs = [(a, 2, b, 1), (a, 0, b, 0), (out, 0, a, 0), (out, 1, a, 1), (out, 2, b, 2)]
    if added is not None:
        pairs += [(added, dim, out, dim) for dim in range(3) if added.actual[dim] != 1]  # others are repeated
    for one, dim, other, its_dim in pairs:
        if one.actual[dim] != other.actual[its_dim]:
            raise Unsupported("a product of matrices whose sizes do not match")
        if one.sizes[dim] != other.sizes[its_dim]:
            writer.decide(writer.apply("eq", one.sizes[dim], other.sizes[its_dim]), True)


def _check_ranks(rank: int, *given: Operand, added: Operand | None = None) -> None:
    if any(one.rank != rank for one in given) or (added is not None and added.rank > rank):
        raise Unsupported(f"a product of tensors of other ranks than {rank}")


def _is_one(writer: Writer, number: Any) -> bool:
    """Decides whether a factor is 1."""
    if number is None or isinstance(number, (bool, float)):
        return number is None or number == 1
    return _equals(writer, number, 1)


def _is_used(writer: Writer, beta: Any) -> bool:
    """Decides whether a factor is not 0: what it belongs to is not read otherwise."""
    if beta is None or isinstance(beta, (bool, float)):
        return beta is None or beta != 0
    return not _equals(writer, beta, 0)


def _equals(writer: Writer, number: int, to: int) -> bool:
    constant = writer.constant(float(to)) if writer.values.is_real(number) else writer.constant(to)
    return writer.decide(writer.apply("eq", number, constant), writer.actual[number] == to)


def product_of(writer: Writer, a: Operand, b: Operand, out: Operand, added: Operand | None = None) -> None:
    """Writes a product of batches of matrices as part of another plan."""
    _write(writer, _Matrices(writer, a), _Matrices(writer, b), _Matrices(writer, out),
           _Matrices(writer, added) if added else None)


def mm(writer: Writer, a: Operand, b: Operand, out: Operand) -> None:
    """Writes the plan of mm.out."""
    _check_ranks(2, a, b, out)
    _write(writer, _Matrices(writer, a), _Matrices(writer, b), _Matrices(writer, out))


def bmm(writer: Writer, a: Operand, b: Operand, out: Operand) -> None:
    """Writes the plan of bmm.out."""
    _check_ranks(3, a, b, out)
    _write(writer, _Matrices(writer, a), _Matrices(writer, b), _Matrices(writer, out))


def addmm(writer: Writer, added: Operand, a: Operand, b: Operand, beta: Any, alpha: Any, out: Operand) -> None:
    """Writes the plan of addmm.out."""
    _check_ranks(2, a, b, out, added=added)
    more = _Matrices(writer, added, is_row=added.rank == 1)
    _write(writer, _Matrices(writer, a), _Matrices(writer, b), _Matrices(writer, out), more, beta, alpha)


def baddbmm(writer: Writer, added: Operand, a: Operand, b: Operand, beta: Any, alpha: Any, out: Operand) -> None:
    """Writes the plan of baddbmm.out."""
    _check_ranks(3, a, b, out, added=added)
    more = _Matrices(writer, added, is_row=added.rank == 1)
    _write(writer, _Matrices(writer, a), _Matrices(writer, b), _Matrices(writer, out), more, beta, alpha)


def addmv(writer: Writer, added: Operand, a: Operand, b: Operand, beta: Any, alpha: Any, out: Operand) -> None:
    """Writes the plan of addmv.out."""
    _check_ranks(2, a)
    _check_ranks(1, b, out, added=added)
    column = {"is_column": True}
    _write(writer, _Matrices(writer, a), _Matrices(writer, b, **column), _Matrices(writer, out, **column),
           _Matrices(writer, added, **column), beta, alpha)
