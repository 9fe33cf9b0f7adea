"""Matrix products of several sizes in one launch. The kernel finds the matrices by addresses in memory."""
import numpy as np
import pumice
import triton
import triton.language as tl

from example import DeviceMemory, Problem, empty, integers, main, random, tensor, wide


@triton.jit
def grouped_matmul(addresses, sizes, groups, DTYPE: tl.constexpr, PROGRAMS: tl.constexpr,
                   BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    """Each group has a row (a, b, c) in `addresses`, and a row (M, N, K) in `sizes`."""
    tile = tl.program_id(0)
    end = 0  # one past the last tile of the groups so far
    for group in range(groups):
        M = tl.load(sizes + group * 3)
        N = tl.load(sizes + group * 3 + 1)
        K = tl.load(sizes + group * 3 + 2)
        across = tl.cdiv(N, BLOCK_N)
        first = end
        end += tl.cdiv(M, BLOCK_M) * across
        while tile < end:
            a = tl.load(addresses + group * 3).to(tl.pointer_type(DTYPE))
            b = tl.load(addresses + group * 3 + 1).to(tl.pointer_type(DTYPE))
            c = tl.load(addresses + group * 3 + 2).to(tl.pointer_type(DTYPE))
            i = (tile - first) // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
            j = (tile - first) % across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
            k = tl.arange(0, BLOCK_K)
            sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for start in range(0, K, BLOCK_K):
                left = tl.load(a + i * K + start + k[None, :], mask=(i < M) & (start + k[None, :] < K), other=0.0)
                over = tl.load(b + (start + k[:, None]) * N + j, mask=(start + k[:, None] < K) & (j < N), other=0.0)
                sum = tl.dot(left, over, sum)
            tl.store(c + i * N + j, sum.to(DTYPE), mask=(i < M) & (j < N))
            tile += PROGRAMS


def address(placed):
    return placed.ctypes.data if isinstance(placed, np.ndarray) else placed.data_ptr()


def problem(memory, groups=5, largest=200, programs=8, dtype="float32", block="32x32x32"):
    # Addresses in memory must be valid on the device: the CPU accepts the host's, others only those of their arrays.
    if not pumice.device().id.startswith("cpu"):
        memory = DeviceMemory()
    sizes = integers(1, largest + 1, groups, 3)
    matrices = []
    for m, n, k in np.asarray(sizes).tolist():
        matrices.append((random(m, k, dtype=dtype), random(k, n, dtype=dtype), empty(m, n, dtype=dtype)))
    given = [[memory.put(each) for each in group] for group in matrices]
    addresses = np.array([[address(each) for each in group] for group in given])
    tensors = tensor(addresses, "int64"), sizes
    at, of = map(memory.put, tensors)
    m, n, k = (int(extent) for extent in block.split("x"))

    def launch():
        grouped_matmul[(programs,)](at, of, groups, DTYPE=getattr(tl, dtype), PROGRAMS=programs,
                                    BLOCK_M=m, BLOCK_N=n, BLOCK_K=k)

    return Problem(f"products of {groups} pairs of matrices of up to {largest} x {largest} {dtype}",
                   (*tensors, *sum(matrices, ())), launch,
                   lambda: tuple(memory.get(c) for _, _, c in given),
                   lambda: tuple(wide(a) @ wide(b) for a, b, _ in matrices),
                   lambda _, __, *of: tuple(a @ b for a, b in zip(of[::3], of[1::3])),
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
