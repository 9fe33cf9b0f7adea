"""Conversions between all types."""
import triton
import triton.language as tl
from cases import case


@triton.jit
def convert(x, o, TO: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.load(x + i).to(TO))


@triton.jit
def convert_scalar(x, o, TO: tl.constexpr):
    tl.store(o, tl.load(x).to(TO))


@triton.jit
def round(x, o, TO: tl.constexpr, HOW: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.load(x + i).to(TO, fp_downcast_rounding=HOW))


@triton.jit
def reinterpret(x, o, TO: tl.constexpr):
    i = tl.arange(0, 8)
    tl.store(o + i, tl.load(x + i).to(TO, bitcast=True))


@triton.jit
def addresses(x, o):
    i = tl.arange(0, 8)
    number = (x + i).to(tl.int64)
    tl.store(o + i, number)
    again = number.to(tl.pointer_type(tl.float32), bitcast=False)
    tl.store(again, 1.0)
    tl.store((x + 1).to(tl.pointer_type(tl.int32)), 7)
    tl.store(x.to(tl.int64).to(tl.pointer_type(tl.int8)), 8)


WIDE = ("i1", "i8", "u8", "i16", "i32", "u32", "i64", "fp16", "bf16", "fp32", "fp64")
F8 = ("fp8e4nv", "fp8e4b8", "fp8e5", "fp8e5b16")
DTYPES = {"i1": tl.int1, "i8": tl.int8, "u8": tl.uint8, "i16": tl.int16, "i32": tl.int32,
          "u32": tl.uint32, "i64": tl.int64, "fp16": tl.float16, "bf16": tl.bfloat16,
          "fp32": tl.float32, "fp64": tl.float64, "fp8e4nv": tl.float8e4nv,
          "fp8e4b8": tl.float8e4b8, "fp8e5": tl.float8e5, "fp8e5b16": tl.float8e5b16}
CASES = [
    *[case(convert, f"*{a}; *{b}", TO=DTYPES[b])
      for a in ("i8", "u32", "fp16", "fp32") for b in WIDE if a != b],
    *[case(convert, f"*{a}; *{b}", TO=DTYPES[b]) for a in F8 for b in ("fp16", "fp32")],
    *[case(convert, f"*{a}; *{b}", TO=DTYPES[b]) for a in ("bf16", "fp64") for b in F8],
    case(convert_scalar, "*fp32; *fp8e5", TO=tl.float8e5),
    case(convert_scalar, "*fp8e4nv; *bf16", TO=tl.bfloat16),
    *[case(round, f"*fp32; *{b}", TO=DTYPES[b], HOW=how)
      for b in ("fp16", "bf16", "fp8e5", "fp8e4nv") for how in ("rtne", "rtz")],
    *[case(reinterpret, f"*{a}; *{b}", TO=DTYPES[b])
      for a, b in (("fp32", "i32"), ("i16", "bf16"), ("u8", "fp8e5"), ("i64", "fp64"))],
    case(addresses, "*fp32; *i64"),
]
