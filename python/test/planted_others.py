"""Kernels that race, read unwritten memory, overflow or divide by zero. planted.py says what a case is."""
import numpy as np
import torch

import triton
import triton.language as tl
from planted import planted

OTHER_LINE = r"which program number \d+ accesses at .*planted_others.py:\d+: a race|which several programs have read"


@triton.jit
def sum_without_atomics(x, y, APART: tl.constexpr, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    total = tl.sum(tl.load(x + pid * BLOCK + tl.arange(0, BLOCK)))
    tl.store(y + pid * APART, total)  # fault


@planted(sum_without_atomics, "race", "y", text=f"tl.store writes 'y', ({OTHER_LINE})")
def all_write_one_element(wrong):
    sum_without_atomics[(64,)](torch.ones(64 * 16), torch.zeros(64), APART=0 if wrong else 1, BLOCK=16)


@planted(sum_without_atomics, "race", "y", text=OTHER_LINE)
def all_write_one_element_of_numpy(wrong):
    sum_without_atomics[(64,)](np.ones(64 * 16, np.float32), np.zeros(64, np.float32), APART=0 if wrong else 1,
                               BLOCK=16)


@triton.jit
def fill_tiles(y, STEP: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(y + tl.program_id(0) * STEP + tl.arange(0, BLOCK), 1.0)  # fault


@planted(fill_tiles, "race", "y", text=OTHER_LINE)
def tiles_that_overlap(wrong):
    fill_tiles[(64,)](torch.zeros(64 * 16), STEP=15 if wrong else 16, BLOCK=16)


@planted(fill_tiles, "race", "y", text=OTHER_LINE)
def tiles_of_half_floats(wrong):
    fill_tiles[(64,)](torch.zeros(64 * 16, dtype=torch.float16), STEP=15 if wrong else 16, BLOCK=16)


@triton.jit
def fill_tiles_of_rows(y, STEP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(1) * STEP + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    tl.store(y + i * 64 + j, 1.0)  # fault


@planted(fill_tiles_of_rows, "race", "y", text=OTHER_LINE)
def tiles_of_rows_that_overlap(wrong):
    fill_tiles_of_rows[(4, 8)](torch.zeros(64, 64), STEP=7 if wrong else 8, ROWS=8, COLUMNS=16)


@triton.jit
def smooth(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + i - 1, mask=(i > 0) & (i < n), other=0.0)  # fault
    tl.store(y + i, tl.load(x + i, mask=i < n) + left, mask=i < n)  # fault


@planted(smooth, "race", None)
def stencil_in_place(wrong):
    """Passes the same tensor as source and target."""
    x = torch.ones(4096)
    smooth[(256,)](x, x if wrong else torch.zeros(4096), 4096, BLOCK=16)


@triton.jit
def shift(x, BLOCK: tl.constexpr, BY: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i + BY)  # fault
    tl.store(x + i, value)  # fault


@planted(shift, "race", "x")
def shift_in_place(wrong):
    shift[(256,)](torch.ones(4096 + 16), BLOCK=16, BY=1 if wrong else 0)


@triton.jit
def histogram(x, bins):
    bin = tl.load(x + tl.program_id(0))
    before = tl.load(bins + bin)  # fault
    tl.store(bins + bin, before + 1)  # fault


@planted(histogram, "race", "bins")
def histogram_without_atomics(wrong):
    x = torch.zeros(256, dtype=torch.int64) if wrong else torch.arange(256)
    histogram[(256,)](x, torch.zeros(256, dtype=torch.int32))


@triton.jit
def split_k(a, b, c, FROM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)[:, None]
    j = tl.arange(0, BLOCK)[None, :]
    k = tl.program_id(0) * BLOCK
    total = tl.dot(tl.load(a + i * 128 + k + j), tl.load(b + (k + i) * BLOCK + j))
    tl.store(c + tl.program_id(0) * FROM + i * BLOCK + j, total)  # fault


@planted(split_k, "race", "c", text=OTHER_LINE)
def split_depth_without_atomics(wrong):
    split_k[(8,)](torch.ones(16, 128), torch.ones(128, 16), torch.zeros(8, 16, 16), FROM=0 if wrong else 256, BLOCK=16)


@triton.jit
def put(y, i, value):
    tl.store(y + i, value)  # fault


@triton.jit
def fill_by_helper(y, APART: tl.constexpr):
    put(y, tl.program_id(0) * APART, 2.0)


@planted(put, "race", "y", text=OTHER_LINE)
def in_a_helper(wrong):
    fill_by_helper[(64,)](torch.zeros(64), APART=0 if wrong else 1)


@triton.jit
def rows_in_turn(y, rows, STEP: tl.constexpr, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), rows, STEP):
        tl.store(y + row * BLOCK + tl.arange(0, BLOCK), 1.0)  # fault


@planted(rows_in_turn, "race", "y", text=OTHER_LINE)
def persistent_loop(wrong):
    rows_in_turn[(16,)](torch.zeros(64 * 16), 64, STEP=15 if wrong else 16, BLOCK=16)


@triton.jit
def publish(x, y, BLOCK: tl.constexpr, AT: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if tl.program_id(0) == 0:
        tl.store(x + i, 1.0)  # fault
    else:
        tl.store(y + tl.program_id(0) * BLOCK + i, tl.load(x + AT + i))  # fault


@planted(publish, "race", "x", text=OTHER_LINE)
def read_of_what_the_first_program_writes(wrong):
    publish[(64,)](torch.ones(32), torch.zeros(64 * 16), BLOCK=16, AT=0 if wrong else 16)


@planted(sum_without_atomics, "race", "y", text=OTHER_LINE)
def views_of_one_tensor(wrong):
    """Passes two views of the same memory, with different strides."""
    whole = torch.ones(64 * 16 + 64)
    sum_without_atomics[(64,)](whole[:64 * 16], whole[64 * 16:], APART=0 if wrong else 1, BLOCK=16)


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n)  # fault
    tl.store(y + i, value, mask=i < n)


@planted(copy, "unwritten", "x", (0, 0, 0), "tl.load reads 'x' where nothing has written it")
def fresh_tensor(wrong):
    copy[(1,)](torch.empty(10) if wrong else torch.ones(10), torch.empty(10), 10, BLOCK=16)


@planted(copy, "unwritten", "x", (1, 0, 0))
def tensor_half_written_by_a_kernel(wrong):
    middle = torch.empty(32)
    copy[(2,)](torch.ones(32), middle, 31 if wrong else 32, BLOCK=16)
    copy[(2,)](middle, torch.empty(32), 32, BLOCK=16)


@planted(copy, "unwritten", "x", (0, 0, 0))
def fresh_like_another(wrong):
    x = torch.empty_like(torch.ones(10))
    if not wrong:
        x.fill_(1)
    copy[(1,)](x, torch.empty(10), 10, BLOCK=16)


@planted(copy, "unwritten", "x", (0, 0, 0))
def view_of_a_fresh_tensor(wrong):
    x = torch.ones(4, 10).new_empty(4, 10)
    if not wrong:
        torch.mul(torch.ones(4, 10), 2, out=x)
    copy[(1,)](x[1:], torch.empty(30), 30, BLOCK=32)


@planted(copy, "unwritten", "x", (0, 0, 0))
def part_of_a_fresh_tensor_whose_maker_has_dropped_it(wrong):
    x = torch.empty(4, 10).detach()[1:].T
    if not wrong:
        x.fill_(1)
    copy[(1,)](x, torch.empty(30), 30, BLOCK=32)


@triton.jit
def accumulate(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    before = tl.load(y + i, mask=i < n)  # fault
    tl.store(y + i, before + tl.load(x + i, mask=i < n), mask=i < n)


@planted(accumulate, "unwritten", "y", (0, 0, 0))
def sum_into_a_fresh_tensor(wrong):
    y = torch.empty(10) if wrong else torch.zeros(10)
    accumulate[(1,)](torch.ones(10), y, 10, BLOCK=16)


@triton.jit
def fill_rows(y, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0) * stride + i, 1.0)  # fault


@planted(fill_rows, "overflow", "", (2, 0, 0), r"an offset of tl.store wrapped: it does not fit in 32 bits")
def program_times_stride(wrong):
    fill_rows[(3,)](torch.zeros(96), 0x7fffffff if wrong else 32, BLOCK=16)


@planted(fill_rows, "overflow", "", (2, 0, 0))
def product_that_comes_back(wrong):
    """Computes 2 * 2^31, which is 0 in 32 bits: the offset is still in bounds."""
    fill_rows[(3,)](torch.zeros(64), -(1 << 31) if wrong else 16, BLOCK=16)


@triton.jit
def load_rows(x, y, stride, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, COLUMNS)[None, :]
    value = tl.load(x + i * stride + j)  # fault
    tl.store(y + i * COLUMNS + j, value)


@planted(load_rows, "overflow", "", (0, 0, 0))
def rows_times_stride(wrong):
    load_rows[(1,)](torch.ones(8, 16), torch.zeros(8, 16), 1 << 30 if wrong else 16, COLUMNS=16, ROWS=8)


@triton.jit
def square(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(x + i)
    tl.store(y + at * at, 1.0)  # fault


@planted(square, "overflow", "", (0, 0, 0))
def product_of_loaded_numbers(wrong):
    x = torch.arange(16, dtype=torch.int32)
    x[3] = 1 << 16 if wrong else 3
    square[(1,)](x, torch.zeros(256), BLOCK=16)


@triton.jit
def start_of(x, row, stride):
    return tl.load(x + row * stride)  # fault


@triton.jit
def start_by_helper(x, y, stride):
    tl.store(y, start_of(x, tl.program_id(0) + 3, stride))


@planted(start_of, "overflow", "", (0, 0, 0))
def product_in_a_helper(wrong):
    start_by_helper[(1,)](torch.ones(100), torch.zeros(1), 1 << 30 if wrong else 30)


@triton.jit
def sum_of_offsets(x, y, base, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK) * 3
    tl.store(y + (base + i) + n, tl.load(x + tl.arange(0, BLOCK)))  # fault


@planted(sum_of_offsets, "overflow", "", (0, 0, 0))
def sum_that_wraps(wrong):
    sum_of_offsets[(1,)](torch.ones(16), torch.zeros(100), 0x7fffffff if wrong else 5, -0x7fffffff if wrong else 1,
                         BLOCK=16)


@triton.jit
def divide_index(x, y, d, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = i // d  # fault
    tl.store(y + i, tl.load(x + (row & 15)))


@planted(divide_index, "division", "", (0, 0, 0), "an integer division by zero")
def number_of_columns(wrong):
    divide_index[(1,)](torch.ones(16), torch.zeros(16), 0 if wrong else 3, BLOCK=16)


@triton.jit
def divide_scalar(y, d):
    at = tl.program_id(0) // d  # fault
    tl.store(y + (at & 1) + tl.program_id(0) * 2, 1.0)


@planted(divide_scalar, "division", "", text="an integer division by zero")
def scalar_by_zero(wrong):
    divide_scalar[(2,)](torch.zeros(4), 0 if wrong else 2)


@triton.jit
def divide_by_product(y, d, e, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i // (d * e)  # fault
    tl.store(y + i, at)


@planted(divide_by_product, "division", "", (0, 0, 0))
def product_of_numbers_that_is_zero(wrong):
    divide_by_product[(1,)](torch.zeros(16, dtype=torch.int32), 3, 0 if wrong else 2, BLOCK=16)


@triton.jit
def rest_of(y, d):
    at = (tl.program_id(0) + 5) % d  # fault
    tl.store(y + (at & 1), 1.0)


@planted(rest_of, "division", "", (0, 0, 0))
def scalar_modulo_zero(wrong):
    rest_of[(1,)](torch.zeros(2), 0 if wrong else 2)


@triton.jit
def divide(x, d, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    ratio = tl.load(x + i) // tl.load(d + i)  # fault
    tl.store(y + i, ratio)


@planted(divide, "division", "", (0, 0, 0))
def one_element_by_zero(wrong):
    d = torch.arange(1, 17)
    d[7] = 0 if wrong else 8
    divide[(1,)](torch.arange(16), d, torch.zeros(16, dtype=torch.int64), BLOCK=16)


@triton.jit
def modulo(x, d, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)[:, None]
    j = tl.arange(0, BLOCK)[None, :]
    rest = tl.load(x + i) % (tl.load(d + j) - 1)  # fault
    tl.store(y + i * BLOCK + j, rest)


@planted(modulo, "division", "", (0, 0, 0))
def table_of_rests(wrong):
    d = torch.arange(2, 18, dtype=torch.int32)
    d[0] = 1 if wrong else 5
    modulo[(1,)](torch.arange(16, dtype=torch.int32), d, torch.zeros(16, 16, dtype=torch.int32), BLOCK=16)


@triton.jit
def divide_masked(x, d, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    ratio = tl.load(x + i, mask=i < n) // tl.load(d + i, mask=i < n, other=0)  # fault
    tl.store(y + i, ratio, mask=i < n)


@planted(divide_masked, "division", "", (0, 0, 0))
def masked_element_by_zero(wrong):
    """Masked elements are divided by zero, too, which is not a fault."""
    d = torch.arange(1, 13)
    d[7] = 0 if wrong else 8
    divide_masked[(1,)](torch.arange(12), d, torch.zeros(12, dtype=torch.int64), 12, BLOCK=16)


@triton.jit
def table_of_masked(x, d, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)[:, None]
    j = tl.arange(0, BLOCK)
    divisor = tl.load(d + j, mask=j < n, other=1) - 1
    rest = tl.load(x + i) % divisor[None, :]  # fault
    tl.store(y + i * BLOCK + j[None, :], rest, mask=(j < n)[None, :])


@planted(table_of_masked, "division", "", (0, 0, 0))
def table_of_masked_rests(wrong):
    d = torch.arange(2, 14, dtype=torch.int32)
    d[3] = 1 if wrong else 5
    table_of_masked[(1,)](torch.arange(16, dtype=torch.int32), d, torch.zeros(16, 16, dtype=torch.int32), 12, BLOCK=16)


@triton.jit
def divide_by_one_masked(d, y, n):
    p = tl.program_id(0)
    ratio = 100 // tl.load(d + p, mask=p < n, other=0)  # fault
    tl.store(y + p, ratio, mask=p < n)


@planted(divide_by_one_masked, "division", "", (1, 0, 0))
def one_masked_number_by_zero(wrong):
    d = torch.tensor([5, 0 if wrong else 2, 3])
    divide_by_one_masked[(4,)](d, torch.zeros(3, dtype=torch.int64), 3)


@triton.jit
def divide_unsigned(x, y, d: tl.uint32, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    ratio = tl.load(x + i).to(tl.uint32) // d  # fault
    tl.store(y + i, ratio.to(tl.int32))


@planted(divide_unsigned, "division", "", (0, 0, 0))
def unsigned_by_zero(wrong):
    x = torch.arange(16, dtype=torch.int32)
    divide_unsigned[(1,)](x, torch.zeros(16, dtype=torch.int32), 0 if wrong else 3, BLOCK=16)


@triton.jit
def scatter(index, y, FROM: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.load(index + i)
    tl.store(y + at, i + FROM)  # fault


@planted(scatter, "race", "y", (0, 0, 0), "writes one element of 'y' from several elements of the block")
def lanes_that_scatter_to_one_element(wrong):
    index = torch.arange(32)
    index[20] = 3 if wrong else 20
    scatter[(1,)](index, torch.zeros(32, dtype=torch.int32), FROM=0, BLOCK=32)


@planted(scatter, "race", "y", (0, 0, 0), "writes one element of 'y' from several elements of the block")
def lanes_of_a_large_block(wrong):
    index = torch.arange(4096)
    index[4000] = 3 if wrong else 4000
    scatter[(1,)](index, torch.zeros(4096, dtype=torch.int32), FROM=0, BLOCK=4096)


@triton.jit
def halve(x, y, BY: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i // BY, tl.load(x + i))  # fault


@planted(halve, "race", "y", (0, 0, 0), "with different values: a race")
def lanes_two_by_two(wrong):
    halve[(1,)](torch.arange(64.0), torch.zeros(64), BY=2 if wrong else 1, BLOCK=64)


@planted(halve, "race", "y", (0, 0, 0), "with different values: a race")
def lanes_of_half_floats(wrong):
    """A kernel may write equal values any number of times."""
    x = torch.arange(64.0, dtype=torch.bfloat16) if wrong else torch.full((64,), float("nan"), dtype=torch.bfloat16)
    halve[(1,)](x, torch.zeros(64, dtype=torch.bfloat16), BY=2, BLOCK=64)


@triton.jit
def rows_of_20(x, y, COLUMNS: tl.constexpr, ROWS: tl.constexpr):
    i = tl.arange(0, ROWS)[:, None]
    j = tl.arange(0, 32)[None, :]
    value = tl.load(x + i * 32 + j)
    tl.store(y + i * 20 + j, value, mask=j < COLUMNS)  # fault


@planted(rows_of_20, "race", "y", (0, 0, 0), "with different values: a race")
def lanes_of_rows_that_overlap(wrong):
    rows_of_20[(1,)](torch.arange(256.0).reshape(8, 32), torch.zeros(200), COLUMNS=21 if wrong else 20, ROWS=8)


@triton.jit
def as_words(x, y, START: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    words = (x + START).to(tl.pointer_type(tl.int32))
    value = tl.load(words + i)  # fault
    tl.store(y + i, value)


@planted(as_words, "misaligned", "", (0, 0, 0), "tl.load reads at an address that is not a multiple of 4 bytes")
def bytes_as_words(wrong):
    as_words[(1,)](torch.zeros(100, dtype=torch.uint8), torch.zeros(16, dtype=torch.int32), START=3 if wrong else 4,
                   BLOCK=16)


@triton.jit
def address_of(addresses, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(addresses).to(tl.pointer_type(tl.float64))
    value = tl.load(x + i)  # fault
    tl.store(y + i, value)


@planted(address_of, "misaligned", "", (0, 0, 0), "at an address that is not a multiple of 8 bytes")
def odd_pointer_in_memory(wrong):
    x = torch.zeros(40, dtype=torch.float64)
    address_of[(1,)](torch.tensor([x.data_ptr() + (4 if wrong else 8)]), torch.zeros(16, dtype=torch.float64), BLOCK=16)


@triton.jit
def add_row(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    before = tl.load(y + i, mask=i < n)  # fault
    tl.store(y + i, before + tl.load(x + tl.program_id(0) * n + i, mask=i < n), mask=i < n)  # fault


@planted(add_row, "race", "y", text=".")
def rows_added_to_one(wrong):
    """A single program that adds is correct."""
    add_row[(64 if wrong else 1,)](torch.ones(64, 16), torch.zeros(16), 16, BLOCK=16)
