"""gpu.subgroup_mma_*, which the compiler turns into exchanges between lanes on devices without matrices."""
import re

import numpy as np

from corpus.case import KERNELS, Buffer, Launch, case

# name: (type of A and B, type of the accumulator, rows, columns, depth of a fragment)
SHAPES = {
    "f16_f32": ("f16", "f32", 16, 16, 16),
    "f16_f16": ("f16", "f16", 16, 16, 16),
    "f32_f32": ("f32", "f32", 8, 8, 8),
    "si8_i32": ("si8", "i32", 16, 16, 32),
    "ui8_i32": ("ui8", "i32", 16, 16, 16),
}


def plain(type):
    """Returns the type in memory: matrices distinguish signs, memrefs do not."""
    return type.replace("si", "i").replace("ui", "i")


def matmul_kernel(name, a, c, m, n, k, transpose, lanes=8):
    """Computes C += A B over a depth of three fragments. A workgroup is one subgroup with one fragment."""
    b_at, b_shape = ("%k0, %column", f"{3 * k}x{2 * n}") if not transpose else \
        ("%column, %k0", f"{2 * n}x{3 * k}")
    b_lead, flag = (2 * n, "") if not transpose else (3 * k, ", transpose")
    pa, pc = plain(a), plain(c)
    matrix = {op: f'!gpu.mma_matrix<{shape}x{t}, "{op}">' for op, shape, t in
              (("AOp", f"{m}x{k}", a), ("BOp", f"{k}x{n}", a), ("COp", f"{m}x{n}", c))}
    am, bm, cm = (f"memref<{2 * m}x{3 * k}x{pa}>", f"memref<{b_shape}x{pa}>",
                  f"memref<{2 * m}x{2 * n}x{pc}>")
    return f"""
    gpu.func @{name}(%a: {am}, %b: {bm}, %c: {cm}) kernel
        attributes {{known_block_size = array<i32: {lanes}, 1, 1>}} {{
      %c0 = arith.constant 0 : index
      %step = arith.constant {k} : index
      %depth = arith.constant {3 * k} : index
      %m = arith.constant {m} : index
      %n = arith.constant {n} : index
      %y = gpu.block_id y
      %x = gpu.block_id x
      %row = arith.muli %y, %m : index
      %column = arith.muli %x, %n : index
      %start = gpu.subgroup_mma_load_matrix %c[%row, %column] {{leadDimension = {2 * n} : index}}
          : {cm} -> {matrix["COp"]}
      %sum = scf.for %k0 = %c0 to %depth step %step iter_args(%acc = %start) -> {matrix["COp"]} {{
        %ta = gpu.subgroup_mma_load_matrix %a[%row, %k0] {{leadDimension = {3 * k} : index}}
            : {am} -> {matrix["AOp"]}
        %tb = gpu.subgroup_mma_load_matrix %b[{b_at}] {{leadDimension = {b_lead} : index{flag}}}
            : {bm} -> {matrix["BOp"]}
        %next = gpu.subgroup_mma_compute %ta, %tb, %acc
            : {matrix["AOp"]}, {matrix["BOp"]} -> {matrix["COp"]}
        scf.yield %next : {matrix["COp"]}
      }}
      gpu.subgroup_mma_store_matrix %sum, %c[%row, %column] {{leadDimension = {2 * n} : index}}
          : {matrix["COp"]}, {cm}
      gpu.return
    }}"""


def matmuls():
    kernels = [matmul_kernel(f"mma_{name}{'_transposed' if t else ''}", *shape, t)
               for name, shape in SHAPES.items() for t in (False, True)]
    return "module attributes {gpu.container_module} {\n  gpu.module @matrices {" + \
        "".join(kernels) + "\n  }\n}\n"


def mma(c, a, acc, m, n, k, transpose):
    def random(*shape):
        if a in ("si8", "ui8"):
            return c.integers(*shape, dtype=np.int8)
        values = c.rng.integers(-8, 9, shape).astype(np.float32) / 4
        return values.astype(np.float16) if a == "f16" else values

    left, right = random(2 * m, 3 * k), random(3 * k, 2 * n)
    start = c.integers(2 * m, 2 * n, low=-9, high=9).astype(
        {"f32": np.float32, "f16": np.float16, "i32": np.int32}[acc])
    wide = np.int64 if acc == "i32" else np.float64
    view = (lambda x: x.view(np.uint8)) if a == "ui8" else (lambda x: x)
    expect = (view(left).astype(wide) @ view(right).astype(wide) + start).astype(start.dtype)
    return Launch([Buffer(left), Buffer(np.ascontiguousarray(right.T) if transpose else right),
                   Buffer(start, expect, relative=0.01 if acc == "f16" else 0)], groups=[2, 2])


for _name, _shape in SHAPES.items():
    for _t in (False, True):
        case(matmuls, f"mma_{_name}{'_transposed' if _t else ''}", quick=not _t,
             refused=["lean"], lanes=8)(lambda c, s=_shape, t=_t: mma(c, *s, t))

# Devices with subgroups of four lanes run fewer types, since each lane holds twice the elements. Devices with sixteen
# lanes also run the CPU's shapes, as true cooperative matrices.
ALL_SHAPES = SHAPES | {"f32_f32_wide": ("f32", "f32", 16, 16, 16)}
OTHER_LANES = {4: ("four", ["f32_f32", "si8_i32"]), 16: ("sixteen", list(ALL_SHAPES))}


def others(lanes):
    word, names = OTHER_LANES[lanes]
    kernels = [matmul_kernel(f"mma_{name}_of_{word}", *ALL_SHAPES[name], transpose=lanes == 16,
                             lanes=lanes) for name in names]
    return "module attributes {gpu.container_module} {\n  gpu.module @matrices {" + \
        "".join(kernels) + "\n  }\n}\n"


def matmuls_of_four():
    return others(4)


def matmuls_of_sixteen():
    return others(16)


for _lanes, _source in ((4, matmuls_of_four), (16, matmuls_of_sixteen)):
    for _name in OTHER_LANES[_lanes][1]:
        case(_source, f"mma_{_name}_of_{OTHER_LANES[_lanes][0]}", quick=True, lanes=_lanes)(
            lambda c, s=ALL_SHAPES[_name], t=_lanes == 16: mma(c, *s, t))

FILE = "matrices.mlir"


def of_lanes(lanes, word):
    text = (KERNELS / FILE).read_text().replace("array<i32: 8, 1, 1>", f"array<i32: {lanes}, 1, 1>")
    return re.sub(r"gpu\.func @(\w+)", rf"gpu.func @\1_of_{word}", text)


def matrices_of_four():
    """Returns that file's kernels for subgroups of four lanes."""
    return of_lanes(4, "four")


def matrices_of_sixteen():
    return of_lanes(16, "sixteen")


def elementwise(c):
    x = c.floats(16, 16)
    y = c.floats(16, 16, low=1)
    half = x.astype(np.float16)
    steps = np.maximum(x + y, x * y) - (-x)
    expect = np.minimum(steps / y, np.float32(1.5)) + half.astype(np.float32)
    return Launch([Buffer(x), Buffer(y), Buffer(half),
                   Buffer(np.zeros((16, 16), np.float32), expect.T, relative=1e-6)])


def thread_local(c):
    """Each lane changes the elements of the fragment that it holds. Together they change all of it."""
    x = c.integers(8, 8, low=-99, high=99).astype(np.float32)
    return Launch([Buffer(x), Buffer(np.zeros_like(x), 2 * x + 1)])


for _name, _make in [("mma_elementwise", elementwise), ("mma_thread_local", thread_local)]:
    case(FILE, _name, quick=True, refused=["lean"], lanes=8)(_make)
    case(matrices_of_four, f"{_name}_of_four", quick=True, lanes=4)(_make)
    case(matrices_of_sixteen, f"{_name}_of_sixteen", quick=True, lanes=16)(_make)
