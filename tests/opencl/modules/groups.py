"""Workgroups and subgroups: positions, barriers, collective operations, copies of workgroups, dot products."""
import numpy as np

from case import FLOATS, INTEGERS, Case, elementwise, of_width, random_of, signed
from cases.case import Buffer, result

COUNT, GROUP = 16, 4  # work-items, and those of a workgroup
WORKGROUP, SUBGROUP = 2, 3


def positions(rng):
    at = np.arange(COUNT)
    values = {"GlobalInvocationId": at, "LocalInvocationId": at % GROUP, "WorkgroupId": at // GROUP,
              "WorkgroupSize": at * 0 + GROUP, "NumWorkgroups": at * 0 + COUNT // GROUP, "GlobalSize": at * 0 + COUNT,
              "GlobalOffset": at * 0, "GlobalLinearId": at, "LocalInvocationIndex": at % GROUP, "WorkDim": at * 0 + 1,
              "EnqueuedWorkgroupSize": at * 0 + GROUP, "SubgroupId": at * 0, "NumSubgroups": at * 0 + 1,
              "SubgroupLocalInvocationId": at % GROUP}
    for name, expect in values.items():
        def emit(m, x, name=name):
            if name.startswith("Subgroup") or name == "NumSubgroups" or name == "WorkDim":
                return m.builtin(name)
            whole = m.builtin(name, None if name.endswith(("LinearId", "Index")) else 0)
            return whole if m.bits == 32 else m.op("OpUConvert", "i32", whole)
        versions = ("1.1", "1.2", "1.3") if "ubgroup" in name else ("1.0", "1.1", "1.2", "1.3", "1.4")
        yield elementwise(f"builtin/{name}", emit, ["i32"], ["i32"], [at.reshape(-1, 1).astype(np.uint32)],
                          [expect.reshape(-1, 1).astype(np.uint32)], versions=versions)


def barriers(rng):
    x = random_of(rng, "i32", COUNT)
    expect = x.reshape(-1, GROUP)[:, ::-1].reshape(-1, 1)
    for execution in ("OpControlBarrier", "OpMemoryBarrier"):
        for scope in (0, 1, 2):
            for order in (0x108, 0x110, 0x308, 0x310):
                def emit(m, v, scope=scope, order=order, execution=execution):
                    block = m.variable("local", m.array("i32", GROUP))
                    here = m.builtin("LocalInvocationId", 0)
                    t = m.pointer("local", "i32")
                    m.do("OpStore", m.op("OpInBoundsAccessChain", t, block, here), v)
                    if execution == "OpMemoryBarrier":
                        m.do(execution, m.constant("i32", scope), m.constant("i32", order))
                    m.do("OpControlBarrier", m.constant("i32", WORKGROUP), m.constant("i32", scope), m.constant("i32", order))
                    other = m.op("OpISub", "size", m.constant("size", GROUP - 1), here)
                    return m.op("OpLoad", "i32", m.op("OpInBoundsAccessChain", t, block, other))
                yield elementwise(f"{execution}/{scope}-{order}", emit, ["i32"], ["i32"], [x], [expect])


def combined(values, function, how):
    """Applies a function to the values of each workgroup, as a reduction or a scan."""
    out = []
    for group in values.reshape(-1, GROUP).tolist():
        for i in range(GROUP):
            taken = {"Reduce": group, "InclusiveScan": group[:i + 1], "ExclusiveScan": group[:i]}[how]
            out.append(function(taken))
    return out


def collectives(rng):
    for scope in (WORKGROUP, SUBGROUP):
        name = "workgroup" if scope == WORKGROUP else "subgroup"
        for element in ("i32", "i64"):
            bits = int(element[1:])
            top = 1 << bits - 1
            x = random_of(rng, element, COUNT)
            sign = lambda v, b=bits: signed(v, b)  # noqa: E731
            table = {"IAdd": sum, "UMin": lambda v: min(v, default=2 * top - 1), "UMax": lambda v: max(v, default=0),
                     "SMin": lambda v: min(map(sign, v), default=top - 1), "SMax": lambda v: max(map(sign, v), default=-top)}
            for operation, function in table.items():
                for how in ("Reduce", "InclusiveScan", "ExclusiveScan"):
                    found = [v % (2 * top) for v in combined(x, function, how)]
                    yield collective(f"Group{operation}/{element}-{name}-{how}", f"OpGroup{operation}", element, scope,
                                     how, x, np.array(found, x.dtype))
        for element in FLOATS:
            x = random_of(rng, element, COUNT, -8, 8)
            x = np.floor(x)
            table = {"FAdd": sum, "FMin": lambda v: min(v, default=np.inf), "FMax": lambda v: max(v, default=-np.inf)}
            for operation, function in table.items():
                for how in ("Reduce", "InclusiveScan", "ExclusiveScan"):
                    yield collective(f"Group{operation}/{element}-{name}-{how}", f"OpGroup{operation}", element, scope, how,
                                     x, np.array(combined(x, function, how), x.dtype))
        yield from votes(rng, scope, name)


def collective(name, operation, element, scope, how, x, expect):
    def emit(m, v):
        m.needs("Groups")
        return m.op(operation, element, m.constant("i32", scope), how, v)
    return elementwise(name, emit, [element], [element], [x], [expect.reshape(-1, 1)])


def votes(rng, scope, name):
    x = random_of(rng, "bool", COUNT)
    groups = x.reshape(-1, GROUP)
    groups[0], groups[1] = 1, 0
    for operation, expect in (("All", groups.all(1)), ("Any", groups.any(1))):
        def emit(m, v, operation=operation):
            m.needs("Groups")
            return m.op(f"OpGroup{operation}", "bool", m.constant("i32", scope), v)
        yield elementwise(f"Group{operation}/{name}", emit, ["bool"], ["bool"], [x.copy()],
                          [np.repeat(expect, GROUP).astype(np.uint8).reshape(-1, 1)])
    for element in (*INTEGERS, *FLOATS):
        v = random_of(rng, element, COUNT)
        for lane in range(GROUP):
            for index in ("i32", "size"):
                if index == "size" and scope == SUBGROUP:
                    continue

                def emit(m, given, lane=lane, element=element, index=index):
                    m.needs("Groups")
                    return m.op("OpGroupBroadcast", element, m.constant("i32", scope), given, m.constant(index, lane))
                expect = np.repeat(v.reshape(-1, GROUP)[:, lane], GROUP).reshape(-1, 1)
                yield elementwise(f"GroupBroadcast/{element}-{name}-{lane}-{index}", emit, [element], [element], [v], [expect])


def subgroups(rng):
    """Instructions of SPIR-V 1.3."""
    three = {"versions": ("1.3", "1.4")}
    lane = np.arange(COUNT) % GROUP
    for element in ("i8", "i16", "i32", "i64", "f16", "f32", "f64"):
        x = random_of(rng, element, COUNT)
        groups = x.reshape(-1, GROUP)
        where = {"Shuffle": ("GroupNonUniformShuffle", (lane + 1) % GROUP, (lane + 1) % GROUP),
                 "ShuffleXor": ("GroupNonUniformShuffle", lane * 0 + 1, lane ^ 1)}
        for operation, (capability, operand, source) in where.items():
            def emit(m, v, i, operation=operation, capability=capability, element=element):
                m.needs(capability)
                return m.op(f"OpGroupNonUniform{operation}", element, m.constant("i32", SUBGROUP), v, i)
            expect = np.take_along_axis(groups, source.reshape(-1, GROUP), 1).reshape(-1, 1)
            operand = np.ascontiguousarray(np.broadcast_to(operand, COUNT)).reshape(-1, 1).astype(np.uint32)
            yield elementwise(f"{operation}/{element}", emit, [element], [element, "i32"], [x, operand], [expect], **three)
        def first(m, v, element=element):
            m.needs("GroupNonUniformBallot")
            return m.op("OpGroupNonUniformBroadcastFirst", element, m.constant("i32", SUBGROUP), v)
        yield elementwise(f"BroadcastFirst/{element}", first, [element], [element], [x],
                          [np.repeat(groups[:, 0], GROUP).reshape(-1, 1)], **three)
    x = random_of(rng, "bool", COUNT)
    groups = x.reshape(-1, GROUP)
    equal = (groups.min(1) == groups.max(1))
    for operation, expect in (("All", groups.all(1)), ("Any", groups.any(1)), ("AllEqual", equal)):
        def vote(m, v, operation=operation):
            m.needs("GroupNonUniformVote")
            return m.op(f"OpGroupNonUniform{operation}", "bool", m.constant("i32", SUBGROUP), v)
        yield elementwise(f"{operation}/bool", vote, ["bool"], ["bool"], [x],
                          [np.repeat(expect, GROUP).astype(np.uint8).reshape(-1, 1)], **three)
    def elect(m, v):
        m.needs("GroupNonUniform")
        return m.op("OpGroupNonUniformElect", "bool", m.constant("i32", SUBGROUP))
    yield elementwise("Elect", elect, ["bool"], ["bool"], [x], [(lane == 0).astype(np.uint8).reshape(-1, 1)], **three)
    ballots = (groups << np.arange(GROUP)).sum(1)

    def ballot(m, v):
        m.needs("GroupNonUniformBallot")
        made = m.op("OpGroupNonUniformBallot", "i32x4", m.constant("i32", SUBGROUP), v)
        return m.op("OpCompositeExtract", "i32", made, 0)
    yield elementwise("Ballot", ballot, ["i32"], ["bool"], [x],
                      [np.repeat(ballots, GROUP).astype(np.uint32).reshape(-1, 1)], **three)
    yield from arithmetic(rng, three)


def arithmetic(rng, three):
    bitwise = lambda f, start: (lambda v: f(start, *v))  # noqa: E731

    def xor(*v):
        total = 0
        for one in v:
            total ^= one
        return total
    for element in ("i32", "i64"):
        bits = int(element[1:])
        x = random_of(rng, element, COUNT)
        for operation, function in {"IAdd": sum, "BitwiseXor": bitwise(xor, 0),
                                    "IMul": lambda v: int(np.prod([int(i) for i in v], dtype=object)) if v else 1}.items():
            for how in ("Reduce", "InclusiveScan", "ExclusiveScan"):
                def emit(m, v, operation=operation, how=how, element=element):
                    m.needs("GroupNonUniformArithmetic")
                    return m.op(f"OpGroupNonUniform{operation}", element, m.constant("i32", SUBGROUP), how, v)
                found = [v % (1 << bits) for v in combined(x, function, how)]
                yield elementwise(f"{operation}/{element}-{how}", emit, [element], [element], [x],
                                  [np.array(found, x.dtype).reshape(-1, 1)], **three)


def async_copies(rng):
    for element in (*INTEGERS, *FLOATS):
        for width in (1, 2, 4, 8, 16):
            t = of_width(element, width)
            x = random_of(rng, t, COUNT)

            def build(m, t=t):
                out, inside = m.kernel("k", m.pointer("global", t), m.pointer("global", t))
                event, block = m.declare("OpTypeEvent"), m.variable("local", m.array(t, GROUP))
                group, scope = m.builtin("WorkgroupId", 0), m.constant("i32", WORKGROUP)
                start = m.op("OpIMul", "size", group, m.constant("size", GROUP))
                room = m.op("OpInBoundsAccessChain", m.pointer("local", t), block, m.constant("size", 0))
                many, one = m.constant("size", GROUP), m.constant("size", 1)
                for to, of in ((room, m.element(inside, t, start)), (m.element(out, t, start), room)):
                    made = m.op("OpGroupAsyncCopy", event, scope, to, of, many, one, m.null(event))
                    events = m.variable("own", event)
                    m.do("OpStore", events, made)
                    m.do("OpGroupWaitEvents", scope, m.constant("i32", 1), events)
                    m.do("OpControlBarrier", scope, scope, m.constant("i32", 0x308))
                m.end()
            yield Case(f"GroupAsyncCopy/{t}", build, [result(x.reshape(-1)), Buffer(x.reshape(-1))])


def dots(rng):
    for signs in ("SDot", "UDot", "SUDot"):
        for saturates in (False, True):
            x, y, c = (random_of(rng, "i32", COUNT) for _ in range(3))
            a, b = (v.view(np.uint8).reshape(COUNT, 4).astype(np.int64) for v in (x, y))
            if signs[0] == "S":
                a = a - 256 * (a > 127)
            if signs == "SDot":
                b = b - 256 * (b > 127)
            total = (a * b).sum(1)
            if saturates:
                if signs == "UDot":
                    total = np.minimum(total + c[:, 0].astype(np.int64), (1 << 32) - 1)
                else:
                    total = np.clip(total + c[:, 0].astype(np.int32), -1 << 31, (1 << 31) - 1)

            def emit(m, p, q, r, signs=signs, saturates=saturates):
                m.needs("DotProductKHR", "DotProductInput4x8BitPackedKHR")
                m.extension("SPV_KHR_integer_dot_product")
                more = [r] if saturates else []
                return m.op(f"Op{signs}{'AccSat' if saturates else ''}KHR", "i32", p, q, *more, "PackedVectorFormat4x8BitKHR")
            yield elementwise(f"{signs}/{saturates}", emit, ["i32"], ["i32"] * 3, [x, y, c],
                              [(total % (1 << 32)).astype(np.uint32).reshape(-1, 1)])


def cases(rng):
    for family in (positions, barriers, collectives, subgroups, async_copies, dots):
        yield from family(rng)
