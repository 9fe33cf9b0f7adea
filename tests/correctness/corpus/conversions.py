"""Bit casts, products and sums of twice the width, floats to integers, and scaled floats."""
import numpy as np

from corpus.case import from_bf16, to_bf16
from corpus.elementwise import COUNT, Module, decode, encode, output
from corpus.integers import signed

MODULE = Module("more_conversions")


def add_bitcast(a, b):
    def kind(type):
        return {"bf16": "uint16"}.get(type, type.replace("i", "int").replace("f", "float"))

    def make(c):
        bits = int(a[-2:].strip("if"))
        source = c.integers(COUNT, dtype=f"uint{bits}").view(kind(a))
        if a[0] != "i" or b[0] != "i":  # a device may lose a NaN's bits
            source = encode(c.floats(COUNT, dtype=np.float64), a if a[0] != "i" else b)
            source = source.view(kind(a))
        return [source], [output(source.view(kind(b)), b)]

    MODULE.add(f"bitcast_{a}_{b}", [a], [b], [f"%r0 = arith.bitcast %a0 : {a} to {b}"], make,
               quick=a == "f32")


for _a, _b in [("i16", "f16"), ("f16", "i16"), ("f16", "bf16"), ("bf16", "i16"), ("i32", "f32"),
               ("f32", "i32"), ("f64", "i64"), ("i64", "f64")]:
    add_bitcast(_a, _b)


def add_extended(width):
    """Returns both halves of sums and products."""
    type, ones = f"i{width}", (1 << width) - 1

    def make(c):
        a, b = c.integers(2, COUNT, dtype=f"uint{width}")
        edges = [0, 1, ones, ones >> 1, (ones >> 1) + 1]
        edges = np.array(edges, a.dtype)
        a[:25], b[:25] = np.repeat(edges, 5), np.tile(edges, 5)
        pairs = [(int(x), int(y)) for x, y in zip(a, b)]
        unsigned = [x * y for x, y in pairs]
        by_sign = [signed(x, width) * signed(y, width) for x, y in pairs]
        array = lambda values: output(np.array(values, a.dtype))  # noqa: E731
        return [a, b], [
            array([x + y & ones for x, y in pairs]),
            output(np.array([x + y > ones for x, y in pairs], np.uint8)),
            array([v & ones for v in unsigned]), array([v >> width for v in unsigned]),
            array([v & ones for v in by_sign]), array([v >> width & ones for v in by_sign])]

    MODULE.add(f"extended_{type}", [type] * 2, [type, "i1"] + [type] * 4,
               [f"%r0, %r1 = arith.addui_extended %a0, %a1 : {type}, i1",
                f"%r2, %r3 = arith.mului_extended %a0, %a1 : {type}",
                f"%r4, %r5 = arith.mulsi_extended %a0, %a1 : {type}"], make, quick=width == 32)


for _width in (8, 16, 32, 64):
    add_extended(_width)


def add_float_to_integer(a, b):
    width = int(b[1:])

    def make(c):
        top = min(2.0**(width - 1), 60000.0) - 1
        by_sign = encode(c.floats(COUNT, dtype=np.float64, low=-top, high=top), a)
        whole = encode(c.floats(COUNT, dtype=np.float64, low=0, high=2 * top), a)
        whole[decode(whole, a) >= 2.0**width] = encode(1, a)
        by_sign[np.abs(decode(by_sign, a)) >= 2.0**(width - 1)] = encode(-1, a)
        whole[np.isinf(decode(whole, a))] = encode(7, a)
        ints, naturals = np.trunc(decode(by_sign, a)), np.trunc(decode(whole, a))
        back = [output(encode(v, a), a) for v in (ints, naturals)]
        return [by_sign, whole], [output(ints.astype(f"int{width}")),
                                  output(naturals.astype(f"uint{width}")), *back]

    MODULE.add(f"whole_{a}_{b}", [a] * 2, [b] * 2 + [a] * 2,
               [f"%r0 = arith.fptosi %a0 : {a} to {b}", f"%r1 = arith.fptoui %a1 : {a} to {b}",
                f"%r2 = arith.sitofp %r0 : {b} to {a}", f"%r3 = arith.uitofp %r1 : {b} to {a}"],
               make, quick=a == "f32")


for _a, _b in [("f32", "i32"), ("f32", "i8"), ("f16", "i16"), ("bf16", "i32"), ("f64", "i64"),
               ("f64", "i32")]:
    add_float_to_integer(_a, _b)


def add_resize(narrow, wide):
    """What the narrow type holds, widened and cut again; and halves of its last place, cut: to the
    even neighbour (OpFConvert's rounding is the device's where no mode is declared, so only bf16,
    which is emulated, is asked that)."""
    def make(c):
        small = encode(c.floats(COUNT, dtype=np.float64, low=-300, high=300), narrow)
        small[:4] = encode([np.inf, -np.inf, 0.0, -0.0], narrow)
        exact = encode(decode(small, narrow), wide)
        between = exact.copy()
        if narrow == "bf16" and wide == "f32":
            between = c.floats(COUNT, low=-300, high=300)
            between[::2] = (between[::2].view(np.uint32) & 0xFFFF0000 | 0x8000).view(np.float32)
        cut = encode(between, narrow)
        return [small, between], [output(exact, wide), output(cut, narrow)]

    MODULE.add(f"resize_{narrow}_{wide}", [narrow, wide], [wide, narrow],
               [f"%r0 = arith.extf %a0 : {narrow} to {wide}",
                f"%r1 = arith.truncf %a1 : {wide} to {narrow}"], make, quick=wide == "f32")


for _narrow, _wide in [("bf16", "f32"), ("f16", "f32"), ("bf16", "f64"), ("f16", "f64"),
                       ("f32", "f64")]:
    add_resize(_narrow, _wide)


# Scaled floats: the scale is a power of two, and what is scaled has few bits, so all is exact. ----


def scale_up(c):
    x = encode(c.integers(COUNT, low=-50, high=50) / 8, "f16")
    scale = np.exp2(c.integers(COUNT, low=-9, high=9)).astype(np.float32)
    return [x, scale], [output(x.astype(np.float32) * scale)]


def scale_down(c):
    scale = np.exp2(c.integers(COUNT, low=-9, high=9)).astype(np.float32)
    small = encode(c.integers(COUNT, low=-50, high=50) / 8, "f16")
    return [small.astype(np.float32) * scale, scale], [output(small)]


def scale_brains(c):
    small = to_bf16(c.integers(COUNT, low=-50, high=50) / 8)
    scale = np.exp2(c.integers(COUNT, low=-9, high=9)).astype(np.float32)
    return [small, scale], [output(from_bf16(small) * scale)]


MODULE.add("scaling_extf_f16", ["f16", "f32"], ["f32"],
           ["%r0 = arith.scaling_extf %a0, %a1 : f16, f32 to f32"], scale_up, quick=True)
MODULE.add("scaling_truncf_f16", ["f32", "f32"], ["f16"],
           ["%r0 = arith.scaling_truncf %a0, %a1 : f32, f32 to f16"], scale_down, quick=True)
MODULE.add("scaling_extf_bf16", ["bf16", "f32"], ["f32"],
           ["%r0 = arith.scaling_extf %a0, %a1 : bf16, f32 to f32"], scale_brains)


def e4m3(bits):
    """Returns the values of f8E4M3FN by their bits."""
    exponent, fraction = bits >> 3 & 15, bits & 7
    value = np.where(exponent == 0, fraction * 2.0**-9,
                     (1 + fraction / 8) * np.exp2(exponent.astype(np.float64) - 7))
    return np.where(bits & 128, -value, value)


def eighths(c):
    bits = c.integers(COUNT, dtype=np.uint8)
    bits[(bits & 127) == 127] = 5  # NaN
    power = c.integers(COUNT, dtype=np.uint8, low=117, high=137)  # 2^(power - 127)
    value = e4m3(bits) * np.exp2(power.astype(np.float64) - 127)
    back = np.where(bits == 128, 128, bits).astype(np.uint8)
    return [bits, power], [output(value.astype(np.float32)), output(back)]


# The elements of both float types have 8 bits. They are loaded as i8 and bitcast.
MODULE.add("scaling_f8", ["i8", "i8"], ["f32", "i8"],
           ["%f = arith.bitcast %a0 : i8 to f8E4M3FN", "%s = arith.bitcast %a1 : i8 to f8E8M0FNU",
            "%r0 = arith.scaling_extf %f, %s : f8E4M3FN, f8E8M0FNU to f32",
            "%b = arith.scaling_truncf %r0, %s : f32, f8E8M0FNU to f8E4M3FN",
            "%r1 = arith.bitcast %b : f8E4M3FN to i8"], eighths, quick=True)
