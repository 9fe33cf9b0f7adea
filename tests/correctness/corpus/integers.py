"""Integer arithmetic of every width, and conversions between widths."""
import numpy as np

from corpus.case import Buffer, Launch, case

WIDTHS = [3, 8, 12, 16, 24, 32, 48, 64]
BINARY = ["addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui",
          "floordivsi", "andi", "ori", "xori", "shli", "shrsi", "shrui", "minsi", "minui", "maxsi",
          "maxui"]
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
UNARY = ["math.absi", "math.ctlz", "math.cttz", "math.ctpop"]
COUNT = 64


def storage(width):
    """Returns the type in memory: the next power of two of bytes."""
    return max(8, 1 << (width - 1).bit_length())


def arithmetic():
    """Makes one kernel per width, with a row of the result for each operation."""
    kernels = []
    rows = len(BINARY) + len(UNARY) + len(PREDICATES) + 1
    for width in WIDTHS:
        type, lines = f"i{width}", []
        for row, name in enumerate(BINARY):
            lines.append(f"%r{row} = arith.{name} %a, %{'s' if name.startswith('sh') else 'b'}"
                         f" : {type}")
        for row, name in enumerate(UNARY, len(BINARY)):
            lines.append(f"%r{row} = {name} %a : {type}")
        for row, name in enumerate(PREDICATES, len(BINARY) + len(UNARY)):
            lines.append(f"%p{row} = arith.cmpi {name}, %a, %b : {type}")
            lines.append(f"%r{row} = arith.extui %p{row} : i1 to {type}")
        lines.append(f"%r{rows - 1} = arith.select %p{rows - 2}, %a, %s : {type}")
        for row in range(rows):
            lines.append(f"%c{row} = arith.constant {row} : index")
            lines.append(f"memref.store %r{row}, %out[%c{row}, %i] : memref<{rows}x?x{type}>")
        body = "\n      ".join(lines)
        kernels.append(f"""
    gpu.func @integers_{type}(%x: memref<?x{type}>, %y: memref<?x{type}>, %z: memref<?x{type}>,
                              %out: memref<{rows}x?x{type}>) kernel
        attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
      %i = gpu.global_id x
      %a = memref.load %x[%i] : memref<?x{type}>
      %b = memref.load %y[%i] : memref<?x{type}>
      %s = memref.load %z[%i] : memref<?x{type}>
      {body}
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @integers {" + \
        "".join(kernels) + "\n  }\n}\n"


def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) else value


def quotient(a, b):
    """Divides, and rounds towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def results(a, b, s, width):
    """Returns the results of every operation, in the order of the rows. a, b and s are the bits."""
    sa, sb = signed(a, width), signed(b, width)
    bits = format(a, f"0{width}b")
    rows = [a + b, a - b, a * b, quotient(sa, sb), a // b, sa - quotient(sa, sb) * sb, a % b,
            -(-sa // sb), -(-a // b), sa // sb, a & b, a | b, a ^ b, a << s, sa >> s, a >> s,
            min(sa, sb), min(a, b), max(sa, sb), max(a, b)]
    rows += [abs(sa), len(bits) - len(bits.lstrip("0")), len(bits) - len(bits.rstrip("0")),
             bits.count("1")]
    rows += [a == b, a != b, sa < sb, sa <= sb, sa > sb, sa >= sb, a < b, a <= b, a > b, a >= b]
    rows.append(a if a >= b else s)
    return [int(row) & ((1 << width) - 1) for row in rows]


def integers(c, width):
    lowest, all_ones = 1 << (width - 1), (1 << width) - 1
    edges = [0, 1, 2, all_ones, lowest, lowest - 1, lowest + 1]
    draw = lambda: int(c.rng.integers(0, 1 << 64, dtype=np.uint64))  # noqa: E731
    a, b, s = [], [], []
    for i in range(COUNT):
        # Draws the bit length first, so small and large numbers are equally likely.
        a.append(edges[i % 7] if i % 3 == 0 else (draw() >> int(c.rng.integers(0, 64))) & all_ones)
        b.append(edges[i // 7 % 7] if i % 4 == 0 else (draw() >> int(c.rng.integers(0, 64)))
                 & all_ones)
        if i % 5 == 0:
            b[-1] = a[-1]
        if b[-1] == 0 or (a[-1] == lowest and b[-1] == all_ones):
            b[-1] = 3 & all_ones  # divisions by zero, and the one that overflows, are undefined
        s.append(draw() % width)
    dtype = f"uint{storage(width)}"
    table = np.array([results(*each, width) for each in zip(a, b, s)], dtype).T
    return Launch([Buffer(np.array(v, dtype)) for v in (a, b, s)] +
                  [Buffer(np.zeros_like(table), np.ascontiguousarray(table))], groups=[2])


for _width in WIDTHS:
    case(arithmetic, f"integers_i{_width}", quick=_width in (8, 24, 64))(
        lambda c, width=_width: integers(c, width))


# Conversions. ------------------------------------------------------------------------------------


def conversions():
    """Converts every width to every other (sign-extended, zero-extended, or truncated), and to floats and back."""
    kernels = []
    for width in WIDTHS:
        type, lines, arguments = f"i{width}", [], []
        for other in WIDTHS:
            if other == width:
                continue
            names = ["trunci"] if other < width else ["extsi", "extui"]
            for name in names:
                at = f"%{name}_{other}"
                arguments.append(f"{at}: memref<?xi{other}>")
                lines.append(f"{at}_r = arith.{name} %a : {type} to i{other}")
                lines.append(f"memref.store {at}_r, {at}[%i] : memref<?xi{other}>")
        for name in ("sitofp", "uitofp"):
            arguments.append(f"%{name}: memref<?xf64>")
            lines.append(f"%{name}_r = arith.{name} %a : {type} to f64")
            lines.append(f"memref.store %{name}_r, %{name}[%i] : memref<?xf64>")
        arguments.append(f"%index: memref<?xindex>, %back: memref<?x{type}>")
        lines.append(f"%index_r = arith.index_cast %a : {type} to index")
        lines.append("memref.store %index_r, %index[%i] : memref<?xindex>")
        lines.append(f"%back_r = arith.fptosi %sitofp_r : f64 to {type}")
        lines.append(f"memref.store %back_r, %back[%i] : memref<?x{type}>")
        body = "\n      ".join(lines)
        kernels.append(f"""
    gpu.func @convert_{type}(%x: memref<?x{type}>, {", ".join(arguments)}) kernel
        attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
      %i = gpu.global_id x
      %a = memref.load %x[%i] : memref<?x{type}>
      {body}
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @conversions {" + \
        "".join(kernels) + "\n  }\n}\n"


def convert(c, width):
    values = [int(v) >> int(c.rng.integers(0, 64)) & ((1 << width) - 1)
              for v in c.rng.integers(0, 1 << 64, COUNT, dtype=np.uint64)]
    if width > 53:  # so that a double can hold the values
        values = [v & ~0xFFF for v in values]
    bits = 8 * c.index.itemsize
    if bits < width:  # values that an index cannot hold are undefined
        values = [signed(v, bits) & ((1 << width) - 1) for v in values]
    by_sign = [signed(v, width) for v in values]
    dtype = f"uint{storage(width)}"
    buffers = [Buffer(np.array(values, dtype))]

    def expect(numbers, dtype, mask=None):
        numbers = [n & mask for n in numbers] if mask else numbers
        buffers.append(Buffer(np.zeros(COUNT, dtype), np.array(numbers, dtype)))

    for other in WIDTHS:
        mask, kind = (1 << other) - 1, f"uint{storage(other)}"
        if other < width:
            expect(values, kind, mask)
        elif other > width:
            expect(by_sign, kind, mask)
            expect(values, kind, mask)
    expect(by_sign, "float64")
    expect(values, "float64")
    expect(by_sign, "int64")
    expect(values, dtype)
    return Launch(buffers, groups=[2])


for _width in WIDTHS:
    case(conversions, f"convert_i{_width}", quick=_width in (8, 24, 64))(
        lambda c, width=_width: convert(c, width))


# Constants and casts of index. -------------------------------------------------------------------


def index_widths():
    """Checks that constants and values give the same results: nothing is folded at another width."""
    lines = []
    for column, all_ones in enumerate(("%ones", "%value")):
        for row, (name, other) in enumerate([("divui", "%c7"), ("remui", "%c7"), ("shrui", "%c4"),
                                             ("minui", "%c7"), ("maxui", "%c7")]):
            at = f"%r{column}_{row}"
            lines.append(f"{at} = arith.{name} {all_ones}, {other} : index")
            lines.append(f"{at}_w = arith.index_castui {at} : index to i64")
            lines.append(f"memref.store {at}_w, %out[%c{column}, %c{row}] : memref<2x6xi64>")
        lines.append(f"%n{column} = arith.index_cast {'%big' if column else '%wide'} : index to i8")
        lines.append(f"%b{column} = arith.index_cast %n{column} : i8 to index")
        lines.append(f"%w{column} = arith.index_cast %b{column} : index to i64")
        lines.append(f"memref.store %w{column}, %out[%c{column}, %c5] : memref<2x6xi64>")
    constants = "\n      ".join(f"%c{i} = arith.constant {i} : index" for i in (0, 1, 2, 3, 4, 5, 7))
    body = "\n      ".join(lines)
    return f"""module attributes {{gpu.container_module}} {{
  gpu.module @integers {{
    gpu.func @index_width(%value: index, %wide: index, %out: memref<2x6xi64>) kernel
        attributes {{known_block_size = array<i32: 1, 1, 1>}} {{
      {constants}
      %ones = arith.constant -1 : index
      %big = arith.constant 511 : index
      {body}
      gpu.return
    }}
  }}
}}
"""


@case(index_widths, quick=True)
def index_width(c):
    ones = (1 << 8 * c.index.itemsize) - 1
    row = [ones // 7, ones % 7, ones >> 4, 7, ones, (1 << 64) - 1]
    expect = np.array([row, row], np.uint64)
    return Launch([-1, 511, Buffer(np.zeros_like(expect), expect)])


# Comparisons of extended values. -----------------------------------------------------------------

COMPARED = [(8, 32), (16, 32), (8, 64), (16, 64), (32, 64)]


def extended_comparisons():
    """Makes a row for each width, extension, predicate and constant."""
    kernels = []
    for narrow, wide in COMPARED:
        lines = []
        for row, (how, name, constant) in enumerate(comparisons()):
            lines += [f"%w{row} = arith.{how} %a : i{narrow} to i{wide}",
                      f"%c{row} = arith.constant {constant} : i{wide}",
                      f"%p{row} = arith.cmpi {name}, %w{row}, %c{row} : i{wide}",
                      f"%r{row} = arith.extui %p{row} : i1 to i32",
                      f"%x{row} = arith.constant {row} : index",
                      f"memref.store %r{row}, %out[%x{row}, %i] : memref<?x?xi32>"]
        body = "\n      ".join(lines)
        kernels.append(f"""
    gpu.func @compare_i{narrow}_i{wide}(%in: memref<?xi{narrow}>, %out: memref<?x?xi32>) kernel
        attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
      %i = gpu.global_id x
      %a = memref.load %in[%i] : memref<?xi{narrow}>
      {body}
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @integers {" + \
        "".join(kernels) + "\n  }\n}\n"


def comparisons():
    return [(how, name, constant) for how in ("extsi", "extui") for name in PREDICATES
            for constant in (0, -3, 7, 200)]


def compare(a, b, name, width):
    if name[0] != "u":
        a, b = signed(a, width), signed(b, width)
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b,
            "ge": a >= b}[name if len(name) == 2 else name[1:]]


for _narrow, _wide in COMPARED:
    @case(extended_comparisons, f"compare_i{_narrow}_i{_wide}", quick=True)
    def extended(c, narrow=_narrow, wide=_wide):
        values = c.integers(32, dtype=f"int{narrow}")
        values[:8] = [0, -3, 7, -1, -4, 8, 100, -56]
        ones, expect = (1 << wide) - 1, []
        for how, name, constant in comparisons():
            mask = ones if how == "extsi" else (1 << narrow) - 1
            expect.append([compare(int(v) & mask, constant & ones, name, wide) for v in values])
        expect = np.array(expect, np.int32)
        return Launch([Buffer(values), Buffer(np.zeros_like(expect), expect)])


# The lowest bit. ---------------------------------------------------------------------------------


def lowest_bits():
    kernels = []
    for width in (8, 16, 24, 32, 64):
        kernels.append(f"""
    gpu.func @lowest_bit_i{width}(%in: memref<?xi{width}>, %out: memref<?xi{width}>) kernel
        attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
      %i = gpu.global_id x
      %a = memref.load %in[%i] : memref<?xi{width}>
      %bit = arith.trunci %a : i{width} to i1
      %c = arith.constant 5 : i{width}
      %r = arith.select %bit, %c, %a : i{width}
      memref.store %r, %out[%i] : memref<?xi{width}>
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @integers {" + \
        "".join(kernels) + "\n  }\n}\n"


for _width in (8, 16, 24, 32, 64):
    @case(lowest_bits, f"lowest_bit_i{_width}", quick=True)
    def lowest_bit(c, width=_width):
        dtype = f"uint{storage(width)}"
        values = c.integers(32, dtype=dtype) & np.array((1 << width) - 1, dtype)
        expect = np.where(values & 1, 5, values).astype(dtype)
        return Launch([Buffer(values), Buffer(np.zeros_like(expect), expect)])
