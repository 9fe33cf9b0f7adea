"""Inline assembly that every device can execute."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def fast_tanh(x, o):
    i = tl.arange(0, 64)
    v = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [tl.load(x + i)], dtype=tl.float32, is_pure=True,
                                  pack=1)
    tl.store(o + i, v)


@triton.jit
def packed(x, o):
    i = tl.arange(0, 64)
    low, high = tl.inline_asm_elementwise(
        """
        {
            .reg .b32 t;
            and.b32 t, $2, 0x0f0f0f0f; // of each byte, its lower half
            mov.b32 $0, t;
            shr.u32 $1, $2, 4;
            and.b32 $1, $1, 0x0f0f0f0f;
        }
        """, "=r,=r,r", [tl.load(x + i)], dtype=(tl.int8, tl.int8), is_pure=True, pack=4)
    tl.store(o + i, low + high)


@triton.jit
def streaming(x, o):
    i = tl.arange(0, 64)
    v = tl.inline_asm_elementwise("ld.global.nc.L1::no_allocate.b32 $0, [$1];", "=r,l", [x + i], dtype=tl.int32,
                                  is_pure=False, pack=1)
    tl.store(o + i, v)


CASES = [case(fast_tanh, "*fp32; *fp32"), case(packed, "*i8; *i8"), case(streaming, "*i32; *i32")]
