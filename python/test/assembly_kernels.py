"""Kernels with inline assembly, as people write them, for test_assembly.py."""
import triton
import triton.language as tl
from triton.language.extra import cuda


@triton.jit
def one(x, o, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr, PACK: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.inline_asm_elementwise(ASM, C, [tl.load(x + i)], dtype=o.dtype.element_ty, is_pure=True, pack=PACK)
    tl.store(o + i, v)


@triton.jit
def two(x, y, o, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr, PACK: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.inline_asm_elementwise(ASM, C, [tl.load(x + i), tl.load(y + i)], dtype=o.dtype.element_ty, is_pure=True,
                                  pack=PACK)
    tl.store(o + i, v)


@triton.jit
def three(x, y, z, o, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr, PACK: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.inline_asm_elementwise(ASM, C, [tl.load(x + i), tl.load(y + i), tl.load(z + i)],
                                  dtype=o.dtype.element_ty, is_pure=True, pack=PACK)
    tl.store(o + i, v)


@triton.jit
def of_documentation(A, B, C, D, BLOCK: tl.constexpr):
    """Holds the example of Triton's documentation of inline_asm_elementwise."""
    i = tl.arange(0, BLOCK)
    a = tl.load(A + i)
    b = tl.load(B + i)
    c, d = tl.inline_asm_elementwise(
        asm="""
        {
            // Unpack `a` into `ai`.
            .reg .b8 tmp<4>;
            mov.b32 {tmp0, tmp1, tmp2, tmp3}, $8;
            cvt.u32.u8 $0, tmp0;
            cvt.u32.u8 $1, tmp1;
            cvt.u32.u8 $2, tmp2;
            cvt.u32.u8 $3, tmp3;
        }
        // Convert `ai` to float.
        cvt.rn.f32.s32 $4, $0;
        cvt.rn.f32.s32 $5, $1;
        cvt.rn.f32.s32 $6, $2;
        cvt.rn.f32.s32 $7, $3;
        // Take max of `ai` and `b`.
        max.f32 $4, $4, $9;
        max.f32 $5, $5, $10;
        max.f32 $6, $6, $11;
        max.f32 $7, $7, $12;
        """,
        constraints="=r,=r,=r,=r,=r,=r,=r,=r,r,r,r,r,r", args=[a, b], dtype=(tl.int32, tl.float32), is_pure=True,
        pack=4)
    tl.store(C + i, c)
    tl.store(D + i, d)


@triton.jit
def int4_to_half(x, low, high, N: tl.constexpr):
    """Converts bytes of two numbers of 4 bits, less 8, to f16: 0x6400 is 1024, and 0x2c00 is 1/16."""
    i = tl.arange(0, N)
    a, b = tl.inline_asm_elementwise(
        """
        {
            .reg .b32 t, u;
            prmt.b32 t, $4, 0, 0x4140;
            prmt.b32 u, $4, 0, 0x4342;
            lop3.b32 $0, t, 0x000f000f, 0x64006400, 0xea;
            lop3.b32 $1, u, 0x000f000f, 0x64006400, 0xea;
            lop3.b32 $2, t, 0x00f000f0, 0x64006400, 0xea;
            lop3.b32 $3, u, 0x00f000f0, 0x64006400, 0xea;
            mov.u32 t, 0x64086408;
            sub.f16x2 $0, $0, t;
            sub.f16x2 $1, $1, t;
            .reg .b32 scale, bias;
            mov.u32 scale, 0x2c002c00;
            mov.u32 bias, 0xd480d480;
            fma.rn.f16x2 $2, $2, scale, bias;
            fma.rn.f16x2 $3, $3, scale, bias;
        }
        """, "=r,=r,=r,=r,r", [tl.load(x + i)], dtype=(tl.float16, tl.float16), is_pure=True, pack=4)
    tl.store(low + i, a)
    tl.store(high + i, b)


@triton.jit
def fast_tanh(x):
    return tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1)


@triton.jit
def gelu(x, o, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, 0.5 * v * (1 + fast_tanh(0.79788456 * (v + 0.044715 * v * v * v))))


@triton.jit
def ex2(x):
    return tl.inline_asm_elementwise("ex2.approx.ftz.f32 $0, $1;", "=f, f", [x], dtype=tl.float32, is_pure=True,
                                     pack=1)


@triton.jit
def softmax(x, o, n, N: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, N)
    v = tl.load(x + row * n + i, mask=i < n, other=float("-inf")) * 1.4426950408889634
    e = ex2(v - tl.max(v, 0))
    tl.store(o + row * n + i, e / tl.sum(e, 0), mask=i < n)


@triton.jit
def streamed(x, o, n, N: tl.constexpr):
    """Loads the elements in bounds, with the hint that caches should not keep them."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.inline_asm_elementwise(
        """{
            .reg .pred p;
            setp.ne.s32 p, $2, 0;
            mov.b32 $0, 0f00000000;
            @p ld.global.nc.L1::no_allocate.L2::128B.f32 $0, [$1];
        }""", "=f,l,r", [x + i, (i < n).to(tl.int32)], dtype=tl.float32, is_pure=True, pack=1)
    tl.inline_asm_elementwise("st.global.cs.b32 [$1], $2; mov.b32 $0, 0;", "=r,l,r",
                              [o + i, v.to(tl.int32, bitcast=True)], dtype=tl.int32, is_pure=False, pack=1)


@triton.jit
def with_policy(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.inline_asm_elementwise(
        """{
            .reg .b64 policy;
            createpolicy.fractional.L2::evict_first.b64 policy, 1.0;
            prefetch.global.L2 [$2];
            ld.global.L1::evict_first.L2::cache_hint.v2.b32 {$0, $1}, [$2], policy;
        }""", "=r,=r,l", [x + 2 * i], dtype=(tl.int32, tl.int32), is_pure=True, pack=1)
    tl.store(o + i, a)
    tl.store(o + N + i, b)


@triton.jit
def far(x, o, N: tl.constexpr):
    """Computes addresses by arithmetic, and offsets of bytes."""
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise(
        """{ .reg .u64 a; add.s64 a, $1, 4; ld.global.u16 $0, [a+2]; }""", "=r,l", [x + i], dtype=tl.int32,
        is_pure=True, pack=1)
    w = tl.inline_asm_elementwise(
        """{ .reg .u64 a; mad.wide.u32 a, $2, 4, $1; cvta.to.global.u64 a, a; ld.volatile.global.b32 $0, [a]; }""",
        "=r,l,r", [x, i], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(o + i, v)
    tl.store(o + N + i, w)


@triton.jit
def counted(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    old = tl.inline_asm_elementwise("atom.global.gpu.relaxed.add.u32 $0, [$1], $2;", "=r,l,r", [x + i % 4, i + 1],
                                    dtype=tl.int32, is_pure=False, pack=1)
    tl.inline_asm_elementwise("{ red.global.max.s32 [$1], $2; mov.u32 $0, 0; }", "=r,l,r", [x + 4 + i % 4, i],
                              dtype=tl.int32, is_pure=False, pack=1)
    tl.store(o + i, old)


@triton.jit
def locked(lock, o):
    tl.inline_asm_elementwise("membar.gl; nanosleep.u32 100; mov.u32 $0, 0;", "=r", [], dtype=tl.int32,
                              is_pure=False, pack=1)
    seen = tl.inline_asm_elementwise("ld.acquire.gpu.global.b32 $0, [$1];", "=r,l", [lock], dtype=tl.int32,
                                     is_pure=False, pack=1)
    tl.inline_asm_elementwise("{ st.release.gpu.global.b32 [$1], $2; mov.u32 $0, 0; }", "=r,l,r", [lock, seen + 1],
                              dtype=tl.int32, is_pure=False, pack=1)
    tl.store(o, seen)


@triton.jit
def places(o):
    x = tl.inline_asm_elementwise("mov.u32 $0, %ctaid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    n = tl.inline_asm_elementwise("mov.u32 $0, %nctaid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    threads = tl.inline_asm_elementwise("mov.u32 $0, %ntid.x;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(o + 4 * x, n)
    tl.store(o + 4 * x + 1, threads)
    tl.store(o + 4 * x + 2, cuda.smid())
    tl.store(o + 4 * x + 3, cuda.num_threads())


@triton.jit
def times(o, x, N: tl.constexpr):
    before = cuda.globaltimer()
    v = tl.load(x + tl.arange(0, N))
    for _ in range(2000):
        v = tl.sin(v)
    tl.store(x + tl.arange(0, N), v)
    tl.store(o, before)
    tl.store(o + 1, cuda.globaltimer())


@triton.jit
def cycles(o):
    a = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    b = tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l", [], dtype=tl.int64, is_pure=False, pack=1)
    c = tl.inline_asm_elementwise("mov.u32 $0, %clock;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(o, a)
    tl.store(o + 1, b)
    tl.store(o + 2, c.to(tl.int64))


@triton.jit
def from_e4b15(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i).to(tl.float8e4b15, bitcast=True)
    tl.store(o + i, cuda.convert_custom_float8_sm80(v, tl.float32))


@triton.jit
def to_e4b15(x, o, N: tl.constexpr, NEW: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + i)
    if NEW:
        r = cuda.convert_custom_float8_sm80(v, tl.float8e4b15)
    else:
        r = cuda.convert_custom_float8_sm70(v, tl.float8e4b15)
    tl.store(o + i, r.to(tl.uint8, bitcast=True))


@triton.jit
def waiting(x, o, N: tl.constexpr):
    i = tl.arange(0, N)
    cuda.gdc_wait()
    tl.store(o + i, tl.load(x + i) + 1)
    cuda.gdc_launch_dependents()


@triton.jit
def large(x, o, N: tl.constexpr):
    """Uses a block that becomes a loop, with packed elements."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.inline_asm_elementwise("{ .reg .b32 t; and.b32 t, $1, 0x7fff7fff; add.f16x2 $0, t, $2; }", "=r,r,r",
                                  [tl.load(x + i), tl.load(x + i)], dtype=tl.float16, is_pure=True, pack=2)
    tl.store(o + i, v * 2)


@triton.jit
def matrix(x, o, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Uses two dimensions, an operand that is broadcast, and a scalar."""
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    v = tl.inline_asm_elementwise("fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f",
                                  [tl.load(x + i * COLUMNS + j), tl.load(x + j), 2.0], dtype=tl.float32,
                                  is_pure=True, pack=1)
    tl.store(o + i * COLUMNS + j, v)


@triton.jit
def refused(x, o, N: tl.constexpr, ASM: tl.constexpr, C: tl.constexpr, PACK: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(o + i, tl.inline_asm_elementwise(ASM, C, [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=PACK))
