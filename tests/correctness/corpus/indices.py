"""The dialect `index`, whose arithmetic has the width that the configuration gives an index."""
import numpy as np

from corpus.elementwise import COUNT, Module, output
from corpus.integers import compare, quotient, signed

MODULE = Module("indices")
# name: a function of the bits, the signed values, and the width
BINARY = {
    "add": lambda a, b, sa, sb: a + b, "sub": lambda a, b, sa, sb: a - b,
    "mul": lambda a, b, sa, sb: a * b, "and": lambda a, b, sa, sb: a & b,
    "or": lambda a, b, sa, sb: a | b, "xor": lambda a, b, sa, sb: a ^ b,
    "divs": lambda a, b, sa, sb: quotient(sa, sb), "divu": lambda a, b, sa, sb: a // b,
    "rems": lambda a, b, sa, sb: sa - quotient(sa, sb) * sb, "remu": lambda a, b, sa, sb: a % b,
    "ceildivs": lambda a, b, sa, sb: -(-sa // sb), "ceildivu": lambda a, b, sa, sb: -(-a // b),
    "floordivs": lambda a, b, sa, sb: sa // sb, "maxs": lambda a, b, sa, sb: max(sa, sb),
    "maxu": lambda a, b, sa, sb: max(a, b), "mins": lambda a, b, sa, sb: min(sa, sb),
    "minu": lambda a, b, sa, sb: min(a, b),
}
SHIFTS = {"shl": lambda a, n, sa: a << n, "shrs": lambda a, n, sa: sa >> n,
          "shru": lambda a, n, sa: a >> n}
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def operands(c):
    """Draws indices of every bit length that fit this width. Avoids divisions by zero and divisions that overflow.
    Memory holds an index as a signed 64-bit number."""
    width = 8 * c.index.itemsize
    draw = [int(v) >> int(c.rng.integers(0, width - 1))
            for v in c.integers(2 * COUNT, dtype=f"int{width}")]
    a, b = draw[:COUNT], [v or 3 for v in draw[COUNT:]]
    a[:5], b[:5] = [0, -1, 7, -7, 5], [1, 2, -2, 2, 5]
    return a, b, width


def widths(values, width):
    return output(np.array([signed(int(v), width) for v in values], np.int64))


def add_binary(name):
    def make(c):
        a, b, width = operands(c)
        ones = (1 << width) - 1
        results = [BINARY[name](x & ones, y & ones, x, y) for x, y in zip(a, b)]
        return [np.array(a, np.int64), np.array(b, np.int64)], [widths(results, width)]

    MODULE.add(f"index_{name}", ["index"] * 2, ["index"], [f"%r0 = index.{name} %a0, %a1"], make)


def add_shift(name):
    def make(c):
        a, _, width = operands(c)
        by = c.integers(COUNT, dtype=np.int64, low=0, high=width)
        results = [SHIFTS[name](x & ((1 << width) - 1), int(n), x) for x, n in zip(a, by)]
        return [np.array(a, np.int64), by], [widths(results, width)]

    MODULE.add(f"index_{name}", ["index"] * 2, ["index"], [f"%r0 = index.{name} %a0, %a1"], make)


for _name in BINARY:
    add_binary(_name)
for _name in SHIFTS:
    add_shift(_name)


def comparisons(c):
    a, b, width = operands(c)
    ones = (1 << width) - 1
    return [np.array(a, np.int64), np.array(b, np.int64)], [
        output(np.array([compare(x & ones, y & ones, name, width) for x, y in zip(a, b)], np.uint8))
        for name in PREDICATES]


MODULE.add("index_cmp", ["index"] * 2, ["i1"] * len(PREDICATES),
           [f"%r{i} = index.cmp {name}(%a0, %a1)" for i, name in enumerate(PREDICATES)],
           comparisons, quick=True)


def constants(c):
    width = 8 * c.index.itemsize
    x = c.integers(COUNT, dtype=np.int32)
    return [x], [output(np.full(COUNT, -7, np.int64)), output(np.full(COUNT, width, np.int64)),
                 output(np.ones(COUNT, np.uint8)), output(np.zeros(COUNT, np.uint8))]


MODULE.add("index_constants", ["i32"], ["index", "index", "i1", "i1"],
           ["%r0 = index.constant -7", "%r1 = index.sizeof", "%r2 = index.bool.constant true",
            "%r3 = index.bool.constant false"], constants, quick=True)


def casts(c):
    x, narrow = c.integers(COUNT), c.integers(COUNT, dtype=np.int8)
    wide = x.view(np.uint32).astype(np.int64)
    if c.index.itemsize == 4:
        wide = x.astype(np.int64)
    return [x, narrow], [output(x.astype(np.int64)), output(wide),
                         output(narrow.astype(np.int64)),
                         output(narrow.view(np.uint8).astype(np.int64)), output(x.astype(np.int8)),
                         output(x)]


MODULE.add("index_casts", ["i32", "i8"], ["index"] * 4 + ["i8", "i32"],
           ["%r0 = index.casts %a0 : i32 to index", "%r1 = index.castu %a0 : i32 to index",
            "%r2 = index.casts %a1 : i8 to index", "%r3 = index.castu %a1 : i8 to index",
            "%r4 = index.casts %r0 : index to i8", "%r5 = index.castu %r1 : index to i32"], casts,
           quick=True)
