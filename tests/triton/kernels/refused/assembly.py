"""Instructions for one kind of GPU that other devices lack. They are imported, then rejected."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def assembly(x, o, PACK: tl.constexpr):
    i = tl.arange(0, 8)
    v = tl.inline_asm_elementwise("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", [tl.load(x + i)], dtype=tl.int32,
                                  is_pure=True, pack=PACK)
    a, b = tl.inline_asm_elementwise("{ add.s32 $0, $2, $3;\n\tsub.s32 $1, $2, $3; }", "=r,=r,r,r",
                                     [v, tl.load(x + i)], dtype=(tl.int32, tl.int32),
                                     is_pure=False, pack=1)
    tl.store(o + i, a + b)


CASES = [case(assembly, "*i32; *i32", PACK=1)]
