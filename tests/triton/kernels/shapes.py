"""Operations that move elements: reshapes, transposes, joins, gathers, sorts, histograms."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def reshapes(x, o):
    v = tl.load(x + tl.arange(0, 32))
    a = tl.reshape(v, (4, 8))
    b = tl.reshape(a, (8, 4))
    c = tl.reshape(v, (2, 4, 4), can_reorder=True)
    tl.store(o + tl.arange(0, 32), tl.ravel(b) + tl.reshape(c, (32,)))


@triton.jit
def transposes(x, o):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    v = tl.load(x + at)
    tl.store(o + tl.trans(at), tl.trans(v))
    c = tl.permute(tl.reshape(v, (2, 4, 4)), (2, 0, 1))
    tl.store(o + tl.arange(0, 32), tl.reshape(c, (32,)))


@triton.jit
def joins(x, y, o):
    i = tl.arange(0, 16)
    a, b = tl.load(x + i), tl.load(y + i)
    both = tl.join(a, b)
    even, odd = tl.split(both)
    tl.store(o + i, even * odd)
    tl.store(o + tl.arange(0, 32), tl.interleave(a, b))
    tl.store(o + tl.arange(0, 32), tl.cat(a, b, can_reorder=True))
    tl.store(o + tl.arange(0, 2), tl.join(tl.load(x), tl.load(y)))
    first, second = tl.split(tl.load(x + tl.arange(0, 2)))
    tl.store(o, first + second)


@triton.jit
def broadcasts(x, o):
    a = tl.load(x + tl.arange(0, 4))
    v = tl.broadcast_to(a[:, None], (4, 8)) + tl.load(x)
    w = tl.full((4, 8), 2, tl.float32) + tl.expand_dims(tl.load(x + tl.arange(0, 8)), 0)
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(o + at, v * w)


@triton.jit
def one_element(x, o):
    v = tl.load(x + tl.arange(0, 1))
    tl.store(o, v.item())


@triton.jit
def gathers(x, index, o, AXIS: tl.constexpr):
    at = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]
    tl.store(o + at, tl.gather(tl.load(x + at), tl.load(index + at), AXIS))


@triton.jit
def histograms(x, o, n):
    i = tl.arange(0, 32)
    v = tl.load(x + i)
    bins = tl.arange(0, 16)
    tl.store(o + bins, tl.histogram(v, 16) + tl.histogram(v, 16, mask=i < n))


@triton.jit
def sorts(x, o, N: tl.constexpr, DESCENDING: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    tl.store(o + i, tl.sort(v, descending=DESCENDING))
    tl.store(o + tl.arange(0, 2), tl.topk(v, 2))
    tl.store(o + i, tl.flip(v, 0))


@triton.jit
def swizzle(x, o, rows, columns):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), rows, columns, 4)
    tl.store(o + i * columns + j, tl.load(x + j))


CASES = [
    case(reshapes, "*fp32; *fp32"),
    case(transposes, "*fp16; *fp16"),
    case(joins, "*fp32; *fp32; *fp32"),
    case(broadcasts, "*fp32; *fp32"),
    case(one_element, "*fp32; *fp32"),
    case(gathers, "*fp32; *i32; *fp32", AXIS=0),
    case(gathers, "*i8; *i32; *i8", AXIS=1),
    case(histograms, "*i32; *i32; i32"),
    case(sorts, "*fp32; *fp32", N=4, DESCENDING=False),
    case(sorts, "*i32; *i32", N=8, DESCENDING=True),
    case(swizzle, "*i32; *i32; i32; i32"),
]
