"""Kernels that only move elements: loads, stores, lengths, and single elements."""
import numpy as np

from cases import Buffer, Writer, laid_out, matrix_type, plain, random


def copies(rng):
    shapes = [(16, 16), (8, 16), (16, 8), (8, 8), (4, 16), (16, 4), (32, 16), (16, 64), (8, 32)]
    types = ["f32", "f16", "bf16", "i8", "i32", "f64", "i16"]
    for i, (rows, columns) in enumerate(shapes):
        for read in ("RowMajor", "ColumnMajor"):
            for write in ("RowMajor", "ColumnMajor"):
                type = types[rng.integers(len(types))]
                across = {"RowMajor": columns, "ColumnMajor": rows}
                strides = [int(across[way] + rng.integers(0, 9)) for way in (read, write)]
                at = [int(x) for x in rng.integers(0, 9, 2)]
                data = random(rng, type, (rows, columns))
                source = Buffer("x", type, laid_out(data, read, strides[0], at[0], 0))
                target = laid_out(data, write, strides[1], at[1], 1)
                w = Writer(f"copy_{rows}x{columns}_{type}_{read[0]}{write[0]}{i}")
                matrix = matrix_type(rows, columns, type, "abc"[rng.integers(3)])
                out = Buffer("out", type, np.ones_like(target), target)
                loaded = w.load(source, matrix, strides[0], read, at[0])
                w.store(out, loaded, matrix, strides[1], write, at[1])
                yield w.case()


def through_shared(rng):
    """Transposes: stores to workgroup memory by columns, and loads by rows after a barrier."""
    for type in ("f32", "f16", "i8"):
        data = random(rng, type, (16, 16))
        name, element, matrix = f"shared_{type}", plain(type), matrix_type(16, 16, type)
        w = Writer(name)
        loaded = w.load(Buffer("x", type, data.ravel()), matrix, 16)
        block = f"!spirv.ptr<!spirv.array<512 x {element}>, Workgroup>"
        base = w.value(f"spirv.mlir.addressof @{name}_shared : {block}")
        zero, stride = w.integer(0), w.integer(17)
        place = w.value(f"spirv.AccessChain {base}[{zero}] : {block}, i32 -> "
                        f"!spirv.ptr<{element}, Workgroup>")
        w.line(f"spirv.KHR.CooperativeMatrixStore {place}, {loaded}, {stride}, <ColumnMajor> : "
               f"!spirv.ptr<{element}, Workgroup>, {matrix}, i32")
        w.line("spirv.ControlBarrier <Workgroup>, <Workgroup>, <AcquireRelease|WorkgroupMemory>")
        again = w.value(f"spirv.KHR.CooperativeMatrixLoad {place}, {stride}, <RowMajor>, "
                        f"<Aligned>, 1 : !spirv.ptr<{element}, Workgroup>, i32 -> {matrix}")
        w.store(Buffer("out", type, np.zeros(256, data.dtype), data.T.ravel()), again, matrix, 16)
        yield w.case(more=f"spirv.GlobalVariable @{name}_shared : {block}")


def loop(w, count, body):
    """Emits for (i = 0; i < count; ++i) body(i), as structured control flow."""
    zero, one = w.integer(0), w.integer(1)
    counter = w.value("spirv.Variable : !spirv.ptr<i32, Function>")
    w.line(f'spirv.Store "Function" {counter}, {zero} : i32')
    w.line("spirv.mlir.loop {\nspirv.Branch ^header\n^header:")
    i = w.value(f'spirv.Load "Function" {counter} : i32')
    test = w.value(f"spirv.SLessThan {i}, {count} : i32")
    w.line(f"spirv.BranchConditional {test}, ^body, ^merge\n^body:")
    body(i)
    w.line("spirv.Branch ^continue\n^continue:")
    next = w.value(f"spirv.IAdd {i}, {one} : i32")
    w.line(f'spirv.Store "Function" {counter}, {next} : i32')
    w.line("spirv.Branch ^header\n^merge:\nspirv.mlir.merge\n}")


def elements(rng, lanes):
    """Makes each lane write the numbers of its elements in the documented layout: 0, 1, 2, … by rows."""
    for rows, columns in ((16, 16), (8, 8), (16, 8), (8, 32)):
        matrix = matrix_type(rows, columns, "f32")
        w = Writer(f"elements_{rows}x{columns}")
        address = w.value("spirv.mlir.addressof @lane : !spirv.ptr<i32, Input>")
        lane = w.value(f'spirv.Load "Input" {address} : i32')
        many = w.integer(lanes)
        variable = w.value(f"spirv.Variable : !spirv.ptr<{matrix}, Function>")
        length = w.value(f"spirv.KHR.CooperativeMatrixLength : {matrix}")

        def body(i):
            start = w.value(f"spirv.IMul {i}, {many} : i32")
            number = w.value(f"spirv.IAdd {start}, {lane} : i32")
            real = w.value(f"spirv.ConvertSToF {number} : i32 to f32")
            at = w.value(f"spirv.AccessChain {variable}[{i}] : !spirv.ptr<{matrix}, Function>, i32"
                         " -> !spirv.ptr<f32, Function>")
            w.line(f'spirv.Store "Function" {at}, {real} : f32')
        loop(w, length, body)
        made = w.value(f'spirv.Load "Function" {variable} : {matrix}')
        expect = np.arange(rows * columns, dtype=np.float32)
        w.store(Buffer("out", "f32", np.zeros_like(expect), expect), made, matrix, columns)
        yield w.case()


def extracted(rng):
    """Replaces the last element of each lane with its negated first one."""
    matrix = matrix_type(16, 16, "f32")
    data = random(rng, "f32", (16, 16))
    for lanes in (4, 8, 16):
        w = Writer(f"extract_{lanes}")
        loaded = w.load(Buffer("x", "f32", data.ravel()), matrix, 16)
        first = w.value(f"spirv.CompositeExtract {loaded}[0 : i32] : {matrix}")
        negative = w.value(f"spirv.FNegate {first} : f32")
        last = 256 // lanes - 1
        changed = w.value(f"spirv.CompositeInsert {negative}, {loaded}[{last} : i32] : f32 into "
                          f"{matrix}")
        expect = data.ravel().copy()
        expect[-lanes:] = -expect[:lanes]
        w.store(Buffer("out", "f32", np.zeros(256, np.float32), expect), changed, matrix, 16)
        case = w.case()
        case.lanes = lanes
        yield case


def scaled(rng):
    """Multiplies a matrix of integers by a scalar. The runner turns the product into OpMatrixTimesScalar."""
    for type in ("i8", "i16", "i32"):
        matrix, factor = matrix_type(16, 8, type), int(rng.integers(3, 90))
        data = random(rng, type, (16, 8))
        w = Writer(f"scaled_{type}")
        loaded = w.load(Buffer("x", type, data.ravel()), matrix, 8)
        number = w.value(f"spirv.Constant {factor} : {type}")
        splat = w.value(f"spirv.CompositeConstruct {number} : ({type}) -> {matrix}")
        product = w.value(f"spirv.IMul {loaded}, {splat} : {matrix}")
        expect = (data.astype(np.int64) * factor).astype(data.dtype).ravel()
        w.store(Buffer("out", type, np.zeros_like(expect), expect), product, matrix, 8)
        yield w.case()


def movement(rng, lanes):
    yield from scaled(rng)
    yield from copies(rng)
    yield from through_shared(rng)
    yield from elements(rng, lanes)
    yield from (case for case in extracted(rng) if case.lanes == lanes)
