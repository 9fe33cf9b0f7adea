"""Control flow, functions, constants, decorations, entry points and arguments of kernels."""
import numpy as np

from case import FLOATS, INTEGERS, NUMPY, WIDTHS, Case, elementwise, of_width, random_of, rows
from cases.case import Buffer, Local, result
from module import alignment, parts

EVERY = (*INTEGERS, *FLOATS)


def branches(rng):
    x = random_of(rng, "i32", 16)
    for element in INTEGERS:
        for falls in (False, True):
            s = random_of(rng, element, 16, 0, 6)
            expect = np.array([{0: 10, 3: 30, 4: 30 if not falls else 70}.get(v, 70) for v in s[:, 0].tolist()], np.uint32)
            yield elementwise(f"Switch/{element}-{falls}", switching(element, falls), ["i32"], [element], [s],
                              [expect.reshape(-1, 1)])
    for hint in ("", "None", "Flatten", "DontFlatten"):
        yield elementwise(f"BranchConditional/{hint or 'unmarked'}", choosing(hint), ["i32"], ["i32"], [x],
                          [np.where(x < 1 << 31, x + 1, x * 2).astype(np.uint32)])
    n = random_of(rng, "i32", 16, 0, 40)
    for hint in ("", "None", "Unroll", "DontUnroll"):
        yield elementwise(f"loop/{hint or 'unmarked'}", looping(hint), ["i32"], ["i32"], [n], [n * (n - 1) // 2])
    yield elementwise("loop/two-entries", irreducible, ["i32"], ["i32"], [n], [irreducible_result(n)])
    for element in (*EVERY, "bool"):
        for width in WIDTHS:
            t, count = of_width(element, width), rows(width)
            a, b, c = random_of(rng, t, count), random_of(rng, t, count), random_of(rng, "bool", count)
            yield elementwise(f"Phi/{t}", merging(t), [t], ["bool", t, t], [c, a, b], [np.where(c, a, b)])


def switching(element, falls):
    def emit(m, s):
        zero, three, four, other, end = (m.fresh() for _ in range(5))
        m.do("OpSwitch", s, other, 0, zero, 3, three, 4, four)
        values = {}
        for label, value, following in ((zero, 10, end), (three, 30, end), (four, 30, other if falls else end),
                                        (other, 70, end)):
            m.label(label)
            values[label] = m.constant("i32", value)
            m.do("OpBranch", following)
        m.label(end)
        merged = [v for label in (zero, three, other) for v in (values[label], label)]
        return m.op("OpPhi", "i32", *merged, *([] if falls else [values[four], four]))
    return emit


def choosing(hint):
    def emit(m, x):
        below, above, end = m.fresh(), m.fresh(), m.fresh()
        c = m.op("OpULessThan", "bool", x, m.constant("i32", 1 << 31))
        if hint:
            m.do("OpSelectionMerge", end, hint)
        m.do("OpBranchConditional", c, below, above, *([] if hint else [3, 1]))
        m.label(below)
        a = m.op("OpIAdd", "i32", x, m.constant("i32", 1))
        m.do("OpBranch", end)
        m.label(above)
        b = m.op("OpIMul", "i32", x, m.constant("i32", 2))
        m.do("OpBranch", end)
        m.label(end)
        return m.op("OpPhi", "i32", a, below, b, above)
    return emit


def looping(hint):
    def emit(m, n):
        before, head, test, body, end = (m.fresh() for _ in range(5))
        total, i, sums, following = m.fresh(), m.fresh(), m.fresh(), m.fresh()
        zero, one = m.constant("i32", 0), m.constant("i32", 1)
        m.do("OpBranch", before)
        m.label(before)
        m.do("OpBranch", head)
        m.label(head)
        int_ = m.type("i32")
        m.body.append(f"{i} = OpPhi {int_} {zero} {before} {following} {body}")
        m.body.append(f"{total} = OpPhi {int_} {zero} {before} {sums} {body}")
        if hint:
            m.do("OpLoopMerge", end, body, hint)
        m.do("OpBranch", test)
        m.label(test)
        m.do("OpBranchConditional", m.op("OpULessThan", "bool", i, n), body, end)
        m.label(body)
        m.body.append(f"{sums} = OpIAdd {int_} {total} {i}")
        m.body.append(f"{following} = OpIAdd {int_} {i} {one}")
        m.do("OpBranch", head)
        m.label(end)
        return m.op("OpCopyObject", "i32", total)
    return emit


def irreducible_result(n):
    """Odd numbers enter at the second block, which adds 2. The first block triples, until the number reaches 100."""
    def one(value):
        if value % 2 == 0:
            value *= 3
        value += 2
        while value < 100:
            value = value * 3 + 2
        return value
    return np.array([one(v) for v in n[:, 0].tolist()], np.uint32).reshape(-1, 1)


def irreducible(m, n):
    head, first, second, end = (m.fresh() for _ in range(4))
    m.do("OpBranch", head)
    m.label(head)
    odd = m.op("OpINotEqual", "bool", m.op("OpBitwiseAnd", "i32", n, m.constant("i32", 1)), m.constant("i32", 0))
    m.do("OpBranchConditional", odd, second, first)
    m.label(first)
    tripled, added, int_ = m.fresh(), m.fresh(), m.type("i32")
    value = m.op("OpPhi", "i32", n, head, added, second)
    three, two = m.constant("i32", 3), m.constant("i32", 2)
    m.body.append(f"{tripled} = OpIMul {int_} {value} {three}")
    m.do("OpBranch", second)
    m.label(second)
    value = m.op("OpPhi", "i32", n, head, tripled, first)
    m.body.append(f"{added} = OpIAdd {int_} {value} {two}")
    m.do("OpBranchConditional", m.op("OpULessThan", "bool", added, m.constant("i32", 100)), first, end)
    m.label(end)
    return m.op("OpCopyObject", "i32", added)


def merging(t):
    def emit(m, c, a, b):
        one, other, end = m.fresh(), m.fresh(), m.fresh()
        m.do("OpBranchConditional", c, one, other)
        for label in (one, other):
            m.label(label)
            m.do("OpBranch", end)
        m.label(end)
        return m.op("OpPhi", t, a, one, b, other)
    return emit


def functions(rng):
    for element in EVERY:
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            x = random_of(rng, t, n)
            for control in ("None", "Inline", "DontInline", "Pure", "Const", "Inline|Pure|Const"):
                yield elementwise(f"FunctionCall/{t}-{control}", calling(t, control), [t], [t], [x], [x])
            for how in ("struct", "pointer", "array", "exported", "odr", "nested"):
                yield elementwise(f"FunctionCall/{t}-{how}", calling(t, "None", how), [t], [t], [x], [x])
    for attribute in ("Zext", "Sext"):
        for element in ("i8", "i16"):
            x = random_of(rng, element, 16)
            yield elementwise(f"FuncParamAttr/{element}-{attribute}", extending(element, attribute), [element], [element],
                              [x], [x])


def extending(element, attribute):
    def emit(m, x):
        kept = m.body, m.variables
        name, given = m.function(element, element)
        m.decorate(given, f"FuncParamAttr {attribute}")
        m.decorate(name, f"FuncParamAttr {attribute}")
        m.end(given)
        m.body, m.variables = kept
        return m.op("OpFunctionCall", element, name, x)
    return emit


def calling(t, control, how=""):
    def emit(m, x):
        kept = m.body, m.variables
        passed, returned = t, t
        if how in ("struct", "array"):
            passed = returned = m.struct("i8", t) if how == "struct" else m.array(t, 2)
        elif how == "pointer":
            passed, returned = m.pointer("own", t), "void"
        inner = None
        if how == "nested":
            inner, given = m.function(t, t)
            m.end(given)
        name, given, *_ = m.function(returned, passed, *(["i32"] * 9 if how == "exported" else []), control=control)
        if how in ("exported", "odr"):
            m.needs("Linkage")
            if how == "odr":
                m.extension("SPV_KHR_linkonce_odr")
            m.decorate(name, f'LinkageAttributes "helper" {"Export" if how == "exported" else "LinkOnceODR"}')
        if how == "pointer":
            for text in ("FuncParamAttr NoAlias", "FuncParamAttr NoCapture", "Restrict"):
                m.decorate(given, text)
            m.do("OpStore", given, m.op("OpLoad", t, given))
            m.end()
        else:
            m.end(m.op("OpFunctionCall", t, inner, given) if inner else given)
        m.body, m.variables = kept
        if how == "pointer":
            there = m.variable("own", t)
            m.do("OpStore", there, x)
            m.op("OpFunctionCall", "void", name, there)
            return m.op("OpLoad", t, there)
        if how in ("struct", "array"):
            whole = m.op("OpCompositeInsert", passed, x, m.op("OpUndef", passed), 1)
            return m.op("OpCompositeExtract", t, m.op("OpFunctionCall", passed, name, whole), 1)
        return m.op("OpFunctionCall", t, name, x, *([m.constant("i32", i) for i in range(9)] if how == "exported" else []))
    return emit


def constants(rng):
    for element in (*EVERY, "bool"):
        for width in WIDTHS:
            t, n = of_width(element, width), rows(width)
            value = random_of(rng, t, 1)
            each = np.repeat(value, n, axis=0)
            text = value[0].tolist() if width > 1 else value[0, 0].item()
            yield constant_case(f"Constant/{t}", t, n, each, lambda m, t=t, v=text: m.constant(t, v))
            yield constant_case(f"ConstantNull/{t}", t, n, each * 0, lambda m, t=t: m.null(t))
            yield constant_case(f"Undef/{t}", t, n, each, lambda m, t=t, v=text: m.op(
                "OpSelect", t, truth(m, t), m.constant(t, v), m.op("OpUndef", t)))
            yield constant_case(f"SpecConstant/{t}", t, n, each, lambda m, t=t, v=text: specialized(m, t, v))
            for how in ("struct", "array", "struct-array"):
                yield constant_case(f"ConstantComposite/{t}-{how}", t, n, each,
                                    lambda m, t=t, v=text, h=how: composite(m, t, v, h, False))
                yield constant_case(f"ConstantNull/{t}-{how}", t, n, each * 0,
                                    lambda m, t=t, v=text, h=how: composite(m, t, v, h, True))
                if element != "bool":
                    for storage in ("constant", "own", "global"):
                        yield constant_case(f"initial/{t}-{how}-{storage}", t, n, each,
                                            lambda m, t=t, v=text, h=how, s=storage: initial(m, t, v, h, s))
            if element != "bool":
                yield constant_case(f"SizeOf/{t}", "i32", n, np.full((n, 1), alignment(t, 64), np.uint32),
                                    lambda m, t=t: m.op("OpSizeOf", "i32", m.variable("own", t)), versions=("1.1", "1.2", "1.3"))
    yield from spec_operations(rng)


def constant_case(name, t, n, expect, make, **options):
    """A case that stores a value, plus zero in a form that the compiler cannot see."""
    return elementwise(name, lambda m, zero: make(m), [t], ["i32"], [np.zeros((n, 1), np.uint32)], [expect], **options)


def truth(m, t):
    return m.constant(of_width("bool", parts(t)[1]), 1)


def specialized(m, t, value):
    element, width = parts(t)
    def one(v):
        name = m.fresh()
        if element == "bool":
            m.declared.append(f"{name} = OpSpecConstant{bool(v)} {m.type('bool')}")
        else:
            text = m.constant(element, v)
            line = next(line for line in m.declared if line.startswith(f"{text} = "))
            m.declared.append(f"{name} = OpSpecConstant {line.split(' ', 3)[3]}")
        m.decorate(name, f"SpecId {m.count}")
        return name
    if width == 1:
        return one(value)
    name, of = m.fresh(), m.type(t)
    each = [one(v) for v in value]
    m.declared.append(f"{name} = OpSpecConstantComposite {of} {' '.join(each)}")
    return name


def composite(m, t, value, how, is_null):
    array = m.array(t, 2)
    of = {"struct": lambda: m.struct("i8", t), "array": lambda: array, "struct-array": lambda: m.struct("i8", array)}[how]()
    if is_null:
        whole = m.null(of)
    else:
        v = m.constant(t, value)
        pair = m.declare(f"OpConstantComposite {array} {m.null(t)} {v}")
        whole = {"struct": lambda: m.declare(f"OpConstantComposite {of} {m.constant('i8', 1)} {v}"), "array": lambda: pair,
                 "struct-array": lambda: m.declare(f"OpConstantComposite {of} {m.constant('i8', 1)} {pair}")}[how]()
    return m.op("OpCompositeExtract", t, whole, "1 1" if how == "struct-array" else 1)


def initial(m, t, value, how, storage):
    """Loads from a variable with an initial value, at an index of the run time if it is an array."""
    v, array = m.constant(t, value), m.array(t, 2)
    pair = m.declare(f"OpConstantComposite {array} {m.null(t)} {v}")
    of, whole, one = array, pair, m.op("OpULessThan", "bool", m.builtin("GlobalInvocationId", 0), m.constant("size", 4096))
    one = m.op("OpSelect", "i32", one, m.constant("i32", 1), m.constant("i32", 0))
    steps = [one]
    if how == "struct":
        of = m.struct("i8", t)
        whole, steps = m.declare(f"OpConstantComposite {of} {m.constant('i8', 1)} {v}"), [m.constant("i32", 1)]
    elif how == "struct-array":
        of = m.struct("i8", array)
        whole, steps = m.declare(f"OpConstantComposite {of} {m.constant('i8', 1)} {pair}"), [m.constant("i32", 1), one]
    there = m.variable(storage, of, whole)
    if storage == "constant":
        m.decorate(there, "Constant")
    return m.op("OpLoad", t, m.op("OpInBoundsAccessChain", m.pointer(storage, t), there, *steps))


def spec_operations(rng):
    x, y = 29, 5
    table = {"IAdd": x + y, "ISub": x - y, "IMul": x * y, "UDiv": x // y, "UMod": x % y, "SDiv": x // y, "SRem": x % y,
             "ShiftLeftLogical": x << y, "ShiftRightLogical": x >> y, "BitwiseOr": x | y, "BitwiseAnd": x & y,
             "BitwiseXor": x ^ y, "Not": ~x, "SNegate": -x}
    for name, value in table.items():
        for element in INTEGERS:
            bits = int(element[1:])
            expect = np.full((4, 1), value % (1 << bits), NUMPY[element])

            def make(m, name=name, element=element):
                first, second = specialized(m, element, x), specialized(m, element, y)
                made = m.fresh()
                pair = first if name in ("Not", "SNegate") else f"{first} {second}"
                m.declared.append(f"{made} = OpSpecConstantOp {m.type(element)} {name} {pair}")
                return made
            yield constant_case(f"SpecConstantOp/{name}-{element}", element, 4, expect, make)


def decorations(rng):
    x = random_of(rng, "i32", 16, 0, 1000)
    f = random_of(rng, "f32", 16)
    wraps = {"NoSignedWrap": "IAdd", "NoUnsignedWrap": "IAdd"}
    for name, operation in wraps.items():
        yield elementwise(f"{name}", decorated(operation, "i32", name, "SPV_KHR_no_integer_wrap_decoration"), ["i32"],
                          ["i32", "i32"], [x, x], [x + x])
    for mode in ("None", "NotNaN", "NotInf", "NSZ", "AllowRecip", "Fast", "NotNaN|NotInf"):
        yield elementwise(f"FPFastMathMode/{mode}", decorated("FAdd", "f32", f"FPFastMathMode {mode}"), ["f32"],
                          ["f32", "f32"], [f, f], [f + f])

    def hinted(m, v):
        m.needs("ExpectAssumeKHR")
        m.extension("SPV_KHR_expect_assume")
        m.do("OpAssumeTrueKHR", m.op("OpULessThan", "bool", v, m.constant("i32", 1000)))
        return m.op("OpExpectKHR", "i32", v, m.constant("i32", 3))
    yield elementwise("ExpectKHR", hinted, ["i32"], ["i32"], [x], [x])

    def living(m, v):
        there = m.variable("own", "i32")
        place = there if m.version >= "9" else m.op("OpBitcast", m.pointer("own", "i8"), there)
        m.do("OpLifetimeStart", place, 4)
        m.do("OpStore", there, v)
        made = m.op("OpLoad", "i32", there)
        m.do("OpLifetimeStop", place, 4)
        m.do("OpNop")
        return made
    yield elementwise("Lifetime", living, ["i32"], ["i32"], [x], [x])

    def packed(m, v):
        record = m.struct("i8", "i32", "i8", decorations=["CPacked"])
        there = m.variable("own", m.array(record, 2))
        m.decorate(there, "Alignment 1")
        at = m.op("OpInBoundsAccessChain", m.pointer("own", "i32"), there, m.constant("i32", 1), m.constant("i32", 1))
        m.do("OpStore", at, v, "Aligned", 1)
        first = m.op("OpInBoundsAccessChain", m.pointer("own", "i8"), there, m.constant("i32", 0), m.constant("i32", 0))
        bytes_ = m.op("OpInBoundsPtrAccessChain", m.pointer("own", "i8"), first, m.constant("size", 7))
        word = m.op("OpBitcast", m.pointer("own", "i32"), bytes_)
        return m.op("OpLoad", "i32", word, "Aligned", 1)
    yield elementwise("CPacked", packed, ["i32"], ["i32"], [x], [x])

    def grouped(m, v):
        group, made = m.fresh(), m.op("OpIAdd", "i32", v, v)
        there = m.variable("own", "i32")
        m.decorations += [f"OpDecorate {group} Alignment 4", f"OpDecorate {group} Volatile",
                          f"{group} = OpDecorationGroup", f"OpGroupDecorate {group} {there}"]
        m.do("OpStore", there, made)
        return m.op("OpLoad", "i32", there)
    yield elementwise("GroupDecorate", grouped, ["i32"], ["i32"], [x], [x + x])


def decorated(operation, t, text, extension=None):
    def emit(m, a, b):
        if extension and m.version < "1.4":
            m.extension(extension)
        made = m.op(f"Op{operation}", t, a, b)
        m.decorate(made, text)
        return made
    return emit


def entries(rng):
    for name in ("main", "a b", "kernel.1", "k", "_Z3fooPi", "vector_add$x", "0"):
        def build(m, name=name):
            for other in ("other", name):
                out, = m.kernel(other, m.pointer("global", "i32"))
                at = m.builtin("GlobalInvocationId", 0)
                m.store(out, "i32", at, m.constant("i32", 7 if other == name else 9))
                m.end()
        yield Case(f"entry/{name}", build, [result(np.full(16, 7, np.uint32))], entry=name)
    modes = {"LocalSize": "LocalSize 4 1 1", "LocalSizeHint": "LocalSizeHint 4 1 1", "VecTypeHint": "VecTypeHint 262144",
             "ContractionOff": "ContractionOff"}
    for name, text in modes.items():
        def moded(m, text=text):
            out, = m.kernel("k", m.pointer("global", "i32"))
            m.modes.append(f"OpExecutionMode {m.entries[-1][0]} {text}")
            m.store(out, "i32", m.builtin("GlobalInvocationId", 0), m.constant("i32", 7))
            m.end()
        yield Case(f"mode/{name}", moded, [result(np.full(16, 7, np.uint32))])


def arguments(rng):
    for element in EVERY:
        for width in WIDTHS:
            t = of_width(element, width)
            value = random_of(rng, t, 1, *((0, 100) if element[0] == "i" else ()), ends=False)
            given = value[0].tolist() if width > 1 else value[0, 0].item()

            def build(m, t=t, element=element, width=width):
                out, passed = m.kernel("k", m.pointer("global", element), t)
                for i in range(width):
                    part = m.op("OpCompositeExtract", element, passed, i) if width > 1 else passed
                    m.store(out, element, m.constant("size", i), part)
                m.end()
            yield Case(f"argument/{t}", build, [result(value[0]), given], (1,), (1,))

            def local(m, t=t):
                out, inside, room = m.kernel("k", m.pointer("global", t), m.pointer("global", t), m.pointer("local", t))
                at, here = m.builtin("GlobalInvocationId", 0), m.builtin("LocalInvocationId", 0)
                there = m.op("OpInBoundsPtrAccessChain", m.pointer("local", t), room, here)
                m.do("OpStore", there, m.load(inside, t, at))
                m.do("OpControlBarrier", *(m.constant("i32", v) for v in (2, 2, 0x110)))
                other = m.op("OpISub", "size", m.constant("size", 3), here)
                there = m.op("OpInBoundsPtrAccessChain", m.pointer("local", t), room, other)
                m.store(out, t, at, m.op("OpLoad", t, there))
                m.end()
            if width != 3:
                x = random_of(rng, t, 16)
                expect = x.reshape(4, 4, width)[:, ::-1].reshape(-1)
                yield Case(f"local/{t}", local, [result(expect), Buffer(x.reshape(-1)),
                                                 Local(4 * alignment(t, 64))])
    yield from by_value()


def by_value():
    for packs in (False, True):
        def build(m, packs=packs):
            record = m.struct("i8", "i32", "i16", decorations=["CPacked"] if packs else [])
            out, passed = m.kernel("k", m.pointer("global", "i32"), m.pointer("own", record))
            m.decorate(passed, "FuncParamAttr ByVal")
            for i, t in enumerate(("i8", "i32", "i16")):
                at = m.op("OpInBoundsAccessChain", m.pointer("own", t), passed, m.constant("i32", i))
                value = m.op("OpLoad", t, at, "Aligned", 1)
                m.store(out, "i32", m.constant("size", i), value if t == "i32" else m.op("OpUConvert", "i32", value))
            m.end()
        yield Case(f"ByVal/{packs}", build, [result(np.array([5, 70000, 300], np.uint32)), [5, 70000, 300]], (1,), (1,))


def cases(rng):
    for family in (branches, functions, constants, decorations, entries, arguments):
        yield from family(rng)
