"""Products with quantised weights: 8-bit weights with quantised rows, or 4-bit weights, two in a byte."""
import numpy as np
import triton
import triton.language as tl

from example import Problem, empty, integers, main, random, torch, wide


@triton.jit
def of_8_bits(a, b, a_scales, b_scales, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr):
    """Sums are exact integers. Each row of `a` and each column of `b` has a scale."""
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    sum = tl.zeros((BLOCK_M, BLOCK_N), tl.int32)
    for start in range(0, K, BLOCK_K):
        k = start + tl.arange(0, BLOCK_K)
        left = tl.load(a + i * K + k[None, :], mask=(i < M) & (k[None, :] < K), other=0)
        over = tl.load(b + k[:, None] * N + j, mask=(k[:, None] < K) & (j < N), other=0)
        sum = tl.dot(left, over, sum, out_dtype=tl.int32)
    scale = tl.load(a_scales + i, mask=i < M, other=0.0) * tl.load(b_scales + j, mask=j < N, other=0.0)
    tl.store(c + i * N + j, (sum.to(tl.float32) * scale).to(c.dtype.element_ty), mask=(i < M) & (j < N))


@triton.jit
def of_4_bits(a, b, scales, zeros, c, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
              BLOCK_K: tl.constexpr):
    """Byte k of `b` holds row 2 k and, in its upper half, row 2 k + 1. BLOCK_K rows share scales and zeros."""
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for group in range(K // BLOCK_K):
        k = group * BLOCK_K + tl.arange(0, BLOCK_K)[None, :]
        left = tl.load(a + i * K + k, mask=i < M, other=0.0)
        pair = group * (BLOCK_K // 2) + tl.arange(0, BLOCK_K // 2)[:, None]
        packed = tl.load(b + pair * N + j, mask=j < N, other=0)
        over = tl.join(packed & 15, packed >> 4).permute(0, 2, 1).reshape(BLOCK_K, BLOCK_N)
        scale = tl.load(scales + group * N + j, mask=j < N, other=0.0)
        zero = tl.load(zeros + group * N + j, mask=j < N, other=0.0)
        over = (over.to(tl.float32) - zero.to(tl.float32)) * scale
        sum = tl.dot(left, over.to(left.dtype), sum)
    tl.store(c + i * N + j, sum.to(c.dtype.element_ty), mask=(i < M) & (j < N))


def problem(memory, M=100, N=300, K=256, bits=4, dtype="float32", block="32x64x64"):
    m, n, k = (int(extent) for extent in block.split("x"))
    if bits == 8:
        tensors = (integers(-127, 128, M, K, dtype="int8"), integers(-127, 128, K, N, dtype="int8"),
                   scales_of(M, 1), scales_of(1, N))
    else:
        tensors = (random(M, K, dtype=dtype), integers(0, 256, K // 2, N, dtype="uint8"), scales_of(K // k, N),
                   integers(0, 16, K // k, N, dtype="uint8"))
    tensors += (empty(M, N, dtype=dtype),)
    given = [memory.put(each) for each in tensors]
    kernel = of_8_bits if bits == 8 else of_4_bits

    def launch():
        kernel[(triton.cdiv(M, m), triton.cdiv(N, n))](*given, M, N, K, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k)

    def expected():
        a, b, scales, others = (wide(each) for each in tensors[:4])
        if bits == 8:
            return (a @ b * scales * others,)
        packed = b.astype(np.uint8)
        weights = np.stack([packed & 15, packed >> 4], 1).reshape(K, N)
        return (a @ ((weights - np.repeat(others, k, 0)) * np.repeat(scales, k, 0)),)

    def by_torch(a, b, scales, others, _):
        """Computes the product of the dequantised numbers."""
        if bits == 8:
            return ((a * scales) @ (b * others),)
        weights = torch.stack([b % 16, b // 16], 1).view(-1, k, N)
        return (a @ ((weights - others[:, None]) * scales[:, None]).view(K, N),)

    return Problem(f"product of {M} x {K} and {K} x {N} of {bits} bits {dtype}", tensors, launch,
                   lambda: (memory.get(given[4]),), expected, by_torch,
                   tolerance=1e-5 if dtype == "float32" else 1e-2)


def scales_of(*shape):
    return abs(random(*shape)) / 16 + 0.01


if __name__ == "__main__":
    raise SystemExit(main(__doc__, problem))
