"""Workgroups, and subgroups of eight lanes, the size on lavapipe."""
import numpy as np

from corpus.case import NATIVE, Buffer, Launch, case, from_bf16, to_bf16

FILE = "groups.mlir"


def zeros(*shape, dtype=np.int32):
    return np.zeros(shape, dtype)


@case(FILE, quick=True)
def matmul(c):
    m, n, k = 19, 21, 27
    a, b = c.floats(m, k), c.floats(k, n)
    return Launch([Buffer(a), Buffer(b), Buffer(zeros(m, n, dtype=np.float32), a @ b,
                                                absolute=1e-4)], groups=[3, 3])


@case(FILE, quick=True)
def scan(c):
    source = c.integers(3, 64, low=-1000, high=1000)
    return Launch([Buffer(source.ravel()),
                   Buffer(zeros(192), np.cumsum(source, axis=1, dtype=np.int32).ravel())],
                  groups=[3])


def mirror(source):
    return Launch([Buffer(source.ravel()),
                   Buffer(np.zeros_like(source).ravel(), source[:, ::-1].ravel())], groups=[2])


case(FILE, "mirror_bytes", quick=True)(lambda c: mirror(c.integers(2, 64, dtype=np.int8)))
case(FILE, "mirror_f16", quick=True)(lambda c: mirror(c.floats(2, 64, dtype=np.float16)))


@case(FILE, quick=True, refused=NATIVE)
def dynamic_memory(c):
    source = c.floats(2, 32, low=-100, high=100)
    flipped = source[:, ::-1]
    return Launch([Buffer(source.ravel()), Buffer(zeros(64, dtype=np.float32),
                                                  (flipped - np.trunc(flipped)).ravel())],
                  groups=[2], dynamic_bytes=256)


@case(FILE, quick=True)
def histogram(c):
    source = c.integers(5003, dtype=np.int8)
    start = c.integers(256, low=0, high=9)
    counts = np.bincount(source.view(np.uint8), minlength=256).astype(np.int32)
    return Launch([Buffer(source), Buffer(start, start + counts)], groups=[5])


@case(FILE, quick=True, refused=["lean"], lanes=8)
def shuffles(c):
    source = c.integers(64).reshape(8, 8)
    lane = np.arange(8)
    expect = [source[:, lane ^ 3], np.where(lane >= 2, source[:, lane - 2], -1),
              np.where(lane < 7, source[:, (lane + 1) % 8], -1), source[:, lane * 5 % 8],
              source[:, (lane + 3) % 8]]
    return Launch([Buffer(source.ravel()),
                   Buffer(zeros(5, 64), np.stack(expect).reshape(5, 64))], groups=[2])


@case(FILE, quick=True, refused=["lean"], lanes=8)
def shuffled_types(c):
    lane = np.arange(32) ^ 5
    arrays = [c.integers(32, dtype=np.int8), c.floats(32, dtype=np.float16),
              c.floats(32, dtype=np.float64), c.integers(32, dtype=np.int64)]
    brains = to_bf16(c.floats(32))
    return Launch([Buffer(a, a[lane]) for a in arrays] + [Buffer(brains, brains[lane], "bf16")])


@case(FILE, quick=True, refused=["lean"], lanes=8)
def subgroup_reduce(c):
    source = c.integers(8, 8)
    total = source.sum(axis=1, dtype=np.int32)[:, None].repeat(8, axis=1)
    fours = source.reshape(8, 2, 4).max(axis=2).repeat(4, axis=1)
    pairs = np.bitwise_xor.reduce(source.reshape(8, 4, 2), axis=1)
    apart = np.tile(pairs, (1, 4))
    numbers = (8 * 100 + np.arange(8) % 4) * 100 + 4
    expect = np.stack([total, fours, apart, numbers[:, None].repeat(8, axis=1)])
    return Launch([Buffer(source.ravel()),
                   Buffer(zeros(4, 64), expect.astype(np.int32).reshape(4, 64))], groups=[2])


@case(FILE, quick=True, refused=["lean"], lanes=8)
def broadcasts(c):
    source = c.floats(8, 8)
    expect = np.stack([source[:, [0] * 8], source[:, [3] * 8]]).reshape(2, 64)
    return Launch([Buffer(source.ravel()), Buffer(zeros(2, 64, dtype=np.float32), expect)],
                  groups=[2])


@case(FILE, quick=True)
def reduce_by_body(c):
    source = c.integers(2, 44)
    return Launch([Buffer(source.ravel()), Buffer(zeros(88), source.max(axis=1).repeat(44))],
                  groups=[2])


# All-reductions, of every kind and type. ---------------------------------------------------------

INTEGERS = ["add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"]
FLOATS = ["add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"]
REDUCED = {"i8": INTEGERS, "i16": INTEGERS, "i32": INTEGERS, "i64": INTEGERS, "f16": FLOATS,
           "bf16": FLOATS, "f32": FLOATS, "f64": FLOATS}
LANES = 44  # not a multiple of the subgroup's size


def all_reductions():
    """A kernel for every kind and type, over a workgroup with an incomplete subgroup."""
    kernels = []
    for type, kinds in REDUCED.items():
        for kind in kinds:
            kernels.append(f"""
    gpu.func @all_reduce_{kind}_{type}(%in: memref<?x{type}>, %out: memref<?x{type}>) kernel
        attributes {{known_block_size = array<i32: {LANES}, 1, 1>}} {{
      %i = gpu.global_id x
      %e = memref.load %in[%i] : memref<?x{type}>
      %r = gpu.all_reduce {kind} %e uniform {{}} : ({type}) -> {type}
      memref.store %r, %out[%i] : memref<?x{type}>
      gpu.return
    }}""")
    return "module attributes {gpu.container_module} {\n  gpu.module @reductions {" + \
        "".join(kernels) + "\n  }\n}\n"


def reduce_integers(kind, values):
    unsigned = values.view(values.dtype.name.replace("int", "uint"))
    function = {"add": np.add, "mul": np.multiply, "minui": np.minimum, "minsi": np.minimum,
                "maxui": np.maximum, "maxsi": np.maximum, "and": np.bitwise_and,
                "or": np.bitwise_or, "xor": np.bitwise_xor}[kind]
    source = unsigned if kind.endswith("ui") else values
    return function.reduce(source, axis=1, dtype=source.dtype).view(values.dtype)


def all_reduce(c, kind, type):
    if type.startswith("i"):
        values = c.integers(2, LANES, dtype=f"int{type[1:]}")
        if kind == "mul":
            values |= 1
        if kind == "and":
            values[:, 1:] |= values[:, :1]
        expect = reduce_integers(kind, values)
        return Launch([Buffer(values.ravel()),
                       Buffer(np.zeros(2 * LANES, values.dtype), expect.repeat(LANES))], groups=[2])
    values = c.floats(2, LANES, dtype=np.float64, low=0.8, high=1.25)
    brains = type == "bf16"
    values = from_bf16(to_bf16(values)) if brains else values.astype(type.replace("f", "float"))
    wide = values.astype(np.float64)
    expect = {"add": wide.sum(axis=1), "mul": wide.prod(axis=1)}.get(
        kind, wide.min(axis=1) if "min" in kind else wide.max(axis=1)).repeat(LANES)
    relative = 0 if kind not in ("add", "mul") else \
        {"f16": 3e-3, "bf16": 3e-2, "f32": 1e-5, "f64": 1e-13}[type]
    if brains:
        return Launch([Buffer(to_bf16(values).ravel(), type="bf16"),
                       Buffer(np.zeros(2 * LANES, np.uint16), to_bf16(expect), "bf16",
                              relative=relative)], groups=[2])
    return Launch([Buffer(values.ravel()),
                   Buffer(np.zeros(2 * LANES, values.dtype), expect.astype(values.dtype),
                          relative=relative)], groups=[2])


for _type, _kinds in REDUCED.items():
    for _kind in _kinds:
        case(all_reductions, f"all_reduce_{_kind}_{_type}", quick=_kind in ("add", "maxsi"))(
            lambda c, kind=_kind, type=_type: all_reduce(c, kind, type))


@case("../../../examples/softmax.mlir", quick=True)
def softmax(c):
    x = c.floats(5, 300, low=-30, high=30)
    shifted = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
    expect = (shifted / shifted.sum(axis=1, keepdims=True)).astype(np.float32)
    return Launch([Buffer(x), Buffer(np.zeros_like(x), expect, relative=1e-4, absolute=1e-9)],
                  groups=[5])


def votes(c, lanes):
    """Tests votes: each lane's own, none, some, and all."""
    source = c.integers(64 // lanes, lanes, low=0, high=2)
    source[0], source[1], source[2] = 0, 1, 7
    yes, lane = source != 0, np.arange(lanes)
    every = lambda x: np.repeat(x[:, None], lanes, axis=1)
    some = yes | (lane == 1)
    expect = [every(yes.all(axis=1)), every(yes.any(axis=1)), every((source == source[:, :1]).all(axis=1)),
              np.broadcast_to(lane == 0, yes.shape), every((yes << lane).sum(axis=1)),
              yes.cumsum(axis=1) - yes, every(some.argmax(axis=1)),
              every(lanes - 1 - some[:, ::-1].argmax(axis=1))]
    return Launch([Buffer(source.ravel()),
                   Buffer(np.zeros((8, 64), np.int32),
                          np.stack(expect).astype(np.int32).reshape(8, 64))], groups=[4])


@case(FILE, quick=True, lanes=8, refused=("lean", "storage-only"))
def votes_of_eight(c):
    return votes(c, 8)
