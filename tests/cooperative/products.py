"""Kernels with products of every type, in loops and in arrays, and with arithmetic on whole matrices."""
import numpy as np

from cases import NUMPY, Buffer, Writer, matrix_type, plain, random, struct_of, widened
from movement import loop

# The types of factors and sums. Numbers with few bits make sums of floats exact.
TYPES = [("f32", "f32", "f32"), ("f16", "f16", "f32"), ("f16", "f16", "f16"),
         ("bf16", "bf16", "f32"), ("f64", "f64", "f64"), ("i8", "i8", "i32"), ("u8", "i8", "i32"),
         ("i8", "u8", "i32"), ("u8", "u8", "i32"), ("u8", "u8", "u32"), ("i16", "i16", "i32"),
         ("i32", "i32", "i32")]
SHAPES = [(16, 16, 16), (16, 16, 32), (8, 8, 8), (16, 16, 64), (8, 16, 16), (32, 16, 8),
          (16, 32, 16), (16, 8, 8), (4, 4, 8), (32, 32, 64), (16, 32, 128)]


def flags(a, b, c, saturating=False):
    words = [word for word, signed in (("ASigned", a == "i8" or a == "i16" or a == "i32"),
                                       ("BSigned", b == "i8" or b == "i16" or b == "i32"),
                                       ("CSigned", c == "i32"), ("ResultSigned", c == "i32"),
                                       ("AccSat", saturating)) if signed]
    return f", <{'|'.join(words)}>" if words and not a.startswith(("f", "bf")) else ""


def multiply(w, a, b, c, types, texts, saturating=False):
    return w.value(f"spirv.KHR.CooperativeMatrixMulAdd {a}, {b}, {c}"
                   f"{flags(*types, saturating)} : {texts[0]}, {texts[1]} -> {texts[2]}")


def reference(a, b, c, types, saturating=False):
    """Returns the exact result, converted to the type of the sums: integers wrap or are clamped."""
    exact = widened(a, types[0]) @ widened(b, types[1]) + widened(c, types[2])
    if types[2].startswith("f"):
        return exact.astype(NUMPY[types[2]])
    if saturating:
        info = np.iinfo(NUMPY[types[2]])
        exact = np.clip(exact, info.min, info.max)
    return exact.astype(NUMPY[types[2]])


def one(rng, types, shape, saturating=False, exact=True):
    m, n, k = shape
    name = "_".join(["mma", "x".join(map(str, shape)), *types]) + ("_sat" if saturating else "")
    w = Writer(name + ("" if exact else "_any"))
    texts = [matrix_type(m, k, types[0], "a"), matrix_type(k, n, types[1], "b"),
             matrix_type(m, n, types[2], "c")]
    a, b, c = (random(rng, type, size, exact) for type, size in
               zip(types, ((m, k), (k, n), (m, n))))
    if saturating:
        c = np.where(rng.integers(0, 2, c.shape) > 0, c, np.iinfo(c.dtype).max).astype(c.dtype)
    if types[2] == "i32" and not saturating and types[0] == "i32":
        a, b = a >> 20, b >> 20  # keeps NumPy's 64-bit sums from wrapping
    left, right = rng.integers(0, 2, 2)  # by columns
    x = w.load(Buffer("a", types[0], (a.T if left else a).ravel()), texts[0],
               m if left else k, "ColumnMajor" if left else "RowMajor")
    y = w.load(Buffer("b", types[1], (b.T if right else b).ravel()), texts[1],
               k if right else n, "ColumnMajor" if right else "RowMajor")
    z = w.load(Buffer("c", types[2], c.ravel()), texts[2], n)
    d = multiply(w, x, y, z, types, texts, saturating)
    expect = reference(a, b, c, types, saturating).ravel()
    relative = 0 if exact or not types[2].startswith("f") else 1e-3
    out = Buffer("out", types[2], np.zeros_like(expect), expect, relative)
    w.store(out, d, texts[2], n)
    return w.case()


def chained(rng, lanes):
    """2 × 2 products of a loop over the depth, sums in variables, one array of them; a phi by
    memory-to-register promotion, and neighbours that are merged."""
    for types in (("f32", "f32", "f32"), ("bf16", "bf16", "f32"), ("i8", "i8", "i32")):
        side = 16
        texts = [matrix_type(side, side, t, u) for t, u in zip(types, "abc")]
        a, b = random(rng, types[0], (32, 48), True), random(rng, types[1], (48, 32), True)
        w = Writer(f"chain_{types[0]}")
        A, B = Buffer("a", types[0], a.ravel()), Buffer("b", types[1], b.ravel())
        zero = w.value(f"spirv.Constant 0{'.0' if types[2][0] == 'f' else ''} : {plain(types[2])}")
        none = w.value(f"spirv.CompositeConstruct {zero} : ({plain(types[2])}) -> {texts[2]}")
        sums = {}
        for i in range(2):
            for j in range(2):
                sums[i, j] = w.value(f"spirv.Variable : !spirv.ptr<{texts[2]}, Function>")
                w.line(f'spirv.Store "Function" {sums[i, j]}, {none} : {texts[2]}')
        count, sixteen = w.integer(3), w.integer(16)
        bases = {}
        for buffer in (A, B):
            w.buffers.append(buffer)
            block = struct_of(plain(buffer.type))
            bases[buffer.name] = (w.value(f"spirv.mlir.addressof @{w.name}_{buffer.name} : {block}"),
                                  block, w.integer(0))

        def part(buffer, row, column, stride, text):
            base, block, nil = bases[buffer.name]
            by, across = w.integer(stride), plain(buffer.type)
            start = w.value(f"spirv.IMul {row}, {by} : i32")
            at = w.value(f"spirv.IAdd {start}, {column} : i32")
            place = w.value(f"spirv.AccessChain {base}[{nil}, {at}] : {block}, i32, i32 -> "
                            f"!spirv.ptr<{across}, StorageBuffer>")
            return w.value(f"spirv.KHR.CooperativeMatrixLoad {place}, {by}, <RowMajor> : "
                           f"!spirv.ptr<{across}, StorageBuffer>, i32 -> {text}")

        def body(i):
            k = w.value(f"spirv.IMul {i}, {sixteen} : i32")
            at = [w.integer(0), w.integer(16)]
            left = [part(A, at[x], k, 48, texts[0]) for x in range(2)]
            right = [part(B, k, at[x], 32, texts[1]) for x in range(2)]
            for (x, y), place in sums.items():
                old = w.value(f'spirv.Load "Function" {place} : {texts[2]}')
                new = multiply(w, left[x], right[y], old, types, texts)
                w.line(f'spirv.Store "Function" {place}, {new} : {texts[2]}')
        loop(w, count, body)
        expect = reference(a, b, np.zeros((32, 32), NUMPY[types[2]]), types)
        out = Buffer("out", types[2], np.zeros_like(expect).ravel(), expect.ravel())
        for (x, y), place in sums.items():
            made = w.value(f'spirv.Load "Function" {place} : {texts[2]}')
            w.store(out, made, texts[2], 32, at=x * 512 + y * 16)
        yield w.case()


class Fragments(Writer):
    """Indexes arrays of matrices with numbers that are known only at run time."""

    def array(self, count, text):
        type = f"!spirv.ptr<!spirv.array<{count} x {text}>, Function>"
        return self.value(f"spirv.Variable : {type}"), type, text

    def at(self, array, index):
        variable, type, text = array
        return self.value(f"spirv.AccessChain {variable}[{index}] : {type}, i32 -> "
                          f"!spirv.ptr<{text}, Function>")

    def put(self, array, index, value):
        self.line(f'spirv.Store "Function" {self.at(array, index)}, {value} : {array[2]}')

    def take(self, array, index):
        return self.value(f'spirv.Load "Function" {self.at(array, index)} : {array[2]}')

    def times(self, x, y):
        return self.value(f"spirv.IMul {x}, {y} : i32")

    def plus(self, x, y):
        return self.value(f"spirv.IAdd {x}, {y} : i32")

    def element(self, buffer, row, column, stride):
        """Returns a pointer to an element, its type, and the stride as a value."""
        self.pointer(buffer)  # declares the buffer
        block, type = struct_of(plain(buffer.type)), f"!spirv.ptr<{plain(buffer.type)}, StorageBuffer>"
        base = self.value(f"spirv.mlir.addressof @{self.name}_{buffer.name} : {block}")
        zero, by = self.integer(0), self.integer(stride)
        index = self.plus(self.times(row, by), column)
        return self.value(f"spirv.AccessChain {base}[{zero}, {index}] : {block}, i32, i32 -> "
                          f"{type}"), type, by

    def part(self, buffer, row, column, stride, text):
        place, type, by = self.element(buffer, row, column, stride)
        return self.value(f"spirv.KHR.CooperativeMatrixLoad {place}, {by}, <RowMajor> : {type}, "
                          f"i32 -> {text}")


def fragments(rng, lanes):
    """Multiplies 2 × 2 fragments over the depth as real kernels do: arrays of fragments, and loops over them."""
    for types, deep in ((("f32", "f32", "f32"), 16), (("bf16", "bf16", "f32"), 32),
                        (("i8", "i8", "i32"), 64), (("f16", "f16", "f16"), 16)):
        depth = 3 * deep
        texts = [matrix_type(*size, t, u) for size, t, u in
                 zip(((16, deep), (deep, 16), (16, 16)), types, "abc")]
        a, b = random(rng, types[0], (32, depth), True), random(rng, types[1], (depth, 32), True)
        w = Fragments(f"fragments_{types[0]}_{types[2]}")
        element = plain(types[2])
        zero = w.value(f"spirv.Constant 0{'.0' if element[0] == 'f' else ''} : {element}")
        none = w.value(f"spirv.CompositeConstruct {zero} : ({element}) -> {texts[2]}")
        A, B = Buffer("a", types[0], a.ravel()), Buffer("b", types[1], b.ravel())
        left, right, sums = (w.array(n, text) for n, text in zip((2, 2, 4), texts))
        two, side, deepness = w.integer(2), w.integer(16), w.integer(deep)
        loop(w, w.integer(4), lambda i: w.put(sums, i, none))

        def turn(k):
            start = w.times(k, deepness)

            def load(i):
                line = w.times(i, side)
                w.put(left, i, w.part(A, line, start, depth, texts[0]))
                w.put(right, i, w.part(B, start, line, 32, texts[1]))
            loop(w, two, load)

            def add(i, j):
                index = w.plus(w.times(i, two), j)
                w.put(sums, index, multiply(w, w.take(left, i), w.take(right, j),
                                            w.take(sums, index), types, texts))
            loop(w, two, lambda i: loop(w, two, lambda j: add(i, j)))
        # A buffer holds the number of iterations, so the loop cannot be unrolled.
        turns = w.pointer(Buffer("turns", "i32", np.array([3], np.int32)))
        loop(w, w.value(f'spirv.Load "StorageBuffer" {turns} : i32'), turn)
        expect = reference(a, b, np.zeros((32, 32), NUMPY[types[2]]), types)
        out = Buffer("out", types[2], np.zeros_like(expect).ravel(), expect.ravel())

        def store(i, j):
            made = w.take(sums, w.plus(w.times(i, two), j))
            place, type, by = w.element(out, w.times(i, side), w.times(j, side), 32)
            w.line(f"spirv.KHR.CooperativeMatrixStore {place}, {made}, {by}, <RowMajor> : {type}, "
                   f"{texts[2]}, i32")
        loop(w, two, lambda i: loop(w, two, lambda j: store(i, j)))
        yield w.case()


def arrays(rng, lanes):
    """Indexes an array of matrices at run time, and calls a function that takes and returns matrices."""
    matrix = matrix_type(16, 16, "f32")
    data = random(rng, "f32", (3, 256), True)
    name = "arrays"
    w = Writer(name)
    list_type = f"!spirv.ptr<!spirv.array<3 x {matrix}>, Function>"
    variable = w.value(f"spirv.Variable : {list_type}")
    x = Buffer("x", "f32", data.ravel())
    for i in range(3):
        loaded = w.load(x, matrix, 16, at=256 * i)
        index = w.integer(i)
        at = w.value(f"spirv.AccessChain {variable}[{index}] : {list_type}, i32 -> "
                     f"!spirv.ptr<{matrix}, Function>")
        w.line(f'spirv.Store "Function" {at}, {loaded} : {matrix}')
    one, zero = w.value("spirv.Constant 0.5 : f32"), w.value("spirv.Constant 0.0 : f32")
    total = w.value(f"spirv.Variable : !spirv.ptr<{matrix}, Function>")
    none = w.value(f"spirv.CompositeConstruct {zero} : (f32) -> {matrix}")
    w.line(f'spirv.Store "Function" {total}, {none} : {matrix}')

    def body(i):
        at = w.value(f"spirv.AccessChain {variable}[{i}] : {list_type}, i32 -> "
                     f"!spirv.ptr<{matrix}, Function>")
        value = w.value(f'spirv.Load "Function" {at} : {matrix}')
        old = w.value(f'spirv.Load "Function" {total} : {matrix}')
        new = w.value(f"spirv.FunctionCall @{name}_step({old}, {value}) : ({matrix}, {matrix}) -> "
                      f"{matrix}")
        w.line(f'spirv.Store "Function" {total}, {new} : {matrix}')
    loop(w, w.integer(3), body)
    final = w.value(f'spirv.Load "Function" {total} : {matrix}')
    scaled = w.value(f"spirv.MatrixTimesScalar {final}, {one} : {matrix}, f32")
    expect = np.zeros(256, np.float32)
    for i in range(3):
        expect = data[i] - expect
    w.store(Buffer("out", "f32", np.zeros(256, np.float32), expect / 2), scaled, matrix, 16)
    function = f"""spirv.func @{name}_step(%old: {matrix}, %new: {matrix}) -> {matrix} "None" {{
      %d = spirv.FSub %new, %old : {matrix}
      spirv.ReturnValue %d : {matrix}
    }}"""
    yield w.case(more=function)


def elementwise(rng, lanes):
    real, whole, half, small = (matrix_type(16, 8, t) for t in ("f32", "i32", "f16", "i8"))
    x, y = (random(rng, "f32", 128) for _ in range(2))
    i, j = (random(rng, "i32", 128) for _ in range(2))
    j[j == 0] = 1
    X, Y, I, J = (Buffer(n, t, v) for n, t, v in (("x", "f32", x), ("y", "f32", y),
                                                  ("i", "i32", i), ("j", "i32", j)))

    def case(name, inputs, result, type, operation, expect):
        w = Writer("each_" + name)
        matrices = {"f32": real, "i32": whole}
        values = [w.load(b, matrices[b.type], 8) for b in inputs]
        out = w.value(operation(*values))
        relative = 0 if type.startswith("i") else 1e-6
        w.store(Buffer("out", type, np.zeros_like(expect), expect, relative), out, result, 8)
        return w.case()

    for name, expect in (("FAdd", x + y), ("FSub", x - y), ("FMul", x * y), ("FDiv", x / y)):
        yield case(name, (X, Y), real, "f32",
                   lambda a, b, name=name: f"spirv.{name} {a}, {b} : {real}", expect)
    for name, expect in (("IAdd", i + j), ("ISub", i - j), ("IMul", i * j)):
        yield case(name, (I, J), whole, "i32",
                   lambda a, b, name=name: f"spirv.{name} {a}, {b} : {whole}", expect)
    yield case("FNegate", (X,), real, "f32", lambda a: f"spirv.FNegate {a} : {real}", -x)
    yield case("SNegate", (I,), whole, "i32", lambda a: f"spirv.SNegate {a} : {whole}", -i)
    yield case("FConvert", (X,), half, "f16",
               lambda a: f"spirv.FConvert {a} : {real} to {half}", x.astype(np.float16))
    yield case("ConvertFToS", (X,), whole, "i32",
               lambda a: f"spirv.ConvertFToS {a} : {real} to {whole}", x.astype(np.int32))
    yield case("ConvertSToF", (I,), real, "f32",
               lambda a: f"spirv.ConvertSToF {a} : {whole} to {real}", i.astype(np.float32))
    yield case("SConvert", (I,), small, "i8",
               lambda a: f"spirv.SConvert {a} : {whole} to {small}", i.astype(np.int8))


def products(rng, lanes, quick):
    for types in TYPES:
        shapes = [(m, n, k) for m, n, k in SHAPES
                  if all(lanes <= size <= 256 * lanes for size in (m * n, m * k, n * k))]
        if quick:
            shapes = [shapes[i] for i in rng.choice(len(shapes), 2, replace=False)]
        for shape in shapes:
            yield one(rng, types, shape)
        if types[0].startswith(("i8", "u8")):
            yield one(rng, types, (16, 16, 16), saturating=True)
            if 32 * 64 // lanes <= 256:  # of one lane
                yield one(rng, types, (32, 16, 64), saturating=True)
        if types[0].startswith(("f", "bf")):
            yield one(rng, types, (16, 16, 32), exact=False)
    yield from chained(rng, lanes)
    yield from fragments(rng, lanes)
    yield from arrays(rng, lanes)
    yield from elementwise(rng, lanes)
