"""A matrix product by persistent programs: only as many as run at once, each of which takes several tiles."""
import triton
import triton.language as tl

from example import Problem, empty, main, random, wide


@triton.jit
def place(tile, down, across, GROUP: tl.constexpr):
    """Returns the row and column of a tile. Takes GROUP rows of tiles together, one column after another."""
    first = tile // (GROUP * across) * GROUP
    rows = min(down - first, GROUP)
    return first + tile % (GROUP * across) % rows, tile % (GROUP * across) // rows


@triton.jit
def by_pointers(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr,
                BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), down * across, PROGRAMS):
        row, column = place(tile, down, across, GROUP)
        i = row * BLOCK_M + tl.arange(0, BLOCK_M)
        j = column * BLOCK_N + tl.arange(0, BLOCK_N)
        sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for step in range(tl.cdiv(K, BLOCK_K)):
            k = step * BLOCK_K + tl.arange(0, BLOCK_K)
            left = tl.load(a + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
            over = tl.load(b + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
            sum = tl.dot(left, over, sum)
        tl.store(c + i[:, None] * N + j[None, :], sum.to(c.dtype.element_ty),
                 mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def by_descriptors(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BLOCK_M: tl.constexpr,
                   BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr):
    """Uses descriptors, which mask the edges of the matrices."""
    lefts = tl.make_tensor_descriptor(a, (M, K), (K, 1), (BLOCK_M, BLOCK_K))
    overs = tl.make_tensor_descriptor(b, (K, N), (N, 1), (BLOCK_K, BLOCK_N))
    sums = tl.make_tensor_descriptor(c, (M, N), (N, 1), (BLOCK_M, BLOCK_N))
    down, across = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    for tile in tl.range(tl.program_id(0), down * across, PROGRAMS, flatten=True):
        row, column = place(tile, down, across, GROUP)
        sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for step in range(tl.cdiv(K, BLOCK_K)):
            left = lefts.load([row * BLOCK_M, step * BLOCK_K])
            over = overs.load([step * BLOCK_K, column * BLOCK_N])
            sum = tl.dot(left, over, sum)
        sums.store([row * BLOCK_M, column * BLOCK_N], sum.to(c.dtype.element_ty))


def problem(memory, M=400, N=300, K=200, programs=8, descriptors=False, dtype="float32", block="64x64x32"):
    a, b = random(M, K, dtype=dtype), random(K, N, dtype=dtype)
    tensors = a, b, empty(M, N, dtype=dtype)
    given = [memory.put(each) for each in tensors]
    m, n, k = (int(extent) for extent in block.split("x"))
    kernel = by_descriptors if descriptors else by_pointers

    def launch():
        kernel[(min(programs, triton.cdiv(M, m) * triton.cdiv(N, n)),)](
            *given, M, N, K, PROGRAMS=programs, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k, GROUP=4)

    return Problem(f"product by {programs} programs of {M} x {K} and {K} x {N} {dtype}", tensors, launch,
                   lambda: (memory.get(given[2]),), lambda: (wide(a) @ wide(b),),
                   lambda a, b, _: (a @ b,), tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
