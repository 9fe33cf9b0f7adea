"""Adds a residual to rows and applies RMS norm, as transformers do, and computes the gradient."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, torch, warps_for, wide


@triton.jit
def rms_norm(x, residual, weight, sum, out, scales, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    value = tl.load(x + row + i, mask=mask, other=0.0) + tl.load(residual + row + i, mask=mask, other=0.0)
    tl.store(sum + row + i, value, mask=mask)
    value = value.to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, 0) / columns + epsilon)
    tl.store(scales + tl.program_id(0), scale)
    result = value * scale * tl.load(weight + i, mask=mask)
    tl.store(out + row + i, result.to(out.dtype.element_ty), mask=mask)


@triton.jit
def rms_norm_gradient(d_out, sum, scales, weight, d_sum, d_weights, rows, columns, rows_each,
                      BLOCK: tl.constexpr):
    """Each program handles several rows, and stores one row of partial sums of the weights' gradient."""
    i = tl.arange(0, BLOCK)
    mask = i < columns
    w = tl.load(weight + i, mask=mask, other=0.0).to(tl.float32)
    d_weight = tl.zeros((BLOCK,), tl.float32)
    first = tl.program_id(0) * rows_each
    start = first.to(tl.int64) * columns
    for row in range(first, min(first + rows_each, rows)):
        scale = tl.load(scales + row)
        normal = tl.load(sum + start + i, mask=mask, other=0.0).to(tl.float32) * scale
        d = tl.load(d_out + start + i, mask=mask, other=0.0).to(tl.float32)
        d_weight += d * normal
        d *= w
        d = (d - normal * (tl.sum(d * normal, 0) / columns)) * scale
        tl.store(d_sum + start + i, d.to(d_sum.dtype.element_ty), mask=mask)
        start += columns
    tl.store(d_weights + tl.program_id(0) * columns + i, d_weight, mask=mask)


@triton.jit
def sum_of_rows(x, out, rows, columns, BLOCK_ROWS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK_ROWS, BLOCK), tl.float32)
    for start in range(0, rows, BLOCK_ROWS):
        row = start + tl.arange(0, BLOCK_ROWS)
        mask = (row[:, None] < rows) & (i[None, :] < columns)
        total += tl.load(x + row[:, None] * columns + i[None, :], mask=mask, other=0.0)
    tl.store(out + i, tl.sum(total, 0).to(out.dtype.element_ty), mask=i < columns)


def problem(memory, rows=500, columns=1000, programs=16, dtype="float32"):
    x, residual, d_out = random(3, rows, columns, dtype=dtype)
    weight = random(columns, dtype=dtype)
    sum, out, d_sum = (empty(rows, columns, dtype=dtype) for _ in range(3))
    tensors = (x, residual, weight, d_out, empty(rows), empty(programs, columns), sum, out, d_sum,
               empty(columns, dtype=dtype))
    given = [memory.put(each) for each in tensors]
    block = triton.next_power_of_2(columns)

    def launch():
        x, residual, weight, d_out, scales, d_weights, sum, out, d_sum, d_weight = given
        rms_norm[(rows,)](x, residual, weight, sum, out, scales, columns, 1e-6, BLOCK=block,
                          num_warps=warps_for(block))
        rms_norm_gradient[(programs,)](d_out, sum, scales, weight, d_sum, d_weights, rows, columns,
                                       triton.cdiv(rows, programs), BLOCK=block,
                                       num_warps=warps_for(block))
        sum_of_rows[(triton.cdiv(columns, 128),)](d_weights, d_weight, programs, columns,
                                                  BLOCK_ROWS=16, BLOCK=128)

    def expected():
        total, w, d = wide(x + residual), wide(weight), wide(d_out)
        scale = 1 / np.sqrt((total * total).mean(1, keepdims=True) + 1e-6)
        normal = total * scale
        d_normal = d * w
        d_total = (d_normal - normal * (d_normal * normal).mean(1, keepdims=True)) * scale
        return total, normal * w, d_total, (d * normal).sum(0)

    def by_torch(x, residual, weight, d_out, *_):
        total = x + residual
        out = functional.rms_norm(total, (columns,), weight, eps=1e-6)
        return total, out, *torch.autograd.grad(out, (total, weight), d_out)

    return Problem(f"RMS norm and gradient of {rows} x {columns} {dtype}", tensors, launch,
                   lambda: tuple(map(memory.get, given[6:])), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
