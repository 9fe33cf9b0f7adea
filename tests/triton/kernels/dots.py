"""Matrix products of every type, precision and scale, in two and three dimensions, and in loops."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def block(x, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    return tl.load(x + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :])


@triton.jit
def product(a, b, o, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr,
            OUT: tl.constexpr):
    c = tl.dot(block(a, M, K), block(b, K, N), input_precision=PRECISION, out_dtype=OUT)
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@triton.jit
def imprecise(a, b, o):
    c = tl.dot(block(a, 16, 32), block(b, 32, 16), max_num_imprecise_acc=16)
    tl.store(o + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], c)


@triton.jit
def batched(a, b, o):
    x = tl.reshape(tl.load(a + tl.arange(0, 64)), (4, 4, 4))
    y = tl.reshape(tl.load(b + tl.arange(0, 64)), (4, 4, 4))
    tl.store(o + tl.arange(0, 64), tl.reshape(tl.dot(x, y), (64,)))


@triton.jit
def loop(a, b, o, k, STAGES: tl.constexpr):
    rows, columns, depth = tl.arange(0, 16), tl.arange(0, 32), tl.arange(0, 8)
    x = a + rows[:, None] * k + depth[None, :]
    y = b + depth[:, None] * 32 + columns[None, :]
    c = tl.zeros((16, 32), tl.float32)
    for i in tl.range(0, k, 8, num_stages=STAGES):
        inside = depth < k - i
        c = tl.dot(tl.load(x, mask=inside[None, :], other=0.0),
                   tl.load(y, mask=inside[:, None], other=0.0), c)
        x += 8
        y += 8 * 32
    tl.store(o + rows[:, None] * 32 + columns[None, :], c.to(tl.float16))


@triton.jit
def scaled(a, a_scale, b, b_scale, o, A: tl.constexpr, B: tl.constexpr, M: tl.constexpr,
           N: tl.constexpr, K: tl.constexpr, FAST: tl.constexpr, GROUP: tl.constexpr):
    ka: tl.constexpr = K // 2 if A == "e2m1" else K
    kb: tl.constexpr = K // 2 if B == "e2m1" else K
    sa = block(a_scale, M, K // GROUP)
    c = tl.dot_scaled(block(a, M, ka), sa, A, block(b, kb, N), block(b_scale, N, K // GROUP), B,
                      fast_math=FAST)
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], c)


@triton.jit
def scaled_on_one_side(a, a_scale, b, o, LEFT: tl.constexpr):
    if LEFT:
        c = tl.dot_scaled(block(a, 32, 64), block(a_scale, 32, 2), "e4m3", block(b, 64, 32), None,
                          "bf16")
    else:
        c = tl.dot_scaled(block(b, 32, 64), None, "bf16", block(a, 64, 32), block(a_scale, 32, 2),
                          "e4m3")
    tl.store(o + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


@triton.jit
def scaled_packed_along_rows(a, a_scale, b, b_scale, o):
    c = tl.dot_scaled(block(a, 16, 64), block(a_scale, 32, 2), "e2m1", block(b, 64, 16),
                      block(b_scale, 32, 2), "e2m1", lhs_k_pack=False, rhs_k_pack=False)
    tl.store(o + tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :], c)


CASES = [
    *[case(product, f"*{t}; *{t}; *fp32", M=16, N=8, K=32, PRECISION=None, OUT=tl.float32)
      for t in ("fp16", "bf16", "fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16")],
    *[case(product, "*fp32; *fp32; *fp32", M=16, N=16, K=16, PRECISION=p, OUT=tl.float32)
      for p in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")],
    case(product, "*fp16; *fp16; *fp16", M=16, N=16, K=16, PRECISION=None, OUT=tl.float16),
    case(product, "*fp64; *fp64; *fp64", M=16, N=16, K=16, PRECISION=None, OUT=tl.float64),
    case(product, "*i8; *i8; *i32", M=16, N=16, K=32, PRECISION=None, OUT=tl.int32),
    case(product, "*fp32; *fp32; *fp32", M=1, N=1, K=1, PRECISION=None, OUT=tl.float32),
    case(imprecise, "*fp8e5; *fp8e5; *fp32"),
    case(batched, "*fp16; *fp16; *fp32"),
    case(loop, "*fp16; *fp16; *fp16; i32/16", STAGES=3),
    case(scaled, "*u8; *u8; *u8; *u8; *fp32", A="e2m1", B="e2m1", M=32, N=32, K=64, FAST=False, GROUP=32),
    case(scaled, "*u8; *fp8e4nv; *u8; *fp8e4nv; *fp32", A="e2m1", B="e2m1", M=32, N=32, K=64, FAST=False, GROUP=16),
    case(scaled, "*u8; *u8; *u8; *u8; *fp32", A="e4m3", B="e5m2", M=32, N=32, K=64, FAST=True, GROUP=32),
    case(scaled, "*fp16; *u8; *u8; *u8; *fp32", A="fp16", B="e2m1", M=32, N=32, K=64, FAST=False, GROUP=32),
    case(scaled_on_one_side, "*u8; *u8; *bf16; *fp32", LEFT=True),
    case(scaled_on_one_side, "*u8; *u8; *bf16; *fp32", LEFT=False),
    case(scaled_packed_along_rows, "*u8; *u8; *u8; *u8; *fp32"),
]
