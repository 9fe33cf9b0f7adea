"""A matrix product with an activation. The order of the tiles keeps
their rows in the cache."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, functional, main, random, wide


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


@triton.jit
def matmul(a, b, c, M, N, K, a_rows, a_columns, b_rows, b_columns, c_rows, c_columns,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
           GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    # Takes GROUP rows of tiles together, one column of tiles after another.
    tile = tl.program_id(0)
    across = tl.cdiv(N, BLOCK_N)
    first = tile // (GROUP * across) * GROUP
    rows = min(tl.cdiv(M, BLOCK_M) - first, GROUP)
    down = first + tile % (GROUP * across) % rows
    right = tile % (GROUP * across) // rows

    # Indices beyond the edge wrap around. These elements are computed, but not stored.
    i = (down * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    j = (right * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    k = tl.arange(0, BLOCK_K)
    left = a + i[:, None] * a_rows + k[None, :] * a_columns
    over = b + k[:, None] * b_rows + j[None, :] * b_columns
    sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for step in range(0, tl.cdiv(K, BLOCK_K)):
        rest = K - step * BLOCK_K
        sum = tl.dot(tl.load(left, mask=k[None, :] < rest, other=0.0),
                     tl.load(over, mask=k[:, None] < rest, other=0.0), sum)
        left += BLOCK_K * a_columns
        over += BLOCK_K * b_rows
    if ACTIVATION == "leaky_relu":
        sum = leaky_relu(sum)

    i = down * BLOCK_M + tl.arange(0, BLOCK_M)
    j = right * BLOCK_N + tl.arange(0, BLOCK_N)
    tl.store(c + i[:, None] * c_rows + j[None, :] * c_columns, sum.to(c.dtype.element_ty),
             mask=(i[:, None] < M) & (j[None, :] < N))


def problem(memory, M=500, N=300, K=200, dtype="float32", activation="leaky_relu", block="64x64x32",
            warps=4):
    a, b = random(M, K, dtype=dtype), random(K, N, dtype=dtype)
    tensors = a, b, empty(M, N, dtype=dtype)
    given = [memory.put(each) for each in tensors]
    m, n, k = (int(extent) for extent in block.split("x"))

    def launch():
        matmul[(triton.cdiv(M, m) * triton.cdiv(N, n),)](
            *given, M, N, K, K, 1, N, 1, N, 1, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=8,
            ACTIVATION=activation, num_warps=warps)

    def expected():
        product = wide(a) @ wide(b)
        return (np.where(product >= 0, product, 0.01 * product) if activation else product,)

    def by_torch(a, b, _):
        return (functional.leaky_relu(a @ b, 0.01) if activation else a @ b,)

    return Problem(f"product of {M} x {K} and {K} x {N} {dtype}", tensors, launch,
                   lambda: (memory.get(given[2]),), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
