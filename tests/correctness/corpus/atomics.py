"""Atomic updates of every kind and type, in buffers and in workgroup memory."""
import numpy as np

from corpus.case import Buffer, Launch, case, from_bf16, to_bf16

INTEGERS = ["addi", "muli", "andi", "ori", "xori", "minu", "mins", "maxu", "maxs", "assign"]
FLOATS = ["addf", "mulf", "minimumf", "maximumf", "minnumf", "maxnumf", "assign"]
KINDS = {"i8": INTEGERS, "i16": INTEGERS, "i32": INTEGERS, "i64": INTEGERS, "f16": FLOATS,
         "bf16": FLOATS, "f32": FLOATS, "f64": FLOATS}
NO_INT64_ATOMICS = ("lean", "storage-only")
SLOTS, LANES, GROUPS = 5, 32, 3


def module(kernels):
    return "module attributes {gpu.container_module} {\n  gpu.module @atomics {" + \
        "".join(kernels) + "\n  }\n}\n"


def kernel(name, type, update, workgroup):
    """Lane i updates slot i mod 5. For workgroup memory, the slots are copied there and back."""
    space = ", #gpu.address_space<workgroup>" if workgroup else ""
    shared = f"memref<{SLOTS}x{type}{space}>"
    memory, target = (f"\n        workgroup(%s: {shared})", "%s") if workgroup else ("", "%out")
    bring = f"""
      %few = arith.cmpi ult, %t, %slots : index
      scf.if %few {{
        %e = memref.load %out[%t] : memref<{SLOTS}x{type}>
        memref.store %e, %s[%t] : {shared}
      }}
      gpu.barrier""" if workgroup else ""
    back = f"""
      gpu.barrier
      scf.if %few {{
        %e = memref.load %s[%t] : {shared}
        memref.store %e, %out[%t] : memref<{SLOTS}x{type}>
      }}""" if workgroup else ""
    return f"""
    gpu.func @{name}(%in: memref<?x{type}>, %out: memref<{SLOTS}x{type}>){memory} kernel
        attributes {{known_block_size = array<i32: {LANES}, 1, 1>}} {{
      %t = gpu.thread_id x
      %i = gpu.global_id x
      %slots = arith.constant {SLOTS} : index
      %at = arith.remui %i, %slots : index
      %v = memref.load %in[%i] : memref<?x{type}>{bring}
      {update.format(target=f"{target}[%at]", shared=shared, type=type)}{back}
      gpu.return
    }}"""


def name_of(kind, type, workgroup):
    return f"atomic_{kind}_{type}_{'workgroup' if workgroup else 'buffer'}"


def atomics():
    """Runs memref.atomic_rmw of every kind, without a use of its result."""
    update = "%old = memref.atomic_rmw KIND %v, {target} : ({type}, {shared}) -> {type}"
    return module(kernel(name_of(kind, type, w), type, update.replace("KIND", kind), w)
                  for type, kinds in KINDS.items() for kind in kinds for w in (False, True))


def apply(kind, slot, value):
    if kind in ("minu", "maxu"):
        unsigned = slot.dtype.name.replace("int", "uint")
        pick = min if kind == "minu" else max
        return pick(slot, value, key=lambda x: int(x.view(unsigned)))
    if kind == "assign":
        return value
    function = {"addi": np.add, "addf": np.add, "muli": np.multiply, "mulf": np.multiply,
                "andi": np.bitwise_and, "ori": np.bitwise_or, "xori": np.bitwise_xor}.get(kind)
    return (function or (np.minimum if kind.startswith("min") else np.maximum))(slot, value)


def atomic(c, kind, type, workgroup):
    count = LANES * (1 if workgroup else GROUPS)
    brains = type == "bf16"
    if type.startswith("i"):
        dtype = np.dtype(f"int{type[1:]}")
        values, slots = c.integers(count, dtype=dtype), c.integers(SLOTS, dtype=dtype)
        if kind == "andi":
            values |= 0x55
        if kind == "muli":
            values |= 1
    else:  # small whole numbers and powers of two: exact in any order
        dtype = np.dtype(np.float32 if brains else f"float{type[1:]}")
        low, high = (-1, 2) if kind == "mulf" else (-9, 10)
        values = c.rng.integers(low, high, count).astype(dtype)
        slots = c.rng.integers(low, high, SLOTS).astype(dtype)
        if kind == "mulf":
            values = np.exp2(values).astype(dtype)
        elif kind not in ("addf", "assign"):
            values = values + c.floats(count, dtype=dtype, low=0, high=1)
            values = from_bf16(to_bf16(values)) if brains else values
    if kind == "assign":
        values[:] = values[0]
    expect = slots.copy()
    with np.errstate(over="ignore"):
        for i, value in enumerate(values):
            expect[i % SLOTS] = apply(kind, expect[i % SLOTS], value)
    groups = [1 if workgroup else GROUPS]
    if brains:
        return Launch([Buffer(to_bf16(values), type="bf16"),
                       Buffer(to_bf16(slots), to_bf16(expect), "bf16")], groups=groups)
    return Launch([Buffer(values), Buffer(slots, expect)], groups=groups)


for _type, _kinds in KINDS.items():
    for _kind in _kinds:
        for _w in (False, True):
            case(atomics, name_of(_kind, _type, _w),
                 quick=_kind in ("addi", "mins", "addf", "maximumf"),
                 refused=NO_INT64_ATOMICS if _type in ("i64", "f64") else ())(
                lambda c, kind=_kind, type=_type, w=_w: atomic(c, kind, type, w))


# Any function of the old value. ------------------------------------------------------------------

GENERIC = """%old = memref.generic_atomic_rmw {target} : {shared} {{
      ^bb0(%x: {type}):
        %seven = arith.constant 7 : {type}
        %a = arith.muli %x, %seven : {type}
        %b = arith.maxsi %a, %v : {type}
        %c = arith.xori %b, %seven : {type}
        memref.atomic_yield %c : {type}
      }}"""


def generic_atomics():
    """Uses one invocation, since the function is not commutative."""
    return module(kernel(f"generic_{type}_{'workgroup' if w else 'buffer'}", type, GENERIC, w)
                  .replace("array<i32: 32,", "array<i32: 5,")
                  for type in ("i8", "i16", "i32", "i64") for w in (False, True))


def generic(c, type, workgroup):
    dtype = np.dtype(f"int{type[1:]}")
    values, slots = c.integers(SLOTS, dtype=dtype), c.integers(SLOTS, dtype=dtype)
    expect = np.maximum(slots * dtype.type(7), values) ^ dtype.type(7)
    return Launch([Buffer(values), Buffer(slots, expect)])


for _type in ("i8", "i16", "i32", "i64"):
    for _w in (False, True):
        case(generic_atomics, f"generic_{_type}_{'workgroup' if _w else 'buffer'}", quick=True,
             refused=NO_INT64_ATOMICS if _type == "i64" else ())(
            lambda c, type=_type, w=_w: generic(c, type, w))


# The old value. ----------------------------------------------------------------------------------


def tickets():
    """Gives every invocation a number; none is given twice."""
    kernels = []
    for type in ("i8", "i16", "i32", "i64"):
        kernels.append(f"""
    gpu.func @ticket_{type}(%counter: memref<4x{type}>, %taken: memref<?xi32>) kernel
        attributes {{known_block_size = array<i32: 16, 1, 1>}} {{
      %c2 = arith.constant 2 : index
      %one = arith.constant 1 : {type}
      %unit = arith.constant 1 : i32
      %n = memref.atomic_rmw addi %one, %counter[%c2] : ({type}, memref<4x{type}>) -> {type}
      %at = arith.index_cast %n : {type} to index
      %old = memref.atomic_rmw addi %unit, %taken[%at] : (i32, memref<?xi32>) -> i32
      gpu.return
    }}""")
    return module(kernels)


def ticket(c, type):
    counter = np.array([-1, -1, 3, -1], f"int{type[1:]}")
    after = counter.copy()
    after[2] += 64
    taken = np.zeros(80, np.int32)
    taken[3:67] = 1
    return Launch([Buffer(counter, after), Buffer(np.zeros(80, np.int32), taken)], groups=[4])


for _type in ("i8", "i16", "i32", "i64"):
    case(tickets, f"ticket_{_type}", quick=True,
         refused=NO_INT64_ATOMICS if _type == "i64" else ())(lambda c, type=_type: ticket(c, type))
