"""Runs memory accesses after LegalizeStorage, WidenTypes and EmulateAtomics, and compares with LLVM.

Every byte of every buffer must be the same, for targets with any support for narrow types."""
import sys

import numpy as np

import cpu

PASSES = ["--pumice-legalize-storage", "--pumice-widen-types", "--pumice-emulate-atomics"]
SEED = 20260103
N = 64
TARGETS = [
    [], ["storageBuffer8BitAccess"], ["storageBuffer16BitAccess"], ["shaderInt8", "shaderInt16"],
    ["storageBuffer8BitAccess", "storageBuffer16BitAccess", "shaderInt8", "shaderInt16"],
]
WIDE = ["shaderInt64", "shaderFloat64", "shaderBufferInt64Atomics"]
FLOATS32 = ["shaderBufferFloat32Atomics", "shaderBufferFloat32AtomicAdd"]
INTEGER_KINDS = ["addi", "andi", "assign", "maxs", "maxu", "mins", "minu", "muli", "ori", "xori"]
FLOAT_KINDS = ["addf", "assign", "maximumf", "maxnumf", "minimumf", "minnumf", "mulf"]

cases = {}
references = {}  # the code that LLVM runs if it cannot run the case


def case(name, types, body, wide=False):
    cases[name] = cpu.kernel(name, types, body, N), len(types), wide


def define():
    define_copies()
    define_views()
    define_atomics()


def define_copies():
    for t in ["i1", "i4", "i7", "i8", "i12", "i16", "i24", "i32", "f32", "index"]:
        case(f"copy_{t}", [t, t], f"""      %v = memref.load %b0[%i] : memref<?x{t}>
      %three = arith.constant 3 : index
      %j = arith.muli %i, %three : index
      memref.store %v, %b1[%j] : memref<?x{t}>
""")
    for t in ["i33", "i48", "i64", "f64"]:
        case(f"copy_{t}", [t, t], f"""      %v = memref.load %b0[%i] : memref<?x{t}>
      memref.store %v, %b1[%i] : memref<?x{t}>
""", wide=True)
    # This excludes i4, since LLVM packs vectors of i4 to less than a byte for each element.
    for t, bytes_ in [("i8", 1), ("i16", 2), ("f32", 4)]:
        for size in (2, 3, 4):
            for alignment in (None, bytes_ * 2, bytes_ * 4):
                if alignment and size % (alignment // bytes_):
                    continue
                given = f" {{alignment = {alignment} : i64}}" if alignment else ""
                step = alignment // bytes_ if alignment else 1
                case(f"vector{size}_{t}_{alignment}", [t, t], f"""      %step = arith.constant {step} : index
      %j = arith.muli %i, %step : index
      %v = vector.load %b0[%j]{given} : memref<?x{t}>, vector<{size}x{t}>
      vector.store %v, %b1[%j]{given} : memref<?x{t}>, vector<{size}x{t}>
""")
    # Accesses to workgroup memory and private memory.
    for t in ["i1", "i4", "i8", "i16", "f32", "index"]:
        for space, root in [("workgroup", f"memref.get_global @shared_{t}"), ("private", "memref.alloca()")]:
            m = f"memref<64x{t}, #gpu.address_space<{space}>>"
            case(f"{space}_{t}", [t, t], f"""      %m = {root} : {m}
      %v = memref.load %b0[%i] : memref<?x{t}>
      memref.store %v, %m[%i] : {m}
      %w = memref.load %m[%i] : {m}
      memref.store %w, %b1[%i] : memref<?x{t}>
""")


def define_views():
    """Accesses one buffer as several types, at constant and other byte shifts."""
    case("view_mixed", ["i8", "i32"], """      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %n = arith.constant 64 : index
      %words = memref.view %b0[%c16][%n] : memref<?xi8> to memref<?xf32>
      %halves = memref.view %b0[%c0][%n] : memref<?xi8> to memref<?xi16>
      %w = memref.load %words[%i] : memref<?xf32>
      %h = memref.load %halves[%i] : memref<?xi16>
      %b = memref.load %b0[%i] : memref<?xi8>
      %bits = arith.bitcast %w : f32 to i32
      %wh = arith.extsi %h : i16 to i32
      %wb = arith.extui %b : i8 to i32
      %s = arith.addi %bits, %wh : i32
      %t = arith.xori %s, %wb : i32
      memref.store %t, %b1[%i] : memref<?xi32>
      %j = arith.addi %i, %n : index
      memref.store %h, %halves[%j] : memref<?xi16>
""")
    case("view_same_size", ["i8", "f32"], """      %n = arith.constant 64 : index
      %four = arith.constant 4 : index
      %shift = arith.muli %i, %four : index
      %words = memref.view %b0[%shift][%n] : memref<?xi8> to memref<?xi32>
      %floats = memref.view %b0[%shift][%n] : memref<?xi8> to memref<?xf32>
      %one = arith.constant 1 : index
      %f = memref.load %floats[%one] : memref<?xf32>
      %c7 = arith.constant 7 : i32
      memref.store %c7, %words[%i] : memref<?xi32>
      memref.store %f, %b1[%i] : memref<?xf32>
""".replace("%one =", "%uno =").replace("[%one]", "[%uno]"))
    case("view_wide", ["i8", "i64"], """      %n = arith.constant 16 : index
      %c8 = arith.constant 8 : index
      %wide = memref.view %b0[%c8][%n] : memref<?xi8> to memref<?xi64>
      %words = memref.view %b0[%c8][%n] : memref<?xi8> to memref<?xi32>
      %v = memref.load %wide[%i] : memref<?xi64>
      %w = memref.load %words[%i] : memref<?xi32>
      %x = arith.extui %w : i32 to i64
      %s = arith.addi %v, %x : i64
      memref.store %s, %b1[%i] : memref<?xi64>
      memref.store %s, %wide[%i] : memref<?xi64>
""", wide=True)


def define_atomics():
    """Updates elements that four invocations share. LLVM's version is a load, an operation and a store."""

    def atomic(name, t, op, plain, wide=False):
        frame = """      %two = arith.constant 2 : index
      %j = arith.shrui %i, %two : index
      %v = memref.load %b0[%i] : memref<?x{t}>
{op}      memref.store %old, %b2[%i] : memref<?x{t}>
"""
        types = [t, t, t]
        case(name, types, frame.format(t=t, op=op), wide)
        references[name] = cpu.kernel(name, types, frame.format(
            t=t, op=f"      %old = memref.load %b1[%j] : memref<?x{t}>\n{plain}"
            f"      memref.store %new, %b1[%j] : memref<?x{t}>\n"), N)

    signs = {"maxs": "maxsi", "maxu": "maxui", "mins": "minsi", "minu": "minui"}
    for t in ["i8", "i16", "i32", "i64", "f32", "f64"]:
        wide = t in ("i64", "f64")
        for kind in FLOAT_KINDS if t[0] == "f" else INTEGER_KINDS:
            plain = (f"      %same = arith.constant true\n      %new = arith.select %same, %v, %old : {t}\n"
                     if kind == "assign" else
                     f"      %new = arith.{signs.get(kind, kind)} %old, %v : {t}\n")
            atomic(f"{kind}_{t}", t, f"      %old = memref.atomic_rmw {kind} %v, %b1[%j] : "
                   f"({t}, memref<?x{t}>) -> {t}\n", plain, wide=wide)
        body = "".join(f"        {line} : {t}\n" for line in (
            ["%p = arith.mulf %old, %v", "%bit = arith.cmpf ogt, %p, %v"] if t[0] == "f" else
            ["%p = arith.muli %old, %v", "%bit = arith.cmpi sgt, %p, %v"]) +
            ["%new = arith.select %bit, %p, %old"])
        atomic(f"generic_{t}", t, f"""      %old = memref.generic_atomic_rmw %b1[%j] : memref<?x{t}> {{
      ^bb0(%now: {t}):
{body.replace("%old", "%now")}        memref.atomic_yield %new : {t}
      }}
""", body, wide=wide)
    # In workgroup memory, each element is a word.
    for t, kind, op in [("i8", "maxs", "maxsi"), ("i16", "addi", "addi"), ("f32", "addf", "addf")]:
        m = f"memref<64x{t}, #gpu.address_space<workgroup>>"
        frame = """      %m = memref.get_global @shared_{t} : {m}
      %two = arith.constant 2 : index
      %j = arith.shrui %i, %two : index
      %w = memref.load %b0[%j] : memref<?x{t}>
      memref.store %w, %m[%j] : {m}
      %v = memref.load %b0[%i] : memref<?x{t}>
{op}      %now = memref.load %m[%j] : {m}
      memref.store %now, %b1[%i] : memref<?x{t}>
      memref.store %old, %b2[%i] : memref<?x{t}>
"""
        case(f"shared_{kind}_{t}", [t, t, t], frame.format(
            t=t, m=m, op=f"      %old = memref.atomic_rmw {kind} %v, %m[%j] : ({t}, {m}) -> {t}\n"))
        references[f"shared_{kind}_{t}"] = cpu.kernel(
            f"shared_{kind}_{t}", [t, t, t], frame.format(
                t=t, m=m, op=f"      %old = memref.load %m[%j] : {m}\n"
                f"      %new = arith.{op} %old, %v : {t}\n      memref.store %new, %m[%j] : {m}\n"), N)


def contents(rng, texts, name):
    """Returns random bytes that are valid for the buffers' types."""
    buffers = []
    for line in texts.splitlines():
        if "vk.binding" not in line:
            continue
        t = line.split("memref<?x")[1].split(">")[0]
        size = 8 * N * 8
        data = rng.integers(0, 256, size, dtype=np.uint8)
        if t == "index":
            data = rng.integers(-2**31, 2**31, size // 8, dtype=np.int64).view(np.uint8)
        elif t in ("f32", "f64"):
            kind = np.float32 if t == "f32" else np.float64
            data = rng.standard_normal(size // np.dtype(kind).itemsize).astype(kind).view(np.uint8)
        else:
            width = int(t[1:])
            kind = cpu.dtype_for(width)
            data = (data.view(kind) & kind((1 << width) - 1)).view(np.uint8)
        buffers.append(data)
    return buffers


def test(features, rng):
    wide = "shaderInt64" in features
    chosen = {n: c for n, c in cases.items() if wide or not c[2]}
    globals_ = [f"  memref.global \"private\" @shared_{t} : memref<64x{t}, #gpu.address_space<workgroup>> = uninitialized\n"
                for t in ["i1", "i4", "i8", "i16", "f32", "index"]]
    ours = cpu.Library(cpu.module(globals_ + [c[0] for c in chosen.values()], features), PASSES)
    theirs = cpu.Library(cpu.module(
        globals_ + [references.get(n, c[0]) for n, c in chosen.items()], features))
    failed = 0
    for name, (kernel, _, _) in chosen.items():
        before = contents(rng, kernel, name)
        mine, reference = [b.copy() for b in before], [b.copy() for b in before]
        ours(name, *mine)
        theirs(name, *reference)
        for n, (a, b) in enumerate(zip(mine, reference)):
            wrong = np.flatnonzero(a != b)
            if wrong.size:
                failed += 1
                print(f"FAIL {name} on {features}: buffer {n}, {wrong.size} bytes differ, first "
                      f"{wrong[0]}: {a[wrong[0]]} expected {b[wrong[0]]}")
    print(f"{{{', '.join(features)}}}: {len(chosen)} kernels, {failed} failed")
    return failed


def main():
    print("seed", SEED)
    rng = np.random.default_rng(SEED)
    define()
    targets = TARGETS + [t + WIDE for t in TARGETS[::4]] + [FLOATS32]
    return sum(test(features, rng) for features in targets)


if __name__ == "__main__":
    sys.exit(main() != 0)
