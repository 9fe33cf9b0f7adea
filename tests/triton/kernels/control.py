"""Control flow: loops of every kind, conditions, early returns, calls."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def loop_hints(x, o, n, STAGES: tl.constexpr, UNROLL: tl.constexpr, FLATTEN: tl.constexpr,
               SPECIALIZE: tl.constexpr, KEEP: tl.constexpr):
    i = tl.arange(0, 8)
    v = tl.zeros((8,), tl.float32)
    for k in tl.range(0, n, num_stages=STAGES, loop_unroll_factor=UNROLL, flatten=FLATTEN,
                      warp_specialize=SPECIALIZE, disable_licm=KEEP,
                      disallow_acc_multi_buffer=KEEP):
        v += tl.load(x + i + k * 8)
    tl.store(o + i, v)


@triton.jit
def static_loop(x, o, N: tl.constexpr):
    v = tl.load(x)
    for k in tl.static_range(N):
        v += tl.load(x + k) * k
    tl.store(o, v)


@triton.jit
def nested_loops(x, o, n, m):
    total = 0.0
    for i in range(n):
        for j in range(i, m, 2):
            if j % 3 == 0:
                total += tl.load(x + j)
            else:
                total -= 1.0
    tl.store(o, total)


@triton.jit
def wide_loop(x, o, n):
    total = 0.0
    for i in range(n, -1, -1):
        total += tl.load(x + i)
    tl.store(o, total)


@triton.jit
def while_loop(x, o, n):
    count = n
    steps = 0
    while (count != 1) & (steps < 100):
        if count % 2 == 0:
            count = count // 2
        else:
            count = 3 * count + 1
        steps += 1
    tl.store(o, steps + tl.load(x))


@triton.jit
def early_return(x, o, n):
    at = tl.program_id(0)
    if at >= n:
        return
    if tl.load(x + at) == 0:
        tl.store(o + at, 1)
        return
    tl.store(o + at, 2)


@triton.jit
def conditions(x, o, n):
    i = tl.arange(0, 8)
    v = tl.load(x + i)
    if n > 3:
        v = v + 1.0
        w = v
    elif n > 1:
        w = v * 2.0
    else:
        w = tl.exp(v)
    u = v if n == 0 else w
    tl.store(o + i, u)


@triton.jit(noinline=True)
def sum_of_row(x, n, v):
    i = tl.arange(0, 8)
    return v + tl.sum(tl.load(x + n * 8 + i)), n + 1


@triton.jit(noinline=True)
def write(o, v):
    tl.store(o + tl.arange(0, 8), v)


@triton.jit
def calls(x, o, n):
    v, m = sum_of_row(x, n, 0.0)
    v, m = sum_of_row(x, m, v)
    write(o, v)
    write(o + m, v)


@triton.jit
def returns_in_the_middle(x):
    if x > 1.0:
        return x * 2.0
    return x + 1.0


@triton.jit
def inlined_return(x, o):
    tl.store(o, returns_in_the_middle(tl.load(x)))


@triton.jit
def leaky(x, slope):
    if x > 0:
        return x
    else:
        return x * slope


@triton.jit
def parts(a, b, c, d):
    return a + b, c - d, a * 2, d


@triton.jit
def per_element(x, y, o):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.map_elementwise(leaky, tl.load(x + i), tl.load(y)))
    p, q = tl.map_elementwise(parts, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(o + i, p + q)


@triton.jit
def softmax_with_early_exit(o, x, stride, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    if row >= rows:
        return
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < columns, other=float("-inf"))
    tl.store(o + row * stride + at, tl.softmax(v), mask=at < columns)


HINTS = dict(STAGES=None, UNROLL=None, FLATTEN=False, SPECIALIZE=False, KEEP=False)
CASES = [
    case(loop_hints, "*fp32; *fp32; i32", **HINTS),
    case(loop_hints, "*fp32; *fp32; i32", **HINTS | dict(STAGES=4, FLATTEN=True)),
    case(loop_hints, "*fp32; *fp32; i64", **HINTS | dict(SPECIALIZE=True, KEEP=True)),
    case(loop_hints, "*fp32; *fp32; i32", **HINTS | dict(UNROLL=2)),
    case(static_loop, "*fp32; *fp32", N=3),
    case(nested_loops, "*fp32; *fp32; i32; i32"),
    case(wide_loop, "*fp32; *fp32; i64"),
    case(wide_loop, "*fp32; *fp32; u8"),
    case(while_loop, "*i32; *i32; i32"),
    case(early_return, "*i32; *i32; i32"),
    case(conditions, "*fp32; *fp32; i32"),
    case(calls, "*fp32; *fp32; i32"),
    case(inlined_return, "*fp32; *fp32"),
    case(per_element, "*fp32; *fp32; *fp32"),
    case(softmax_with_early_exit, "*fp32; *fp32; i32/16; i32; i32", BLOCK=64),
]
