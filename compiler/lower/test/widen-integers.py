"""Runs integer arithmetic after LegalizeStorage and WidenTypes, and compares with LLVM's own iN.

The operands are all pairs of i7 and i8, and edge cases and random numbers of wider types.
"""
import sys

import numpy as np

import cpu

PASSES = ["--pumice-legalize-storage", "--pumice-widen-types", "--pumice-emulate-atomics"]
SEED = 20260101
ANY = ["addi", "subi", "muli", "andi", "ori", "xori", "minui", "maxui", "minsi", "maxsi"]
SHIFTS = ["shli", "shrui", "shrsi"]
DIVISIONS = ["divui", "remui", "ceildivui", "divsi", "remsi", "ceildivsi", "floordivsi"]
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]
EXTENDED = ["addui_extended", "mului_extended", "mulsi_extended"]
COUNTS = ["ctlz", "cttz", "ctpop", "absi"]


def pairs(width, rng):
    """Returns operands as unsigned numbers."""
    if width <= 8:
        all_ = np.arange(1 << width, dtype=np.uint64)
        return np.repeat(all_, all_.size), np.tile(all_, all_.size)
    top = 1 << (width - 1)
    edges = [0, 1, 2, 3, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 255, 256, 0x7fff]
    edges = np.array([e % (1 << width) for e in edges], dtype=np.uint64)
    a = np.concatenate([np.repeat(edges, edges.size),
                        rng.integers(0, 2 * top, 4000, dtype=np.uint64)])
    b = np.concatenate([np.tile(edges, edges.size),
                        rng.integers(0, 2 * top, 2000, dtype=np.uint64),
                        rng.integers(0, 300, 2000, dtype=np.uint64)])
    return a, b


def kernels(width, count):
    """Returns the kernels: name → (buffer types, text). %b0 and %b1 are operands, %b2 (and %b3) are results."""
    t = f"i{width}"
    load = "".join(f"      %{v} = memref.load %b{n}[%i] : memref<?x{t}>\n"
                   for n, v in enumerate("xy"))

    def store(value, type_, buffer=2):
        return f"      memref.store {value}, %b{buffer}[%i] : memref<?x{type_}>\n"

    result = {}

    def add(name, body, *outs):
        types = [t, t, *outs]
        result[name] = cpu.kernel(name, types, load + body, count), outs

    for op in ANY + SHIFTS + DIVISIONS:
        add(op, f"      %r = arith.{op} %x, %y : {t}\n" + store("%r", t), t)
    for op in PREDICATES:
        add(op, f"      %r = arith.cmpi {op}, %x, %y : {t}\n" + store("%r", "i1"), "i1")
    add("addui_extended", f"      %r:2 = arith.addui_extended %x, %y : {t}, i1\n" +
        store("%r#0", t) + store("%r#1", "i1", 3), t, "i1")
    for op in EXTENDED[1:]:
        add(op, f"      %r:2 = arith.{op} %x, %y : {t}\n" + store("%r#0", t) +
            store("%r#1", t, 3), t, t)
    for op in COUNTS:
        add(op, f"      %r = math.{op} %x : {t}\n" + store("%r", t), t)
    # Computes a value with unspecified high bits, and then uses it in all operations that read them.
    dirty = f"      %s = arith.addi %x, %y : {t}\n      %d = arith.muli %s, %y : {t}\n"
    wide = "i32" if width < 32 else "i64"
    for op in ["extsi", "extui"]:
        add(op, dirty + f"      %r = arith.{op} %d : {t} to {wide}\n" + store("%r", wide), wide)
        add(op + "_trunci", dirty + f"      %w = arith.{op} %d : {t} to {wide}\n"
            f"      %v = arith.muli %w, %w : {wide}\n      %r = arith.trunci %v : {wide} to {t}\n" +
            store("%r", t), t)
        add(op + "_half", dirty + f"      %h = arith.trunci %d : {t} to i5\n"
            f"      %r = arith.{op} %h : i5 to {t}\n" + store("%r", t), t)
    for op in ["sitofp", "uitofp"]:
        add(op, dirty + f"      %r = arith.{op} %d : {t} to f32\n" + store("%r", "f32"), "f32")
    for op, limit in [("fptosi", 2 ** (min(width, 30) - 1) - 1), ("fptoui", 2 ** min(width, 30) - 1)]:
        add(op, f"      %f = arith.uitofp %x : {t} to f32\n      %m = arith.constant {limit}.0 : f32\n"
            f"      %g = arith.minimumf %f, %m : f32\n      %r = arith.{op} %g : f32 to {t}\n" +
            store("%r", t), t)
    for op in ["index_cast", "index_castui"]:
        add(op, dirty + f"      %n = arith.{op} %d : {t} to index\n      %q = arith.addi %n, %i : index\n"
            f"      %r = arith.{op} %q : index to {t}\n" + store("%r", t), t)
        add(op + "_store", dirty + f"      %r = arith.{op} %d : {t} to index\n" +
            store("%r", "index"), "index")
    add("select", dirty + f"      %c = arith.cmpi slt, %d, %x : {t}\n"
        f"      %r = arith.select %c, %d, %y : {t}\n" + store("%r", t), t)
    add_structured(add, store, dirty, width, count)
    return result


def add_structured(add, store, dirty, width, count):
    """Adds kernels with loops and vectors."""
    t = f"i{width}"
    add("loop", f"""      %from = arith.constant -3 : {t}
      %mask = arith.constant 5 : {t}
      %to = arith.andi %y, %mask : {t}
      %step = arith.constant 2 : {t}
      %r = scf.for %k = %from to %to step %step iter_args(%a = %x) -> {t} : {t} {{
        %p = arith.muli %a, %a : {t}
        %n = arith.xori %p, %k : {t}
        scf.yield %n : {t}
      }}
""" + store("%r", t), t)
    add("while", f"""      %c1 = arith.constant 1 : {t}
      %r = scf.while (%a = %x) : ({t}) -> {t} {{
        %go = arith.cmpi ugt, %a, %y : {t}
        %h = arith.shrui %a, %c1 : {t}
        scf.condition(%go) %h : {t}
      }} do {{
      ^bb0(%a: {t}):
        scf.yield %a : {t}
      }}
""" + store("%r", t), t)
    if width & (width - 1) == 0: # alignment of vectors in memory
        add("vectors", f"""      %four = arith.constant 4 : index
      %last = arith.constant {count - 4} : index
      %j0 = arith.minui %i, %last : index
      %u = vector.load %b0[%j0] : memref<?x{t}>, vector<4x{t}>
      %v = vector.load %b1[%j0] : memref<?x{t}>, vector<4x{t}>
      %m = arith.muli %u, %v : vector<4x{t}>
      %c = arith.cmpi slt, %m, %v : vector<4x{t}>
      %q = arith.select %c, %m, %u : vector<4xi1>, vector<4x{t}>
      vector.store %q, %b2[%j0] : memref<?x{t}>, vector<4x{t}>
""", t)
    if width == 8:
        add("vector_bits", dirty + """      %v = vector.from_elements %d, %x, %y, %d : vector<4xi8>
      %h = vector.bitcast %v : vector<4xi8> to vector<2xi16>
      %q = vector.bitcast %h : vector<2xi16> to vector<4xi8>
      %a = vector.extract %q[3] : i8 from vector<4xi8>
      %g = vector.extract %h[1] : i16 from vector<2xi16>
      %k = arith.extui %a : i8 to i16
      %r = arith.xori %g, %k : i16
""" + store("%r", "i16"), "i16")


def valid(name, a, b, width):
    """Removes operands for which LLVM's result is undefined."""
    top = np.uint64(1 << (width - 1))
    ones = np.uint64((1 << width) - 1)
    if name in DIVISIONS:
        keep = b != 0
        if "si" in name:
            keep &= ~((a == top) & (b == ones))
        return a[keep], b[keep]
    if name in SHIFTS:
        return a, b % np.uint64(width)
    if name == "while":
        return a, b | np.uint64(1)
    return a, b


def test(width, features, rng):
    dtype = cpu.dtype_for(width)
    a, b = pairs(width, rng)
    cases = {name: valid(name, a, b, width) for name in kernels(width, 1)}
    texts = {name: kernels(width, cases[name][0].size)[name] for name in cases}
    text = cpu.module([text for text, _ in texts.values()], features)
    ours = cpu.Library(text, PASSES)
    theirs = cpu.Library(text)
    failed = 0
    for name, (x, y) in cases.items():
        buffers = []
        for _ in range(2):
            outs = []
            for out in texts[name][1]:
                kind = (np.uint64 if out == "index" else np.float32 if out == "f32" else
                        cpu.dtype_for(int(out[1:])))
                outs.append(np.full(x.size + 8, 0, kind))
            buffers.append(outs)
        x, y = x.astype(dtype), y.astype(dtype)
        ours(name, x, y, *buffers[0])
        theirs(name, x, y, *buffers[1])
        for mine, reference in zip(*buffers):
            wrong = np.flatnonzero(mine != reference)
            if wrong.size:
                failed += 1
                i = wrong[0]
                print(f"FAIL i{width} {name} {features}: {wrong.size} wrong, first at {i}: "
                      f"{x[i] if i < x.size else None}, {y[i] if i < x.size else None} gives {mine[i]}, expected {reference[i]}")
    print(f"i{width} on {{{', '.join(features)}}}: {len(cases)} kernels, "
          f"{a.size} pairs, {failed} failed")
    return failed


def main():
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    plans = [
        (7, []), (7, ["shaderInt8", "storageBuffer8BitAccess"]), (8, []),
        (8, ["storageBuffer8BitAccess"]), (8, ["shaderInt8"]), (16, []),
        (16, ["shaderInt16", "storageBuffer16BitAccess"]), (12, ["shaderInt16"]), (24, []),
        (31, []), (32, []), (48, ["shaderInt64"]), (33, ["shaderInt64"]),
    ]
    return sum(test(width, features + (["shaderInt64"] if "shaderInt64" not in features and width >= 32 else []), rng)
               for width, features in plans)


if __name__ == "__main__":
    sys.exit(main() != 0)
