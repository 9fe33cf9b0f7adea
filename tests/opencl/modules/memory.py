"""Memory: copies, composites, pointers of all storage classes, vector loads, atomics."""
import numpy as np

from case import FLOATS, INTEGERS, NUMPY, WIDTHS, elementwise, of_width, random_of, rows
from module import STORAGE, alignment

SCOPES = {"device": 1, "workgroup": 2, "subgroup": 3, "invocation": 4, "all": 0}
RELAXED, ACQUIRE, RELEASE, BOTH, SEQUENTIAL = 0, 2, 4, 8, 16
PLACES = {"global": 0x200, "local": 0x100}


def place(m, storage, of):
    """Returns a pointer to a variable of this invocation in a storage class, and its pointer type."""
    if storage == "own":
        return m.variable("own", of), m.pointer("own", of)
    if storage == "generic":
        return m.op("OpPtrCastToGeneric", m.pointer("generic", of), m.variable("own", of)), m.pointer("generic", of)
    array = m.array(of, 4 if storage == "local" else 64)
    block = m.variable(storage, array, m.null(array) if storage == "global" else "")
    at = m.builtin("LocalInvocationId" if storage == "local" else "GlobalInvocationId", 0)
    pointer = m.pointer(storage, of)
    return m.op("OpInBoundsAccessChain", pointer, block, at), pointer


def copies(rng):
    for element in (*INTEGERS, *FLOATS):
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            x = random_of(rng, t, n)
            for storage in ("own", "local", "global", "generic"):
                for how in ("OpStore", "OpCopyMemory", "OpCopyMemorySized", "Volatile", "Nontemporal"):
                    yield elementwise(f"{how}/{t}-{storage}", copying(t, storage, how), [t], [t], [x], [x])


def copying(t, storage, how):
    def emit(m, x):
        there, _ = place(m, storage, t)
        if how in ("OpCopyMemory", "OpCopyMemorySized"):
            first = m.variable("own", t)
            m.do("OpStore", first, x)
            if how == "OpCopyMemory":
                m.do(how, there, first)
            else:
                size = m.constant("size", alignment(t, m.bits))
                byte = lambda p, s: m.op("OpBitcast", m.pointer(s, "i8"), p)  # noqa: E731
                m.do(how, byte(there, storage), byte(first, "own"), size, "Aligned", alignment(t, m.bits))
            return m.op("OpLoad", t, there)
        access = [] if how == "OpStore" else [how]
        m.do("OpStore", there, x, *access)
        return m.op("OpLoad", t, there, *access)
    return emit


def composites(rng):
    for element in (*INTEGERS, *FLOATS, "bool"):
        for width in WIDTHS[1:]:
            t, n = of_width(element, width), rows(width)
            x, y, s = random_of(rng, t, n), random_of(rng, t, n), random_of(rng, element, n)
            at = random_of(rng, "i32", n, 0, width)
            index = at.astype(np.int64)
            yield elementwise(f"VectorExtractDynamic/{t}", lambda m, a, i, e=element: m.op("OpVectorExtractDynamic", e, a, i),
                              [element], [t, "i32"], [x, at], [np.take_along_axis(x, index, 1)])
            expect = x.copy()
            np.put_along_axis(expect, index, s, 1)
            yield elementwise(f"VectorInsertDynamic/{t}", lambda m, a, v, i, t=t: m.op("OpVectorInsertDynamic", t, a, v, i),
                              [t], [t, element, "i32"], [x, s, at], [expect])
            order = rng.permutation(2 * width)[:width]
            yield elementwise(f"VectorShuffle/{t}", lambda m, a, b, t=t, o=order: m.op("OpVectorShuffle", t, a, b, *o),
                              [t], [t, t], [x, y], [np.concatenate([x, y], 1)[:, order]])
            yield from constructed(rng, element, width, t, x, s)


def constructed(rng, element, width, t, x, s):
    last = width - 1

    def build(m, a):
        each = [m.op("OpCompositeExtract", element, a, i) for i in range(width)]
        return m.op("OpCompositeConstruct", t, *reversed(each))
    yield elementwise(f"CompositeConstruct/{t}", build, [t], [t], [x], [x[:, ::-1]])
    if width >= 4:
        def halves(m, a):
            half = of_width(element, width // 2)
            low = m.op("OpVectorShuffle", half, a, a, *range(width // 2))
            high = m.op("OpVectorShuffle", half, a, a, *range(width // 2, width))
            return m.op("OpCompositeConstruct", t, high, low)
        swapped = np.concatenate([x[:, width // 2:], x[:, :width // 2]], 1)
        yield elementwise(f"CompositeConstruct/{t}-of-halves", halves, [t], [t], [x], [swapped])
    expect = x.copy()
    expect[:, last] = s[:, 0]
    yield elementwise(f"CompositeInsert/{t}", lambda m, a, v: m.op("OpCompositeInsert", t, v, a, last), [t], [t, element],
                      [x, s], [expect])

    def nested(m, a, v):
        record = m.struct(m.array(t, 2), element, t)
        whole = m.op("OpUndef", record)
        whole = m.op("OpCompositeInsert", record, a, whole, "0 1")
        whole = m.op("OpCompositeInsert", record, v, whole, f"2 {last}")
        whole = m.op("OpCompositeInsert", record, v, whole, f"0 1 {last}")
        whole = m.op("OpCopyObject", record, whole)
        return m.op("OpCompositeExtract", t, whole, "0 1"), m.op("OpCompositeExtract", element, whole, f"2 {last}")
    yield elementwise(f"nested/{t}", nested, [t, element], [t, element], [x, s], [expect, s])

    def in_memory(m, a, v):
        if element == "bool":
            return nested(m, a, v)
        record = m.struct("i8", m.array(t, 3), element)
        there = m.variable("own", record)
        at = m.builtin("LocalInvocationId", 0)
        at = m.op("OpUMod", "size", at, m.constant("size", 3))
        steps = [m.constant("i32", 1), at]
        m.do("OpStore", m.op("OpInBoundsAccessChain", m.pointer("own", t), there, *steps), a)
        m.do("OpStore", m.op("OpAccessChain", m.pointer("own", element), there, *steps, m.constant("i32", last)), v)
        m.do("OpStore", m.op("OpAccessChain", m.pointer("own", element), there, m.constant("i32", 2)), v)
        whole = m.op("OpLoad", record, there)
        return (m.op("OpLoad", t, m.op("OpAccessChain", m.pointer("own", t), there, *steps)),
                m.op("OpCompositeExtract", element, whole, 2))
    yield elementwise(f"AccessChain/{t}", in_memory, [t, element], [t, element], [x, s], [expect, s])


def pointers(rng):
    x = random_of(rng, "i32", 16)
    for storage in ("own", "local", "global"):
        code = {"own": 0, "local": 0x100, "global": 0x200}[storage]
        yield elementwise(f"GenericPtrMemSemantics/{storage}", semantics_of(storage), ["i32"], ["i32"], [x],
                          [np.full((16, 1), code, np.uint32)])
        for other in ("own", "local", "global"):
            for how in ("direct", "selected", "called"):
                expect = x if other == storage else np.full_like(x, 77)
                yield elementwise(f"GenericCastToPtrExplicit/{storage}-{other}-{how}", casting(storage, other, how), ["i32"],
                                  ["i32"], [x], [expect])
        for how in ("number", "selected", "stored", "bitcast"):
            # Addresses of the CPU device have 64 bits, so an integer of 32 bits cannot hold them.
            bits = (64,) if how == "number" else (64, 32)
            yield elementwise(f"pointer/{storage}-{how}", using(storage, how), ["i32"], ["i32"], [x], [x], bits=bits)
        for operation in ("PtrEqual", "PtrNotEqual", "PtrDiff"):
            for distance in (0, 1):
                expect = {"PtrEqual": distance == 0, "PtrNotEqual": distance != 0, "PtrDiff": distance}[operation]
                yield elementwise(f"{operation}/{storage}-{distance}", comparing(storage, operation, distance), ["i32"],
                                  ["i32"], [x], [np.full((16, 1), int(expect), np.uint32)], versions=("1.4",))


def to_generic(m, storage, t="i32"):
    there, _ = place(m, storage, t)
    return there, m.op("OpPtrCastToGeneric", m.pointer("generic", t), there)


def semantics_of(storage):
    def emit(m, x):
        there, generic = to_generic(m, storage)
        m.do("OpStore", there, x)
        seen = m.op("OpGenericPtrMemSemantics", "i32", generic)
        return m.op("OpBitwiseAnd", "i32", seen, m.constant("i32", 0x300))
    return emit


def casting(storage, other, how):
    def emit(m, x):
        there, generic = to_generic(m, storage)
        m.do("OpStore", there, x)
        if how == "selected":
            _, second = to_generic(m, storage)
            first = m.op("OpULessThan", "bool", x, m.constant("i32", 0))
            generic = m.op("OpSelect", m.pointer("generic", "i32"), first, second, generic)
        elif how == "called":
            kept = m.body, m.variables
            name, given = m.function(m.pointer("generic", "i32"), m.pointer("generic", "i32"))
            m.end(given)
            m.body, m.variables = kept
            generic = m.op("OpFunctionCall", m.pointer("generic", "i32"), name, generic)
        wanted = m.pointer(other, "i32")
        made = m.op("OpGenericCastToPtrExplicit", wanted, generic, STORAGE[other])
        number = m.op("OpConvertPtrToU", "size", made)
        right, wrong, end = m.fresh(), m.fresh(), m.fresh()
        m.do("OpBranchConditional", m.op("OpINotEqual", "bool", number, m.constant("size", 0)), right, wrong)
        m.label(right)
        seen = m.op("OpLoad", "i32", made)
        m.do("OpBranch", end)
        m.label(wrong)
        m.do("OpBranch", end)
        m.label(end)
        return m.op("OpPhi", "i32", seen, right, m.constant("i32", 77), wrong)
    return emit


def using(storage, how):
    def emit(m, x):
        there, t = place(m, storage, "i32")
        m.do("OpStore", there, x)
        if how == "number":
            there = m.op("OpConvertUToPtr", t, m.op("OpConvertPtrToU", "size", there))
        elif how == "selected":
            there = m.op("OpSelect", t, m.op("OpIEqual", "bool", x, x), there, m.null(t))
        elif how == "stored":
            holder = m.variable("own", t)
            m.do("OpStore", holder, there)
            there = m.op("OpLoad", t, holder)
        else:
            bytes_ = m.op("OpBitcast", m.pointer(storage, "i8x4"), there)
            return m.op("OpBitcast", "i32", m.op("OpLoad", "i8x4", bytes_))
        return m.op("OpLoad", "i32", there)
    return emit


def comparing(storage, operation, distance):
    def emit(m, x):
        array, t = m.array("i32", 4), m.pointer(storage, "i32")
        block = m.variable(storage, array, m.null(array) if storage == "global" else "")
        first, second = (m.op("OpAccessChain", t, block, m.constant("size", i)) for i in (1 + distance, 1))
        if operation == "PtrDiff":
            made = m.op("OpPtrDiff", "size", first, second)
            return made if m.bits == 32 else m.op("OpUConvert", "i32", made)
        made = m.op(f"Op{operation}", "bool", first, second)
        return m.op("OpSelect", "i32", made, m.constant("i32", 1), m.constant("i32", 0))
    return emit


def vector_loads(rng):
    for element in (*INTEGERS, *FLOATS):
        for width in WIDTHS[1:]:
            t, n = of_width(element, width), rows(width)
            x = random_of(rng, t, n)
            for storage in ("own", "local", "global", "generic"):
                yield elementwise(f"vstoren/{t}-{storage}", through(element, width, storage), [t], [t], [x], [x])
    for element in ("f32", "f64"):
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            x = random_of(rng, t, n).astype(np.float16).astype(NUMPY[element])
            for storage in ("own", "local", "global"):
                for aligned in ("", "a") if width > 1 else ("",):
                    for mode in (None, "RTE", "RTZ", "RTP", "RTN"):
                        yield elementwise(f"vstore{aligned}_half/{t}-{storage}-{mode}",
                                          halves_in(element, width, storage, aligned, mode), [t], [t], [x], [x])


def through(element, width, storage):
    def emit(m, x):
        t, array = of_width(element, width), m.array(element, 4 * width)
        scalar = m.pointer("own" if storage == "generic" else storage, element)
        kind = "own" if storage == "generic" else storage
        block = m.variable(kind, array, m.null(array) if storage == "global" else "")
        at = m.builtin("LocalInvocationId", 0)
        start = m.op("OpInBoundsAccessChain", scalar, block, m.constant("size", 0))
        if storage == "generic":
            start = m.op("OpPtrCastToGeneric", m.pointer("generic", element), start)
        if storage == "global":  # shared by all workgroups
            return x
        m.std("vstoren", "void", x, at, start)
        return m.std("vloadn", t, at, start, width)
    return emit


def halves_in(element, width, storage, aligned, mode):
    def emit(m, x):
        t, places = of_width(element, width), 4 if width == 3 else width
        array = m.array("f16", 4 * places if storage == "local" else places)
        block = m.variable("own" if storage == "global" else storage, array)
        kind = "own" if storage == "global" else storage
        start = m.op("OpInBoundsAccessChain", m.pointer(kind, "f16"), block, m.constant("size", 0))
        at = m.builtin("LocalInvocationId", 0) if storage == "local" else m.constant("size", 0)
        ends = "half" if width == 1 else "halfn"
        m.std(f"vstore{aligned}_{ends}{'_r' if mode else ''}", "void", x, at, start, *([mode] if mode else []))
        loaded = m.std(f"vload{aligned}_{ends}", of_width("f32", width), at, start, *([width] if width > 1 else []))
        return loaded if element == "f32" else m.op("OpFConvert", t, loaded)
    return emit


ATOMICS = {"IAdd": lambda a, b, s: a + b, "ISub": lambda a, b, s: a - b, "And": lambda a, b, s: a & b,
           "Or": lambda a, b, s: a | b, "Xor": lambda a, b, s: a ^ b, "UMin": lambda a, b, s: min(a, b),
           "UMax": lambda a, b, s: max(a, b), "SMin": lambda a, b, s: min(a, b, key=s),
           "SMax": lambda a, b, s: max(a, b, key=s), "Exchange": lambda a, b, s: b}


def atomics(rng):
    for element in ("i32", "i64"):
        bits = int(element[1:])
        sign = lambda v, n=bits: v - (1 << n) if v >> n - 1 else v  # noqa: E731
        x, y = random_of(rng, element, 16), random_of(rng, element, 16)
        y[::4] = x[::4]
        pairs = list(zip(x[:, 0].tolist(), y[:, 0].tolist()))
        table = dict(ATOMICS, IIncrement=lambda a, b, s: a + 1, IDecrement=lambda a, b, s: a - 1, Load=lambda a, b, s: a,
                     Store=lambda a, b, s: b, CompareExchange=lambda a, b, s: 5 if a == b else a)
        for name, function in table.items():
            after = np.array([function(a, b, sign) % (1 << bits) for a, b in pairs], x.dtype).reshape(-1, 1)
            for storage in ("local", "global", "own", "generic"):
                for scope, number in SCOPES.items():
                    order = (RELAXED, ACQUIRE, RELEASE, BOTH, SEQUENTIAL)[(number + len(name)) % 5]
                    if name in ("Load", "Store") and order in (ACQUIRE, RELEASE, BOTH):
                        order = SEQUENTIAL
                    yield elementwise(f"Atomic{name}/{element}-{storage}-{scope}-{order}",
                                      updating(element, name, storage, number, order), [element, element],
                                      [element, element], [x, y], [x, after])



def updating(element, name, storage, scope, order):
    def emit(m, x, y):
        if element == "i64":
            m.needs("Int64Atomics")
        there, _ = place(m, storage, element)
        m.do("OpStore", there, x)
        where = m.constant("i32", scope), m.constant("i32", order | PLACES.get(storage, 0))
        if name == "Store":
            m.do("OpAtomicStore", there, *where, y)
            old = x
        elif name == "CompareExchange":
            unequal = m.constant("i32", 0 if order in (RELAXED, RELEASE) else ACQUIRE | PLACES.get(storage, 0))
            old = m.op("OpAtomicCompareExchange", element, there, *where, unequal, m.constant(element, 5), y)
        else:
            old = m.op(f"OpAtomic{name}", element, there, *where, *([y] if name in ATOMICS else []))
        return old, m.op("OpLoad", element, there)
    return emit


def flags(rng):
    for storage in ("local", "global", "generic"):
        def emit(m, x, storage=storage):
            there, _ = place(m, storage, "i32")
            where = m.constant("i32", 1), m.constant("i32", 0)
            m.do("OpAtomicFlagClear", there, *where)
            first = m.op("OpAtomicFlagTestAndSet", "bool", there, *where)
            second = m.op("OpAtomicFlagTestAndSet", "bool", there, *where)
            return first, second
        x, zeros = random_of(rng, "i32", 16), np.zeros((16, 1), np.uint8)
        yield elementwise(f"AtomicFlag/{storage}", emit, ["bool", "bool"], ["i32"], [x], [zeros, zeros + 1])


def cases(rng):
    for family in (copies, composites, pointers, vector_loads, atomics, flags):
        yield from family(rng)
