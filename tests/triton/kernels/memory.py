"""Loads and stores in every form, and pointers in every role."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def load_hints(x, o, n, CACHE: tl.constexpr, EVICT: tl.constexpr, VOLATILE: tl.constexpr):
    i = tl.arange(0, 16)
    v = tl.load(x + i, cache_modifier=CACHE, eviction_policy=EVICT, volatile=VOLATILE)
    v += tl.load(x + i + 16, mask=i < n, cache_modifier=CACHE, eviction_policy=EVICT)
    v += tl.load(x + i + 32, mask=i < n, other=1.0, cache_modifier=CACHE, eviction_policy=EVICT,
                 volatile=VOLATILE)
    tl.store(o + i, v)


@triton.jit
def store_hints(o, n, CACHE: tl.constexpr, EVICT: tl.constexpr):
    i = tl.arange(0, 16)
    tl.store(o + i, 1.0, cache_modifier=CACHE, eviction_policy=EVICT)
    tl.store(o + i + 16, 2.0, mask=i < n, cache_modifier=CACHE, eviction_policy=EVICT)
    tl.store(o + 64, 3.0, cache_modifier=CACHE, eviction_policy=EVICT)
    tl.store(o + 65, 4.0, mask=n > 3, cache_modifier=CACHE, eviction_policy=EVICT)


@triton.jit
def scalars(x, o, n):
    v = tl.load(x + n, mask=n > 2, other=7)
    v += tl.load(x)
    v += tl.load(x + 1, mask=n > 3)
    tl.store(o + tl.program_id(2) * tl.num_programs(1), v)


@triton.jit
def copy_of_type(x, o):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.load(x + i))


@triton.jit
def booleans(x, o):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.load(x + i) & (i > 3))


@triton.jit
def two_dimensions(x, o, stride, rows, columns):
    row, column = tl.arange(0, 4), tl.arange(0, 8)
    at = row[:, None] * stride + column[None, :]
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    tl.store(o + at, tl.load(x + at, mask=inside, other=0.0), mask=inside)


@triton.jit
def wide_offsets(x, o, stride):
    i = tl.arange(0, 8).to(tl.int64) * stride
    tl.store(o + i, tl.load(x + i))


@triton.jit
def pointers_to_pointers(groups, o, n):
    base = tl.load(groups + n).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, 4)
    bases = tl.load(groups + i).to(tl.pointer_type(tl.float32))
    tl.store(o + i, tl.load(base + i) + tl.load(bases))


@triton.jit
def stored_pointers(table, o):
    p = tl.load(table)
    q = tl.load(table + tl.arange(0, 4))
    tl.store(p, 1.0)
    tl.store(q, 2.0)
    tl.store(o, p.to(tl.int64, bitcast=False))
    tl.store(o + tl.arange(0, 4), q.to(tl.int64))


@triton.jit
def block_pointers(x, o, rows, columns, stride):
    a = tl.make_block_ptr(x, (rows, columns), (stride, 1), (0, 0), (4, 8), (1, 0))
    b = tl.make_block_ptr(o, (rows, columns), (stride, 1), (0, 0), (4, 8), (1, 0))
    for _ in range(0, columns, 8):
        tl.store(b, tl.load(a, boundary_check=(0, 1), padding_option="nan"), boundary_check=(0, 1))
        a = tl.advance(a, (0, 8))
        b = tl.advance(b, (0, 8))


@triton.jit
def hints(x, o, n):
    n = tl.multiple_of(n, 8)
    i = tl.arange(0, 16) + n
    i = tl.max_contiguous(tl.multiple_of(i, 8), 16)
    j = tl.max_constancy(i // 16, 16)
    tl.assume(n > 0)
    tl.store(o + i, tl.load(x + i) + j)
    tl.debug_barrier()
    tl.store(o + i, tl.load(x + j))


CASES = [
    case(load_hints, "*fp32; *fp32; i32", CACHE="", EVICT="", VOLATILE=False),
    case(load_hints, "*fp32; *fp32; i32", CACHE="", EVICT="", VOLATILE=True),
    case(load_hints, "*fp32; *fp32; i32", CACHE=".ca", EVICT="evict_first", VOLATILE=False),
    case(load_hints, "*fp32; *fp32; i32", CACHE=".cg", EVICT="evict_last", VOLATILE=False),
    case(load_hints, "*fp32; *fp32; i32", CACHE=".cv", EVICT="", VOLATILE=True),
    case(store_hints, "*fp32; i32", CACHE="", EVICT=""),
    case(store_hints, "*fp32; i32", CACHE=".wb", EVICT="evict_first"),
    case(store_hints, "*fp32; i32", CACHE=".cg", EVICT="evict_last"),
    case(store_hints, "*fp32; i32", CACHE=".cs", EVICT=""),
    case(store_hints, "*fp32; i32", CACHE=".wt", EVICT=""),
    case(scalars, "*i32; *i32; i32"),
    *[case(copy_of_type, f"*{t}; *{t}")
      for t in ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "fp16", "bf16", "fp32", "fp64",
                "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16", "i1")],
    case(booleans, "*i1; *i1"),
    case(two_dimensions, "*fp32; *fp32; i32/16; i32; i32"),
    case(two_dimensions, "*kfp16; *fp32; i64; i32; i32"),
    case(wide_offsets, "*fp32/1; *fp32/1; i64"),
    case(pointers_to_pointers, "*i64; *fp32; i32"),
    # From 3.9 on, an assertion about pointers to pointers ends the process.
    case(stored_pointers, "**fp32; *i64", before=(3, 9)),
    case(block_pointers, "*fp32; *fp32; i32; i32; i32/16", before=(3, 9)),  # 3.9 has no block pointers
    case(hints, "*i32; *i32; i32"),
]
