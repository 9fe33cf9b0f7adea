"""Kernels that access memory outside their arguments. planted.py says what a case is."""
import numpy as np
import torch

import triton
import triton.language as tl
from planted import planted


@triton.jit
def load_masked(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)  # fault
    tl.store(y + i, value, mask=i < 100)


@planted(load_masked, "bounds", "x", (1, 0, 0), r"tl.load reads 'x' at \[100\] of shape \(100,\), 0 bytes past the end of")
def mask_off_by_one(wrong):
    load_masked[(2,)](torch.ones(100), torch.zeros(100), 101 if wrong else 100, BLOCK=64)


@planted(load_masked, "bounds", "x", (1, 0, 0))
def mask_off_by_a_block(wrong):
    load_masked[(2,)](torch.ones(100), torch.zeros(100), 128 if wrong else 100, BLOCK=64)


@planted(load_masked, "bounds", "x", (0, 0, 0), r"of shape \(3,\)")
def argument_too_small(wrong):
    load_masked[(1,)](torch.ones(3 if wrong else 100), torch.zeros(100), 100, BLOCK=128)


@triton.jit
def store_masked(y, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, value, mask=i < n)  # fault


def _typed(dtype):
    def launch(wrong):
        store_masked[(3,)](torch.zeros(40, dtype=dtype), 41 if wrong else 40, 1, BLOCK=16)
    launch.__name__ = "store_of_" + str(dtype).removeprefix("torch.")
    planted(store_masked, "bounds", "y", (2, 0, 0), rf"at \[40\] of shape \(40,\), .* {40 * dtype.itemsize} bytes",
            host_only=dtype in (torch.float64, torch.bfloat16))(launch)


for _dtype in (torch.bool, torch.int8, torch.float16, torch.bfloat16, torch.float64, torch.int64, torch.uint8):
    _typed(_dtype)


@planted(store_masked, "bounds", "y", (2, 0, 0), r"tl.store writes 'y' at \[40\] of shape \(40,\)")
def numpy_array(wrong):
    store_masked[(3,)](np.zeros(40, np.float32), 41 if wrong else 40, 1, BLOCK=16)


@planted(store_masked, "bounds", "y", (2, 0, 0), r"at \[4, 8\] of shape \(4, 10\)|at \[4, 0\] of shape \(4, 10\)")
def pumice_array(wrong):
    import pumice
    store_masked[(3,)](pumice.zeros((4, 10), np.float32), 41 if wrong else 40, 1, BLOCK=16)


@planted(store_masked, "bounds", "y", (0, 0, 0), "of shape \\(0,\\)", host_only=True)
def empty_tensor(wrong):
    store_masked[(1,)](torch.zeros(0), 1 if wrong else 0, 1, BLOCK=16)


@triton.jit
def copy_2d(x, y, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    value = tl.load(x + i * 20 + j, mask=(i < rows) & (j < columns))  # fault
    tl.store(y + i * 20 + j, value, mask=(i < 10) & (j < 20))


@planted(copy_2d, "bounds", "x", (2, 0, 0), r"at \[10, 0\] of shape \(10, 20\)")
def row_mask_missing(wrong):
    copy_2d[(3,)](torch.ones(10, 20), torch.zeros(10, 20), 12 if wrong else 10, 20, ROWS=4, COLUMNS=32)


@planted(copy_2d, "bounds", "x", (2, 0, 0), r"at \[10, 0\] of shape \(10, 20\)")
def column_mask_missing_in_the_last_row(wrong):
    copy_2d[(3,)](torch.ones(10, 20), torch.zeros(10, 20), 10, 21 if wrong else 20, ROWS=4, COLUMNS=32)


@triton.jit
def fill_3d(y, planes, P: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    p = tl.arange(0, P)[:, None, None]
    r = tl.arange(0, R)[None, :, None]
    c = tl.arange(0, C)[None, None, :]
    tl.store(y + p * (R * C) + r * C + c, 1.0, mask=p < planes)  # fault


@planted(fill_3d, "bounds", "y", (0, 0, 0), r"at \[3, 0, 0\] of shape \(3, 4, 8\)")
def block_of_three_axes(wrong):
    fill_3d[(1,)](torch.zeros(3, 4, 8), 4 if wrong else 3, P=4, R=4, C=8)


@triton.jit
def load_strided(x, y, stride, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i * stride, mask=i < n)  # fault
    tl.store(y + i, value, mask=i < n)


@planted(load_strided, "bounds", "x", (0, 0, 0), r"of shape \(30,\), \d+ bytes past the end of its storage of 240 bytes")
def stride_of_a_view(wrong):
    load_strided[(1,)](torch.ones(60)[::2], torch.zeros(32), 3 if wrong else 2, 30, BLOCK=32)


@planted(load_strided, "bounds", "x", (0, 0, 0), "storage of 480 bytes")
def transposed(wrong):
    """Reads a column of the transposed matrix, by the stride of the other axis."""
    x = torch.ones(6, 20).T
    load_strided[(1,)](x[0], torch.zeros(32), 25 if wrong else x.stride(1), 6, BLOCK=8)


@planted(load_strided, "bounds", "x", (0, 0, 0), "bytes before its storage", host_only=True)
def negative_stride(wrong):
    x = np.ones(40, np.float32)[::-1][20:]
    load_strided[(1,)](x, np.zeros(32, np.float32), -2 if wrong else -1, 16, BLOCK=16)


@triton.jit
def load_before(x, y, BACK: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x - BACK + i)  # fault
    tl.store(y + i, value)


@planted(load_before, "bounds", "x", (0, 0, 0), "4 bytes before its storage of 400 bytes")
def before_the_pointer(wrong):
    load_before[(1,)](torch.ones(100)[10:], torch.zeros(16), BACK=11 if wrong else 10, BLOCK=16)


@triton.jit
def reverse(x, y, n, LAST: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + (n - LAST - i), mask=i < n)  # fault
    tl.store(y + i, value, mask=i < n)


@planted(reverse, "bounds", "x", (0, 0, 0), r"at \[20\] of shape \(20,\)")
def reversed_off_by_one(wrong):
    reverse[(1,)](torch.ones(20), torch.zeros(20), 20, LAST=0 if wrong else 1, BLOCK=32)


@triton.jit
def gather(x, index, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(index + i)
    value = tl.load(x + at)  # fault
    tl.store(y + i, value)


@planted(gather, "bounds", "x", (0, 0, 0), r"at \[1000\] of shape \(50,\), 3,800 bytes past the end of")
def gather_by_loaded_indices(wrong):
    index = torch.arange(16)
    index[5] = 1000 if wrong else 49
    gather[(1,)](torch.ones(50), index, torch.zeros(16), BLOCK=16)


@triton.jit
def scatter(index, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(index + i)
    tl.store(y + at, 1.0)  # fault


@planted(scatter, "bounds", "y", (0, 0, 0), "40 bytes before its storage")
def scatter_by_a_negative_index(wrong):
    index = torch.arange(16, dtype=torch.int32)
    index[3] = -10 if wrong else 3
    scatter[(1,)](index, torch.zeros(50), BLOCK=16)


@triton.jit
def sum_of_steps(x, y, steps, BLOCK: tl.constexpr):
    at = x + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(steps):
        total += tl.load(at)  # fault
        at += BLOCK
    tl.store(y + tl.arange(0, BLOCK), total)


@planted(sum_of_steps, "bounds", "x", (0, 0, 0), r"at \[128\] of shape \(128,\)")
def a_turn_too_many(wrong):
    sum_of_steps[(1,)](torch.ones(128), torch.zeros(32), 5 if wrong else 4, BLOCK=32)


@triton.jit
def walk(x, y, last):
    at = x
    i = 0
    total = 0.0
    while i < last:
        total += tl.load(at)  # fault
        at += 2
        i += 1
    tl.store(y, total)


@planted(walk, "bounds", "x", (0, 0, 0), r"at \[10\] of shape \(10,\)")
def while_with_a_pointer(wrong):
    walk[(1,)](torch.ones(10), torch.zeros(1), 6 if wrong else 5)


@triton.jit
def fetch(x, i):
    return tl.load(x + i)  # fault


@triton.jit
def fetch_two(x, i):
    return fetch(x, i) + 1


@triton.jit
def by_helpers(source, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK) + n
    tl.store(y + tl.arange(0, BLOCK), fetch_two(source, i))


@planted(fetch, "bounds", "source", (0, 0, 0), r"at \[64\] of shape \(64,\)")
def helper_in_a_helper(wrong):
    by_helpers[(1,)](torch.ones(64), torch.zeros(32), 33 if wrong else 32, BLOCK=32)


@triton.jit
def by_descriptor(x, y, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, 20], [20, 1], [ROWS, COLUMNS])
    value = source.load([tl.program_id(0) * ROWS, 0])  # fault
    tl.store(y + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :], value,
             mask=tl.program_id(0) == 0)


@planted(by_descriptor, "bounds", "x", (2, 0, 0), r"at \[10, 0\] of shape \(10, 20\)")
def descriptor_of_too_many_rows(wrong):
    by_descriptor[(3,)](torch.ones(10, 20), torch.zeros(4, 32), 12 if wrong else 10, ROWS=4, COLUMNS=32)


@triton.jit
def store_by_descriptor(y, rows, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    target = tl.make_tensor_descriptor(y, [rows, 20], [20, 1], [ROWS, COLUMNS])
    target.store([tl.program_id(0) * ROWS, 0], tl.full((ROWS, COLUMNS), 1, tl.float32))  # fault


@planted(store_by_descriptor, "bounds", "y", (2, 0, 0), r"at \[10, 0\] of shape \(10, 20\)")
def store_by_a_descriptor_of_too_many_rows(wrong):
    store_by_descriptor[(3,)](torch.zeros(10, 20), 12 if wrong else 10, ROWS=4, COLUMNS=32)


@triton.jit
def by_host_descriptor(source, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    value = source.load([tl.program_id(0) * ROWS, 0])  # fault
    tl.store(y + tl.arange(0, ROWS)[:, None] * COLUMNS + tl.arange(0, COLUMNS)[None, :], value,
             mask=tl.program_id(0) == 0)


@planted(by_host_descriptor, "bounds", None, (2, 0, 0), r"storage of 800 bytes")
def descriptor_of_the_host(wrong):
    from triton.tools.tensor_descriptor import TensorDescriptor
    x = TensorDescriptor(torch.ones(10, 20), [12 if wrong else 10, 20], [20, 1], [4, 32])
    by_host_descriptor[(3,)](x, torch.zeros(4, 32), ROWS=4, COLUMNS=32)


@triton.jit
def by_block_pointer(x, y, n, BLOCK: tl.constexpr):
    at = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * BLOCK,), (BLOCK,), (0,))
    value = tl.load(at, boundary_check=(0,))  # fault
    tl.store(y + tl.arange(0, BLOCK), value, mask=tl.program_id(0) == 0)


@planted(by_block_pointer, "bounds", "x", (1, 0, 0), r"at \[50\] of shape \(50,\)")
def block_pointer_of_too_large_a_shape(wrong):
    by_block_pointer[(2,)](torch.ones(50), torch.zeros(32), 60 if wrong else 50, BLOCK=32)


@triton.jit
def by_block_pointer_unchecked(x, y, BLOCK: tl.constexpr):
    at = tl.make_block_ptr(x, (50, 8), (8, 1), (tl.program_id(0) * BLOCK, 0), (BLOCK, 8), (1, 0))
    value = tl.load(at)  # fault
    tl.store(y + tl.arange(0, BLOCK)[:, None] * 8 + tl.arange(0, 8)[None, :], value, mask=tl.program_id(0) == 0)


@planted(by_block_pointer_unchecked, "bounds", "x", (1, 0, 0), r"at \[50, 0\] of shape \(50, 8\)")
def block_pointer_without_a_check(wrong):
    by_block_pointer_unchecked[(2 if wrong else 1,)](torch.ones(50, 8), torch.zeros(32, 8), BLOCK=32)


@triton.jit
def count(index, bins, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(index + i), 1)  # fault


@planted(count, "bounds", "bins", (0, 0, 0), r"tl.atomic_add updates 'bins' at \[10\] of shape \(10,\)")
def atomic_add(wrong):
    index = torch.zeros(16, dtype=torch.int32)
    index[7] = 10 if wrong else 9
    count[(1,)](index, torch.zeros(10, dtype=torch.int32), BLOCK=16)


@triton.jit
def take_lock(locks, n):
    tl.atomic_cas(locks + n, 0, 1)  # fault


@planted(take_lock, "bounds", "locks", (0, 0, 0), r"tl.atomic_cas updates 'locks' at \[10\]")
def atomic_compare_and_swap(wrong):
    take_lock[(1,)](torch.zeros(10, dtype=torch.int32), 10 if wrong else 9)


@triton.jit
def exchange(slots, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    old = tl.atomic_xchg(slots + i, i, mask=i < n)  # fault
    tl.store(y + i, old)


@planted(exchange, "bounds", "slots", (0, 0, 0), r"at \[10\] of shape \(10,\)")
def atomic_exchange(wrong):
    exchange[(1,)](torch.zeros(10, dtype=torch.int32), torch.zeros(16, dtype=torch.int32), 12 if wrong else 10,
                   BLOCK=16)


@triton.jit
def sum_of_tuple(parts, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(parts[1] + i, mask=i < n)  # fault
    tl.store(y + i, value + tl.load(parts[0] + i), mask=i < n)


@planted(sum_of_tuple, "bounds", None, (0, 0, 0), r"at \[20\] of shape \(20,\)")
def tuple_of_tensors(wrong):
    sum_of_tuple[(1,)]((torch.ones(32), torch.ones(20)), torch.zeros(32), 21 if wrong else 20, BLOCK=32)


@triton.jit
def sum_of_group(addresses, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(addresses + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    value = tl.load(x + i, mask=i < n)  # fault
    tl.store(y + tl.program_id(0) * BLOCK + i, value, mask=i < n)


@planted(sum_of_group, "bounds", "", None, "which is in no argument's memory", host_only=True)
def pointers_in_memory(wrong):
    group = [torch.ones(16), torch.ones(4096)]
    addresses = torch.tensor([each.data_ptr() for each in group])
    sum_of_group[(2,)](addresses, torch.zeros(64), 17 if wrong else 16, BLOCK=32)


@triton.jit
def double(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < 30)
    tl.store(x + i, value * 2, mask=i < n)  # fault


@planted(double, "bounds", "x", (1, 0, 0), r"at \[30\] of shape \(30,\)")
def in_place(wrong):
    double[(2,)](torch.ones(30), 31 if wrong else 30, BLOCK=16)


@planted(load_masked, "bounds", "x", (1, 0, 0), r"at \[100\] of shape \(100,\)")
def one_tensor_twice(wrong):
    x = torch.ones(100)
    load_masked[(2,)](x, x, 101 if wrong else 100, BLOCK=64)


@triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32})], key=["n"])
@triton.jit
def tuned(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)  # fault
    tl.store(y + i, value, mask=i < 100)


@planted(tuned, "bounds", "x", None, r"at \[100\] of shape \(100,\)")
def autotuned(wrong):
    tuned[lambda meta: (triton.cdiv(101, meta["BLOCK"]),)](torch.ones(100), torch.zeros(100), 101 if wrong else 100)


@triton.heuristics({"BLOCK": lambda given: triton.next_power_of_2(given["n"])})
@triton.jit
def by_heuristics(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i <= n)  # fault
    tl.store(y + i, value, mask=i < n)


@planted(by_heuristics, "bounds", "x", (0, 0, 0), r"at \[50\] of shape \(50,\)")
def heuristics(wrong):
    by_heuristics[(1,)](torch.ones(50), torch.zeros(50), 50 if wrong else 49)


@triton.jit
def scalar_load(x, y):
    value = tl.load(x + tl.program_id(0))  # fault
    tl.store(y + tl.program_id(0), value)


@planted(scalar_load, "bounds", "x", (5, 0, 0), r"at \[5\] of shape \(5,\)")
def scalar(wrong):
    scalar_load[(6 if wrong else 5,)](torch.ones(5), torch.zeros(6))


@triton.jit
def scalar_store(y, where):
    tl.store(y + where, 1.0)  # fault


@planted(scalar_store, "bounds", "y", (0, 0, 0), "bytes past the end of its storage")
def scalar_far_away(wrong):
    scalar_store[(1,)](torch.zeros(5), 1 << 40 if wrong else 4)


@triton.jit
def add_row(x, row, y, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    value = tl.load(row + j)  # fault
    tl.store(y + i * COLUMNS + j, tl.load(x + i * COLUMNS + j) + value)


@planted(add_row, "bounds", "row", (0, 0, 0), r"at \[15\] of shape \(15,\)")
def broadcast_row(wrong):
    add_row[(1,)](torch.ones(8, 16), torch.ones(15 if wrong else 16), torch.zeros(8, 16), ROWS=8, COLUMNS=16)


@triton.jit
def product(a, b, c, K, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)[:, None]
    j = tl.arange(0, BLOCK)[None, :]
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, 40, BLOCK):
        left = tl.load(a + i * 40 + k + j, mask=k + j < 40, other=0.0)
        right = tl.load(b + (k + i) * BLOCK + j, mask=k + i < K, other=0.0)  # fault
        total = tl.dot(left, right, total)
    tl.store(c + i * BLOCK + j, total)


@planted(product, "bounds", "b", (0, 0, 0), r"at \[40, 0\] of shape \(40, 16\)")
def depth_of_a_product(wrong):
    product[(1,)](torch.ones(16, 40), torch.ones(40, 16), torch.zeros(16, 16), 48 if wrong else 40, BLOCK=16)


@triton.jit
def under_condition(x, y, where, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    if where > 3:
        value += tl.load(x + where + i)  # fault
    tl.store(y + i, value)


@planted(under_condition, "bounds", "x", (0, 0, 0), r"at \[32\] of shape \(32,\)")
def in_a_branch(wrong):
    under_condition[(1,)](torch.ones(32), torch.zeros(16), 17 if wrong else 16, BLOCK=16)


@triton.jit
def unrolled(x, y, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    for step in tl.static_range(STEPS):
        tl.store(y + step * BLOCK + i, tl.load(x + i))  # fault


@planted(unrolled, "bounds", "y", (0, 0, 0), r"at \[64\] of shape \(64,\)")
def in_an_unrolled_loop(wrong):
    unrolled[(1,)](torch.ones(16), torch.zeros(64), BLOCK=16, STEPS=5 if wrong else 4)


@triton.jit
def either(x, z, y, flag, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = x
    if flag > 5:
        source = z
    tl.store(y + i, tl.load(source + i))  # fault


@planted(either, "bounds", None, (0, 0, 0), "tl.load reads", host_only=True)
def one_of_two_pointers(wrong):
    either[(1,)](torch.ones(16), torch.ones(15), torch.zeros(16), 6 if wrong else 4, BLOCK=16)


@triton.jit
def on_axes(y, ROWS: tl.constexpr):
    at = (tl.program_id(2) * 3 + tl.program_id(1)) * 2 + tl.program_id(0)
    tl.store(y + at, 1.0)  # fault


@planted(on_axes, "bounds", "y", (1, 2, 1), r"at \[11\] of shape \(11,\)")
def grid_of_three_axes(wrong):
    on_axes[(2, 3, 2)](torch.zeros(11 if wrong else 12), ROWS=1)
