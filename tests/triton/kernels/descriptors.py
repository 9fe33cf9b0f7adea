"""Tensor descriptors from the kernel and from the host."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def load_and_store(x, o, rows, columns, PADDING: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [4, 16], PADDING)
    b = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], [4, 16])
    i, j = tl.program_id(0) * 4, tl.program_id(1) * 16
    b.store([i, j], a.load([i, j]) + a.load([i, j + 16]))


@triton.jit
def of_rank(x, o, n, RANK: tl.constexpr):
    if RANK == 1:
        a = tl.make_tensor_descriptor(x, [n], [1], [16])
        tl.store(o + tl.arange(0, 16), a.load([n - 16]))
    else:
        a = tl.make_tensor_descriptor(x, [n, n, n, n, n], [n * n * n * n, n * n * n, n * n, n, 1],
                                      [1, 1, 1, 2, 8])
        v = tl.reshape(a.load([n, 0, 1, n, 2]), (16,))
        tl.store(o + tl.arange(0, 16), v)


@triton.jit
def reductions(x, o, rows, columns):
    a = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], [4, 8])
    v = tl.load(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :])
    a.atomic_add([0, 0], v)
    a.atomic_min([4, 0], v)
    a.atomic_max([0, 8], v)
    a.atomic_and([8, 0], v)
    a.atomic_or([0, 16], v)
    a.atomic_xor([12, 0], v)


@triton.jit
def sum_of_floats(x, o, rows, columns):
    a = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], [4, 8])
    a.atomic_add([0, 0], tl.load(x + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]))


@triton.jit
def gather_and_scatter(x, o, index, rows, columns):
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [1, 32])
    b = tl.make_tensor_descriptor(o, [rows, columns], [columns, 1], [1, 32])
    at = tl.load(index + tl.arange(0, 8))
    b.scatter(a.gather(at, 32), at, 64)


@triton.jit
def from_the_host(a, b, n):
    for i in range(0, n, 16):
        b.store([0, i], a.load([0, i]).to(tl.float32))


@triton.jit(noinline=True)
def twice(a, i):
    return a.load([0, i]) * 2


@triton.jit
def given_to_a_function(a, o, n):
    at = tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tl.store(o + at, twice(a, n))


@triton.jit
def chosen(x, y, o, n, columns):
    a = tl.make_tensor_descriptor(x, [n, columns], [columns, 1], [4, 16])
    if n > 3:
        a = tl.make_tensor_descriptor(y, [n, columns], [columns, 1], [4, 16])
    at = tl.arange(0, 4)[:, None] * 16 + tl.arange(0, 16)[None, :]
    for i in range(n):
        tl.store(o + at, a.load([i, 0]))


CASES = [
    case(load_and_store, "*fp32; *fp32; i32; i32/16", PADDING="zero"),
    case(load_and_store, "*fp16; *fp16; i32; i32/16", PADDING="nan"),
    case(load_and_store, "*i8; *i8; i32; i32/16", PADDING="zero"),
    case(load_and_store, "*u16; *u16; i32; i32/16", PADDING="zero"),
    case(of_rank, "*fp32; *fp32; i32", RANK=1),
    case(of_rank, "*fp32; *fp32; i32", RANK=5),
    *[case(reductions, f"*{t}; *{t}; i32; i32/16") for t in ("i32", "u32")],
    *[case(sum_of_floats, f"*{t}; *{t}; i32; i32/16") for t in ("fp32", "fp16", "bf16")],
    case(gather_and_scatter, "*fp32; *fp32; *i32; i32; i32"),
    case(from_the_host, "tensordesc<fp16[4, 16]>; tensordesc<fp32[4, 16]>; i32"),
    case(given_to_a_function, "tensordesc<i32[4, 16]>; *i32; i32"),
    case(chosen, "*fp32; *fp32; *fp32; i32; i32"),
]
