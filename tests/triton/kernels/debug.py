"""Output and assertions of kernels."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def prints(x, n, a):
    v = tl.load(x + tl.arange(0, 4))
    tl.device_print("v", v)
    tl.device_print("several: ", v, n, a, hex=True)
    tl.device_print("only text")
    tl.device_print("quote \" and 100%", n > 3)


@triton.jit
def asserts(x, n):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    tl.device_assert(v < 3, "too large")
    tl.device_assert(v < 3, mask=i < n)
    tl.device_assert(n > 3, "n: \"quoted\"\n")
    tl.store(x + i, v)


CASES = [
    case(prints, "*i32; i32; fp32"),
    case(prints, "*fp16; u32; fp32"),
    case(asserts, "*i32; i32"),
]
