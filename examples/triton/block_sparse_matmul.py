"""Computes only some blocks of a product, as a block-sparse matrix, and multiplies that with another matrix."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, integers, main, random, tensor, torch, wide


@triton.jit
def sample(a, b, rows, columns, blocks, N, K, BLOCK: tl.constexpr, BLOCK_K: tl.constexpr):
    """Computes the blocks of a times b that the sparse matrix holds, one for each program."""
    block = tl.program_id(0)
    inside = tl.arange(0, BLOCK)
    i = (tl.load(rows + block) * BLOCK + inside)[:, None]
    j = (tl.load(columns + block) * BLOCK + inside)[None, :]
    sum = tl.zeros((BLOCK, BLOCK), tl.float32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        left = tl.load(a + i * K + k[None, :], mask=k[None, :] < K, other=0.0)
        over = tl.load(b + k[:, None] * N + j, mask=k[:, None] < K, other=0.0)
        sum = tl.dot(left, over, sum)
    at = block.to(tl.int64) * BLOCK * BLOCK + inside[:, None] * BLOCK + inside[None, :]
    tl.store(blocks + at, sum.to(blocks.dtype.element_ty))


@triton.jit
def multiply(blocks, starts, columns, b, c, N, BLOCK: tl.constexpr, BLOCK_N: tl.constexpr):
    """Multiplies the blocks, ordered by row, with a matrix. `starts` holds the first block of each row."""
    row = tl.program_id(0)
    inside = tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    sum = tl.zeros((BLOCK, BLOCK_N), tl.float32)
    for block in range(tl.load(starts + row), tl.load(starts + row + 1)):
        left = tl.load(blocks + block * BLOCK * BLOCK + inside[:, None] * BLOCK + inside[None, :])
        k = tl.load(columns + block) * BLOCK + inside[:, None]
        sum = tl.dot(left, tl.load(b + k * N + j, mask=j < N, other=0.0), sum)
    i = row * BLOCK + inside[:, None]
    tl.store(c + i * N + j, sum.to(c.dtype.element_ty), mask=j < N)


def problem(memory, rows=8, columns=10, K=100, N=200, percent=30, dtype="float32", block=32):
    """`rows` and `columns` count blocks."""
    chosen = np.asarray(integers(0, 100, rows, columns)) < percent
    row, column = np.nonzero(chosen)
    starts = np.searchsorted(row, np.arange(rows + 1))
    a, b = random(rows * block, K, dtype=dtype), random(K, columns * block, dtype=dtype)
    c = random(columns * block, N, dtype=dtype)
    tensors = (a, b, *(tensor(each, "int32") for each in (row, column, starts)), c,
               empty(len(row), block, block, dtype=dtype),
               empty(rows * block, N, dtype=dtype))
    given = [memory.put(each) for each in tensors]

    def launch():
        a, b, rows_of, columns_of, starts, c, blocks, out = given
        sample[(len(row),)](a, b, rows_of, columns_of, blocks, columns * block, K, BLOCK=block, BLOCK_K=32)
        multiply[(rows, triton.cdiv(N, 64))](blocks, starts, columns_of, c, out, N, BLOCK=block, BLOCK_N=64)

    def expected():
        product = (wide(a) @ wide(b)).reshape(rows, block, columns, block).swapaxes(1, 2)
        sparse = np.where(chosen[:, :, None, None], product, 0)
        return product[chosen], sparse.swapaxes(1, 2).reshape(rows * block, -1) @ wide(c)

    def by_torch(a, b, row, column, starts, c, *_):
        product = a @ b
        blocks = product.unflatten(0, (rows, block)).unflatten(2, (columns, block))[row, :, column]
        there = torch.zeros(rows, columns, dtype=a.dtype)
        there[row, column] = 1
        return blocks, (product * torch.kron(there, torch.ones(block, block))) @ c

    return Problem(f"products of {len(row)} of {rows} x {columns} blocks of {block} x {block} {dtype}", tensors,
                   launch, lambda: tuple(map(memory.get, given[6:])), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
