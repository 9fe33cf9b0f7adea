"""The gradient of layer normalisation for rows, weights and biases. Locks guard the sums for the latter two."""
import numpy as np
import pumice
import triton
import triton.language as tl

from example import Problem, Unfit, empty, functional, main, random, tensor, torch, warps_for, wide


@triton.jit
def of_rows(d_out, x, weight, means, scales, d_x, d_weights, d_biases, locks, counts, columns,
            GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    start = row.to(tl.int64) * columns
    i = tl.arange(0, BLOCK)
    mask = i < columns
    scale = tl.load(scales + row)
    normal = (tl.load(x + start + i, mask=mask, other=0.0).to(tl.float32) - tl.load(means + row)) * scale
    normal = tl.where(mask, normal, 0.0)
    d = tl.load(d_out + start + i, mask=mask, other=0.0).to(tl.float32)
    d_normal = d * tl.load(weight + i, mask=mask, other=0.0).to(tl.float32)
    # Removes the parts that change the mean or the deviation of the row.
    along = tl.sum(d_normal * normal, 0) / columns
    level = tl.sum(d_normal, 0) / columns
    result = (d_normal - normal * along - level) * scale
    tl.store(d_x + start + i, result.to(d_x.dtype.element_ty), mask=mask)

    # Rows of a group add to the same sums, one row at a time. The first one stores instead of adding.
    group = row % GROUPS
    lock = locks + group
    d_weight, d_bias = d * normal, d
    sums = d_weights + group * columns + i
    moves = d_biases + group * columns + i
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(counts + group) == 0:
        tl.atomic_xchg(counts + group, 1)
    else:
        d_weight += tl.load(sums, mask=mask)
        d_bias += tl.load(moves, mask=mask)
    tl.store(sums, d_weight, mask=mask)
    tl.store(moves, d_bias, mask=mask)
    tl.debug_barrier()  # all stores are done before the next program starts
    tl.atomic_xchg(lock, 0)


@triton.jit
def of_groups(d_weights, d_biases, d_weight, d_bias, groups, columns, BLOCK_ROWS: tl.constexpr,
              BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    weight = tl.zeros((BLOCK_ROWS, BLOCK), tl.float32)
    bias = tl.zeros((BLOCK_ROWS, BLOCK), tl.float32)
    for first in range(0, groups, BLOCK_ROWS):
        group = first + tl.arange(0, BLOCK_ROWS)
        mask = (group[:, None] < groups) & (i[None, :] < columns)
        weight += tl.load(d_weights + group[:, None] * columns + i[None, :], mask=mask, other=0.0)
        bias += tl.load(d_biases + group[:, None] * columns + i[None, :], mask=mask, other=0.0)
    tl.store(d_weight + i, tl.sum(weight, 0).to(d_weight.dtype.element_ty), mask=i < columns)
    tl.store(d_bias + i, tl.sum(bias, 0).to(d_bias.dtype.element_ty), mask=i < columns)


def problem(memory, rows=500, columns=1000, groups=128, dtype="float32"):
    if "llvmpipe" in pumice.device().name:
        raise Unfit("llvmpipe ends a program's loops after 65535 turns, those that wait for locks too")
    groups = min(groups, rows)
    x, d_out = random(2, rows, columns, dtype=dtype)
    weight = random(columns, dtype=dtype)
    # In a real program, the forward pass stores these.
    means, scales = tensor(wide(x).mean(1)), tensor(1 / np.sqrt(wide(x).var(1) + 1e-5))
    sums = [empty(groups, columns) for _ in range(2)]
    state = [empty(groups, dtype="int32") for _ in range(2)]
    tensors = (d_out, x, weight, means, scales, *sums, *state, empty(rows, columns, dtype=dtype),
               *(empty(columns, dtype=dtype) for _ in range(2)))
    given = [memory.put(each) for each in tensors]
    block = triton.next_power_of_2(columns)

    def launch():
        d_out, x, weight, means, scales, *sums, locks, counts, d_x, d_weight, d_bias = given
        memory.clear(locks)
        memory.clear(counts)
        of_rows[(rows,)](d_out, x, weight, means, scales, d_x, *sums, locks, counts, columns,
                         GROUPS=groups, BLOCK=block, num_warps=warps_for(block))
        of_groups[(triton.cdiv(columns, 128),)](*sums, d_weight, d_bias, groups, columns,
                                                BLOCK_ROWS=16, BLOCK=128)

    def expected():
        scale = wide(scales)[:, None]
        normal, d = (wide(x) - wide(means)[:, None]) * scale, wide(d_out)
        d_normal = d * wide(weight)
        along = (d_normal * normal).mean(1, keepdims=True)
        d_x = (d_normal - normal * along - d_normal.mean(1, keepdims=True)) * scale
        return d_x, (d * normal).sum(0), d.sum(0)

    def by_torch(d_out, x, weight, *_):
        bias = torch.zeros_like(weight, requires_grad=True)
        out = functional.layer_norm(x, (columns,), weight, bias, eps=1e-5)
        return torch.autograd.grad(out, (x, weight, bias), d_out)

    return Problem(f"layer norm gradient of {rows} x {columns} {dtype}", tensors, launch,
                   lambda: tuple(map(memory.get, given[9:])), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
