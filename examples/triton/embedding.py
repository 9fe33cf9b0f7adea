"""Looks up rows of a table by index, and computes the table's gradient, in which equal indices add up."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, integers, main, random, torch, wide


@triton.jit
def gather(table, indices, out, columns, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    index = tl.load(indices + token).to(tl.int64)
    row = tl.load(table + index * columns + i, mask=i < columns)
    tl.store(out + token * columns + i, row, mask=i < columns)


@triton.jit
def scatter_add(d_out, indices, d_table, tokens, columns, padding, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr):
    token = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    i = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    index = tl.load(indices + token, mask=token < tokens, other=padding).to(tl.int64)[:, None]
    mask = (index != padding) & (i < columns)
    d = tl.load(d_out + token[:, None].to(tl.int64) * columns + i, mask=mask, other=0.0)
    tl.atomic_add(d_table + index * columns + i, d.to(tl.float32), mask=mask, sem="relaxed")


def problem(memory, tokens=500, words=100, columns=300, padding=0, dtype="float32"):
    table, d_out = random(words, columns, dtype=dtype), random(tokens, columns, dtype=dtype)
    indices = integers(0, words, tokens)
    tensors = table, indices, d_out, empty(tokens, columns, dtype=dtype), empty(words, columns)
    given = [memory.put(each) for each in tensors]

    def launch():
        table, indices, d_out, out, d_table = given
        gather[(tokens, triton.cdiv(columns, 512))](table, indices, out, columns, BLOCK=512)
        memory.clear(d_table)
        scatter_add[(triton.cdiv(tokens, 16), triton.cdiv(columns, 64))](
            d_out, indices, d_table, tokens, columns, padding, BLOCK_M=16, BLOCK_N=64)

    def expected():
        rows = np.asarray(indices)
        d_table = np.zeros((words, columns))
        np.add.at(d_table, rows, wide(d_out))
        d_table[padding] = 0
        return wide(table)[rows], d_table

    def by_torch(table, indices, d_out, *_):
        out = functional.embedding(indices, table, padding_idx=padding)
        return out, *torch.autograd.grad(out, table, d_out)

    return Problem(f"embedding of {tokens} in {words} x {columns}, and gradient {dtype}", tensors, launch,
                   lambda: tuple(map(memory.get, given[3:])), expected, by_torch, tolerance=1e-6)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
