"""Kernels whose plain accesses race with atomic operations: planted.py says what a case is."""
import torch

import triton
import triton.language as tl
from planted import planted

MEETS = r"which program number \d+ accesses at .*planted_atomics.py:\d+: a race|which several programs have"


@triton.jit
def store_or_add(x, AT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if tl.program_id(0) == 0:
        tl.store(x + AT + i, 1.0)  # fault
    else:
        tl.atomic_add(x + i, 1.0)  # fault


@planted(store_or_add, "race", "x", text=MEETS)
def store_and_atomic_add(wrong):
    store_or_add[(64,)](torch.zeros(64), AT=8 if wrong else 16, BLOCK=16)


@triton.jit
def initialize_and_add(x, y, START: tl.constexpr):
    if tl.program_id(0) == START:
        tl.store(y, 0.0)  # fault
    tl.atomic_add(y, tl.load(x + tl.program_id(0)))  # fault


@planted(initialize_and_add, "race", "y", text=MEETS)
def first_program_sets_a_sum_to_zero(wrong):
    initialize_and_add[(64,)](torch.ones(64), torch.zeros(1), START=0 if wrong else 64)


@triton.jit
def read_early(x, most, y, OWN: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = most + tl.program_id(0) * OWN * BLOCK + i
    tl.atomic_max(at, tl.load(x + i))  # fault
    tl.debug_barrier()
    tl.store(y + tl.program_id(0) * BLOCK + i, tl.load(at))  # fault


@planted(read_early, "race", "most", text=MEETS)
def maximum_read_too_early(wrong):
    """One program reads what other programs are still updating."""
    read_early[(64,)](torch.ones(16), torch.zeros(64 * 16), torch.zeros(64 * 16), OWN=0 if wrong else 1, BLOCK=16)


@triton.jit
def exchange_views(x, y, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if tl.program_id(0) == 0:
        tl.store(x + i, 1)  # fault
    else:
        tl.atomic_or(y + i, 2)  # fault


@planted(exchange_views, "race", None, text=MEETS)
def atomic_operation_by_another_argument(wrong):
    whole = torch.zeros(64, dtype=torch.int32)
    exchange_views[(64,)](whole, whole[8:] if wrong else whole[16:], BLOCK=16)


@triton.jit
def store_rows_and_count(y, index, AT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + tl.program_id(0) * BLOCK + i, 0)  # fault
    tl.debug_barrier()
    tl.atomic_add(y + AT + tl.load(index + i), 1)  # fault


@planted(store_rows_and_count, "race", "y", text=MEETS)
def histogram_that_each_program_clears(wrong):
    y = torch.zeros(65 * 16, dtype=torch.int32)
    store_rows_and_count[(64,)](y, torch.arange(16) % 3, AT=0 if wrong else 64 * 16, BLOCK=16)
