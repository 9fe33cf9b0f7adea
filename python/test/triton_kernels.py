"""Kernels of the tests. They are in a file, since Triton reads their source."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def backwards(x, out, n, BLOCK: tl.constexpr):
    """Reads an array backwards. `x` points to its last element."""
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x - i, mask=i < n), mask=i < n)


@triton.jit
def without_a_name(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), no_such_name)  # noqa: F821 - the error is what is tested


@triton.jit
def with_hints(x, out, n):
    i = tl.arange(0, 64)
    for _ in tl.range(0, n, num_stages=3, flatten=True, warp_specialize=True, disallow_acc_multi_buffer=True):
        value = tl.load(x + i, cache_modifier=".cg", eviction_policy="evict_last")
        tl.store(out + i, value, cache_modifier=".wt", eviction_policy="evict_first")


@triton.jit
def twice_of(x):
    return 2 * x


@triton.jit
def square_of(x):
    return x * x


@triton.jit
def in_turn(x, out, FIRST: tl.constexpr, REST: tl.constexpr, more, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = FIRST(tl.load(x + i))
    for k in tl.static_range(len(REST)):
        value = REST[k](value)
    tl.store(out + i, more[0](value) + more[1])


@triton.jit
def says_much(x, n):
    for i in range(n):
        tl.device_print("one more line", i)
    tl.store(x, n)


@triton.jit
def magnitude(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.abs(tl.load(x + i, mask=i < n)), mask=i < n)


@triton.jit
def product_of_halves(a, b, out, M: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :], tl.arange(0, K)
    left, right = tl.load(a + i * K + k[None, :]), tl.load(b + k[:, None] * M + j)
    tl.store(out + i * M + j, tl.dot(left, right, out_dtype=tl.float16))


@triton.jit
def softmax(out, x, out_stride, x_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * x_stride + i, mask=i < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * out_stride + i, value / tl.sum(value, 0), mask=i < columns)


@triton.jit
def matmul(a, b, c, M, N, K, a_rows, a_columns, b_rows, b_columns, c_rows, c_columns,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    i = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    j = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    sum = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a + i[:, None] * a_rows + (start + k)[None, :] * a_columns,
                       mask=(i[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        right = tl.load(b + (start + k)[:, None] * b_rows + j[None, :] * b_columns,
                        mask=((start + k)[:, None] < K) & (j[None, :] < N), other=0.0)
        sum = tl.dot(left, right, sum)
    tl.store(c + i[:, None] * c_rows + j[None, :] * c_columns, sum,
             mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def layer_norm(x, weight, bias, out, columns, epsilon, BLOCK: tl.constexpr):
    """Works in steps of BLOCK columns."""
    row = tl.program_id(0) * columns
    i = tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        sum += tl.load(x + row + start + i, mask=start + i < columns, other=0.0)
    mean = tl.sum(sum, 0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        value = tl.load(x + row + start + i, mask=start + i < columns, other=0.0) - mean
        value = tl.where(start + i < columns, value, 0.0)
        squares += value * value
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / columns + epsilon)
    for start in range(0, columns, BLOCK):
        mask = start + i < columns
        value = (tl.load(x + row + start + i, mask=mask) - mean) * scale
        value = value * tl.load(weight + start + i, mask=mask) + tl.load(bias + start + i, mask=mask)
        tl.store(out + row + start + i, value, mask=mask)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, value / (1 - p), 0.0), mask=i < n)


@triton.jit
def reductions(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask=mask, other=0.0)
    tl.store(out, tl.sum(value, 0))
    tl.store(out + 1, tl.max(tl.where(mask, value, -float("inf")), 0))
    tl.store(out + 2, tl.min(tl.where(mask, value, float("inf")), 0))
    tl.store(out + 3, tl.argmax(tl.where(mask, value, -float("inf")), 0).to(tl.float32))


@triton.jit
def numbers(out, truth, small, large, float_, pair, nothing, N: tl.constexpr):
    tl.store(out, tl.where(truth, 1.0, 0.0))
    tl.store(out + 1, small.to(tl.float64))
    tl.store(out + 2, large.to(tl.float64))
    tl.store(out + 3, float_)
    tl.store(out + 4, pair[0] + pair[1][0])
    tl.store(out + 5, N if nothing is None else -1)


@triton.jit
def increment(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


@triton.jit
def is_zero(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) == 0, mask=i < n)


@triton.jit
def as_float(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n).to(tl.float32), mask=i < n)


@triton.jit
def exchange_halves(x, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.atomic_cas(x + i, tl.load(x + i), (i + 1).to(x.dtype.element_ty))


@triton.jit
def add_halves(x, N: tl.constexpr):
    tl.atomic_add(x + tl.arange(0, N), 1.0)


@triton.jit
def add_numbers(x, a, b):
    tl.store(x, tl.load(x) + a + b)


@triton.jit
def rows_of_a_descriptor(descriptor, out, BLOCK: tl.constexpr):
    value = descriptor.load([2, 0])
    i = tl.arange(0, BLOCK)
    tl.store(out + i[:, None] * BLOCK + i[None, :], value)


@triton.jit
def reversed_rows(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + BLOCK - 1 - i, tl.load(x + i))


@triton.jit
def moved(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def printing(x, BLOCK: tl.constexpr):
    tl.device_print("value", tl.load(x + tl.arange(0, BLOCK)))


@triton.jit
def waiting(flag, data, out):
    while tl.load(flag, volatile=True) == 0:
        pass
    tl.store(out, tl.load(data))


@triton.jit(debug=True)
def asserting(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.device_assert(value < 3, "too large")
    tl.store(x + i, value + 1)


@triton.jit
def device_functions(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, libdevice.tanh(libdevice.rsqrt(tl.load(x + i))))


@triton.jit
def sum_of_rows(rows, out, count, BLOCK: tl.constexpr):
    """Takes addresses in `rows`."""
    i = tl.arange(0, BLOCK)
    sum = tl.zeros((BLOCK,), tl.float32)
    for k in range(count):
        sum += tl.load(tl.load(rows + k).to(tl.pointer_type(tl.float32)) + i)
    tl.store(out + i, sum)


@triton.jit
def spin(x, turns, SAYS: tl.constexpr):
    value = tl.load(x)
    for _ in range(turns):
        value = tl.sin(value)
        if SAYS:
            tl.device_print("turn ", value)
    tl.store(x, value)


@triton.jit
def assembly(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    value = tl.inline_asm_elementwise("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "=r,r", [value], tl.float32, True, 1)  # refused
    tl.store(x + i, value)


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"],
                 restore_value=["x"], reset_to_zero=["count"])
@triton.jit
def tuned_in_place(x, count, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
    tl.atomic_add(count, tl.sum((i < n).to(tl.int32)), sem="relaxed")


@triton.jit
def reverse(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.gather(tl.load(x + i), BLOCK - 1 - i, 0))


@triton.jit
def histogram(x, out, BINS: tl.constexpr, BLOCK: tl.constexpr):
    counts = tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS)
    tl.store(out + tl.arange(0, BINS), counts)


@triton.heuristics({"BLOCK": lambda given: triton.next_power_of_2(given["n"])})
@triton.jit
def with_heuristics(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) * BLOCK, mask=i < n)


@triton.jit
def divide_and_multiply(x_ptr, rest_ptr, share_ptr, a_ptr, b_ptr, out_ptr, DIVISOR: tl.constexpr):
    i = tl.arange(0, 64)
    x = tl.load(x_ptr + i * 5 % 64)
    tl.store(rest_ptr + i, x % DIVISOR)
    tl.store(share_ptr + i, 7 / x.to(tl.float32))
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(out_ptr + at, tl.dot(tl.load(a_ptr + at), tl.load(b_ptr + at)))


@triton.jit
def long_quotients(x, out, sums, most: tl.int64, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    half = 1 + (value % most) // 2
    tl.store(out + i, tl.where(half < most, half, most))
    tl.store(sums + i, (value // most + 3) * 5 + (value // 1000003 - 7) + (value % 24 + 1))


@triton.jit
def square_minus(x, out, squares, BLOCK: tl.constexpr):
    """Stores numbers that are not zero if the product is fused with the difference."""
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(out + i, value * value - tl.load(squares + i))


@triton.jit
def add_if_there(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if y is not None:
        tl.store(y + i, 0.0, mask=i < n)
    tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)
