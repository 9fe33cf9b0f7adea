"""Vectors of every length. SPIR-V has lengths 2 to 4; the compiler splits the others."""
import numpy as np

from corpus.case import Buffer, Launch, case

FILE = "vectors.mlir"


@case(FILE, quick=True)
def transfer_1d(c):
    source, target = c.floats(21), c.floats(23)
    padded = np.concatenate([source, np.full(11, -1, np.float32)]) * 2
    return Launch([Buffer(source), Buffer(target, padded[:23])])


@case(FILE, quick=True)
def transfer_2d(c):
    source, target = c.integers(6, 7), c.integers(5, 5)
    tile = np.full((3, 4), 77, np.int32)
    tile[:2, :3] = source[4:6, 4:7]
    expect = target.copy()
    expect[:4, :3] = tile.T
    return Launch([Buffer(source), Buffer(target, expect), 4, 4])


@case(FILE, quick=True)
def transfer_masked(c):
    source, target = c.floats(20, dtype=np.float16), c.floats(16, dtype=np.float16)
    return Launch([Buffer(source), Buffer(target, np.where(np.arange(16) < 11, source[1:17], 3)
                                          .astype(np.float16)), 11])


@case(FILE, quick=True)
def contract(c):
    a, b, start = c.floats(3, 5), c.floats(5, 4), c.floats(3, 4)
    return Launch([Buffer(a), Buffer(b), Buffer(start, a @ b + start, absolute=1e-5)])


@case(FILE, quick=True)
def gather_scatter(c):
    source, target = c.integers(32), c.integers(40)
    at = c.rng.permutation(32)[:8].astype(np.int64)
    mask = np.array([1, 0, 1, 1, 1, 0, 1, 1], bool)
    values = np.where(mask, source[at], -7)
    expect = target.copy()
    expect[at[mask]] = values[mask]
    expect[32:] = values
    return Launch([Buffer(source), Buffer(at), Buffer(target, expect)])


@case(FILE, quick=True)
def masked_memory(c):
    source, target = c.integers(12, dtype=np.int8), c.integers(24, dtype=np.int8)
    mask = np.array([1, 1, 0, 1, 0, 1], bool)
    expect = target.copy()
    expect[:6][mask] = source[3:9][mask]
    expanded = np.full(6, 99, np.int8)
    expanded[mask] = source[3:7]
    expect[8:14] = expanded
    expect[17:21] = expanded[mask]
    return Launch([Buffer(source), Buffer(target, expect)])


@case(FILE, quick=True)
def rearrange(c):
    v, k = c.integers(16, low=-10**8, high=10**8), 5
    low, high = v[:8], v[8:]
    put = low.copy()
    put[k] = v[k]
    expect = np.concatenate([
        np.stack([low, high], axis=1).ravel(), np.concatenate([low, high])[[15, 0, 3, 3, 8, 7, 1]],
        v[::2] - v[1::2], [v[k]], put, low + high + put, [v.sum()], [v.min()]])
    return Launch([Buffer(v), Buffer(np.zeros(50, np.int32), expect.astype(np.int32)), k])


@case(FILE, quick=True)
def scan_and_outer(c):
    v = c.floats(4)
    outer = np.outer(v, v)
    sums = [v]
    for row in outer[:3]:
        sums.append(sums[-1] + row)
    return Launch([Buffer(v), Buffer(np.zeros((4, 4), np.float32), outer),
                   Buffer(np.zeros((4, 4), np.float32), np.stack(sums))])


@case(FILE, quick=True)
def carried(c):
    source = c.floats(24)
    total = np.float32(0)
    for row in source.reshape(4, 6):
        total = total + row
    expect = np.full((4, 6), -1, np.float32)
    expect[:3, :4] = total[:4]
    return Launch([Buffer(source), Buffer(np.zeros((4, 6), np.float32), expect), 3, 4])


# Arithmetic on vectors of each length and type. --------------------------------------------------

TYPES = ["i8", "i16", "i32", "i64", "f16", "f32", "f64", "bf16"]
LENGTHS = [2, 3, 4, 8, 16]


def lengths():
    """out = (a + b) * a - b, element by element."""
    kernels = []
    for type in TYPES:
        suffix = "i" if type.startswith("i") else "f"
        for length in LENGTHS:
            vector, memref = f"vector<{length}x{type}>", f"memref<?x{type}>"
            kernels.append(f"""
    gpu.func @vector_{length}_{type}(%a: {memref}, %b: {memref}, %out: {memref}) kernel
        attributes {{known_block_size = array<i32: 6, 1, 1>}} {{
      %i = gpu.thread_id x
      %length = arith.constant {length} : index
      %at = arith.muli %i, %length : index
      %x = vector.load %a[%at] : {memref}, {vector}
      %y = vector.load %b[%at] : {memref}, {vector}
      %s = arith.add{suffix} %x, %y : {vector}
      %p = arith.mul{suffix} %s, %x : {vector}
      %d = arith.sub{suffix} %p, %y : {vector}
      vector.store %d, %out[%at] : {memref}, {vector}
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @lengths {" + \
        "".join(kernels) + "\n  }\n}\n"


def arithmetic(c, length, type):
    from corpus.case import from_bf16, to_bf16

    count = 6 * length
    if type.startswith("i"):
        a, b = c.integers(2, count, dtype=f"int{type[1:]}")
        with np.errstate(over="ignore"):
            return Launch([Buffer(a), Buffer(b), Buffer(np.zeros_like(a), (a + b) * a - b)])
    if type == "bf16":
        a, b = to_bf16(c.floats(2, count))
        step = lambda bits: from_bf16(to_bf16(bits))  # noqa: E731: each operation rounds once
        x, y = from_bf16(a), from_bf16(b)
        expect = to_bf16(step(step(x + y) * x) - y)
        return Launch([Buffer(a, type="bf16"), Buffer(b, type="bf16"),
                       Buffer(np.zeros_like(a), expect, "bf16")])
    a, b = c.floats(2, count, dtype=f"float{type[1:]}")
    return Launch([Buffer(a), Buffer(b), Buffer(np.zeros_like(a), (a + b) * a - b)])


for _type in TYPES:
    for _length in LENGTHS:
        case(lengths, f"vector_{_length}_{_type}", quick=_length in (3, 8))(
            lambda c, length=_length, type=_type: arithmetic(c, length, type))
