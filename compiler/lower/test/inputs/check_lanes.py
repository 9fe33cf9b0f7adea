"""Compiles reductions, exchanges and matrix products, runs them lane by lane, and checks the results."""

import itertools
import math
import random
import subprocess
import sys

from lanes import Machine

TARGET = ("#vk.target_env<v1.4, r(0), [], {subgroupSize = %d : i32, maxComputeWorkGroupInvocations "
          "= 256 : i32, subgroupFeatures = %d : i32, shaderInt64, shaderFloat64%s}>")
ALL = 127  # basic, vote, arithmetic, ballot, shuffle, shuffle relative, clustered
PASSES = "pumice-lower-all-reduce,pumice-emulate-matrices,pumice-lower-subgroup-ops,canonicalize,cse"


def lower(body, size, features=ALL, extra="", block=None):
    attributes = " attributes {known_block_size = array<i32: %d, 1, 1>}" % block if block else ""
    text = ("gpu.module @m attributes {vk.target_env = %s} {\n gpu.func @k%s {\n%s\n gpu.return\n }\n}"
            % (TARGET % (size, features, extra), body[0] + " kernel" + attributes, body[1]))
    command = ["pumice-opt", "-", "--mlir-print-op-generic",
               "--pass-pipeline=builtin.module(gpu.module(%s))" % PASSES]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s\n%s" % (text, done.stderr))
    return done.stdout


def run(body, count, size, inputs, features=ALL, extra="", block=None):
    machine = Machine(count, size)
    machine.run(lower(body, size, features, extra, block), inputs)


def same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or (a == b and
                                                     math.copysign(1, a) == math.copysign(1, b))
    return a == b


def expect(got, wanted, what):
    for lane, (a, b) in enumerate(zip(got, wanted)):
        if a is None or not same(a, b):
            sys.exit("%s: lane %d has %r, expected %r" % (what, lane, a, b))


# ---- reductions ---------------------------------------------------------------------------------

def fold_float(kind, values):
    values = list(values)
    numbers = [v for v in values if not math.isnan(v)]
    if kind in ("minimumf", "maximumf") and len(numbers) < len(values) or not numbers:
        return math.nan
    pick = min if kind.startswith("min") else max
    return pick(numbers, key=lambda v: (v, math.copysign(1, v)))


def fold_int(kind, values, width):
    values, wrap = list(values), (1 << width) - 1
    sign = lambda v: v - (1 << width) if v >> (width - 1) else v
    if kind in ("minsi", "maxsi"):
        return (min if kind == "minsi" else max)(values, key=sign)
    if kind in ("minui", "maxui"):
        return (min if kind == "minui" else max)(values)
    total = values[0]
    for v in values[1:]:
        total = {"add": total + v, "mul": total * v, "and": total & v, "or": total | v,
                 "xor": total ^ v}[kind] & wrap
    return total


def samples(type_, count, rng):
    if type_.startswith("i"):
        return [rng.getrandbits(int(type_[1:])) for _ in range(count)]
    pool = [0.0, -0.0, 1.5, -2.0, math.inf, -math.inf, 3.0, math.nan]
    return [rng.choice(pool[:rng.choice([2, 4, 8])]) for _ in range(count)]


KINDS = {"i": ["add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor"],
         "f": ["minnumf", "maxnumf", "minimumf", "maximumf"]}


def check_all_reduce(rng):
    for type_, (count, size, features) in itertools.product(
            ["i1", "i8", "i32", "i64", "f16", "f32"],
            [(32, 8, ALL), (37, 8, ALL), (24, 32, ALL), (19, 4, 0)]):
        for kind in rng.sample(KINDS[type_[0]], 2):
            body = ("(%%x: %s, %%i: index, %%o: memref<?x%s>)" % (type_, type_),
                    "%%r = gpu.all_reduce %s %%x uniform {} : (%s) -> (%s)\n"
                    "%%s = gpu.all_reduce %s %%r uniform {} : (%s) -> (%s)\n"
                    "memref.store %%r, %%o[%%i] : memref<?x%s>"
                    % (kind, type_, type_, kind, type_, type_, type_))
            x, out = samples(type_, count, rng), {}
            run(body, count, size, [x, list(range(count)), out], features,
                block=rng.choice([None, count]))
            wanted = (fold_int(kind, x, int(type_[1:])) if type_[0] == "i"
                      else fold_float(kind, x))
            expect([out[(i,)] for i in range(count)], [wanted] * count,
                   "all_reduce %s %s over %d" % (kind, type_, count))


def check_subgroup_reduce(rng):
    # The cases are subgroup arithmetic, full subgroups without it (butterfly), and missing lanes without it.
    for type_, (count, size, features, block), (cluster, stride) in itertools.product(
            ["i1", "i16", "i32", "i64", "f32"],
            [(32, 16, ALL, None), (32, 16, 1 + 8 + 16, 32), (27, 16, 1 + 8 + 16, None)],
            [(0, 1), (4, 1), (4, 2), (16, 1), (1, 1)]):
        kind = rng.choice(KINDS[type_[0]])
        suffix = " cluster(size = %d, stride = %d)" % (cluster, stride) if cluster else ""
        body = ("(%%x: %s, %%i: index, %%o: memref<?x%s>)" % (type_, type_),
                "%%r = gpu.subgroup_reduce %s %%x%s : (%s) -> %s\n"
                "memref.store %%r, %%o[%%i] : memref<?x%s>" % (kind, suffix, type_, type_, type_))
        x, out = samples(type_, count, rng), {}
        run(body, count, size, [x, list(range(count)), out], features, block=block)
        extent = (cluster or size) * stride
        key = lambda i: (i // size, (i % size) // extent, i % stride)
        for i in range(count):
            members = [x[j] for j in range(count) if key(j) == key(i)]
            wanted = (fold_int(kind, members, int(type_[1:])) if type_[0] == "i"
                      else fold_float(kind, members))
            expect([out[(i,)]], [wanted], "subgroup_reduce %s %s%s" % (kind, type_, suffix))


# ---- exchanges ----------------------------------------------------------------------------------

def check_shuffle(rng):
    for mode, type_, width, constant in itertools.product(
            ["xor", "up", "down", "idx"], ["i8", "i64", "f16", "i1"], [16, 8],
            [True, False]):
        offset = rng.choice([0, 1, 3, 7])
        declared = "%%c = arith.constant %d : i32\n" % offset if constant else ""
        body = ("(%%x: %s, %%w: i32, %%d: i32, %%i: index, %%o: memref<?x%s>, %%v: memref<?xi1>)"
                % (type_, type_),
                declared + "%%r, %%p = gpu.shuffle %s %%x, %s, %%w : %s\n"
                "scf.if %%p { memref.store %%r, %%o[%%i] : memref<?x%s> }\n"
                "memref.store %%p, %%v[%%i] : memref<?xi1>"
                % (mode, "%c" if constant else "%d", type_, type_))
        x, out, valid, count = samples(type_, 16, rng), {}, {}, 16
        run(body, count, 16, [x, [width] * count, [offset] * count, list(range(count)), out, valid])
        for k in range(count):
            source = {"xor": k ^ offset, "up": k - offset, "down": k + offset, "idx": offset}[mode]
            good = k < width and (mode in ("xor", "idx") or 0 <= source < width)
            expect([valid[(k,)]], [int(good)], "shuffle %s valid" % mode)
            if good:
                expect([out[(k,)]], [x[source]], "shuffle %s %s" % (mode, type_))


def check_rotate_and_broadcast(rng):
    rotations = ", shaderSubgroupRotate, shaderSubgroupRotateClustered"
    for type_, width, extra in itertools.product(["i32", "i64"], [4, 16], ["", rotations]):
        offset, count = rng.randrange(width), 16
        body = ("(%%x: %s, %%i: index, %%o: memref<?x%s>, %%b: memref<?x%s>, %%f: memref<?xindex>)"
                % (type_, type_, type_),
                "%%c5 = arith.constant 5 : i32\n%%r, %%p = gpu.rotate %%x, %d, %d : %s\n"
                "memref.store %%r, %%o[%%i] : memref<?x%s>\n"
                "%%s = gpu.subgroup_broadcast %%x, specific_lane %%c5 : %s\n"
                "memref.store %%s, %%b[%%i] : memref<?x%s>\n"
                "%%t = gpu.subgroup_broadcast %%i, first_active_lane : index\n"
                "memref.store %%t, %%f[%%i] : memref<?xindex>"
                % (offset, width, type_, type_, type_, type_))
        x, out, five, first = samples(type_, count, rng), {}, {}, {}
        run(body, count, 16, [x, list(range(count)), out, five, first], extra=extra)
        expect([out[(k,)] for k in range(count)],
               [x[k - k % width + (k + offset) % width] for k in range(count)], "rotate")
        expect([five[(k,)] for k in range(count)], [x[5]] * count, "broadcast")
        expect([first[(k,)] for k in range(count)], [0] * count, "first active lane")


# ---- matrices -----------------------------------------------------------------------------------

def matrix_kernel(m, n, k, factors, sum_, transposed):
    a, b, c = ("!gpu.mma_matrix<%dx%dx%s, \"%sOp\">" % (rows, cols, type_, use) for rows, cols, type_, use
               in [(m, k, factors[0], "A"), (k, n, factors[1], "B"), (m, n, sum_, "C")])
    memory = [t.replace("s", "").replace("u", "") for t in factors] + [sum_]
    flags = ", transpose" if transposed else ""
    lead_b = k if transposed else n
    arguments = "(%%a: memref<?x?x%s, strided<[?, 1]>>, %%b: memref<?x%s>, %%c: memref<%dx%dx%s>)" % (
        memory[0], memory[1], m, n, memory[2])
    return arguments, f"""
      %c0 = arith.constant 0 : index
      %A = gpu.subgroup_mma_load_matrix %a[%c0, %c0] {{leadDimension = {k} : index}} : memref<?x?x{memory[0]}, strided<[?, 1]>> -> {a}
      %B = gpu.subgroup_mma_load_matrix %b[%c0] {{leadDimension = {lead_b} : index{flags}}} : memref<?x{memory[1]}> -> {b}
      %C = gpu.subgroup_mma_load_matrix %c[%c0, %c0] {{leadDimension = {n} : index}} : memref<{m}x{n}x{sum_}> -> {c}
      %R = gpu.subgroup_mma_compute %A, %B, %C : {a}, {b} -> {c}
      gpu.subgroup_mma_store_matrix %R, %c[%c0, %c0] {{leadDimension = {n} : index}} : {c}, memref<{m}x{n}x{sum_}>"""


def check_product(rng, m, n, k, size, factors, sum_, transposed):
    is_float = factors[0][0] == "f"
    value = (lambda t: float(rng.randrange(-8, 8))) if is_float else (lambda t: rng.getrandbits(8))
    number = lambda v, t: v - 256 if t == "si8" and v > 127 else v
    a = [[value(factors[0]) for _ in range(k)] for _ in range(m)]
    b = [[value(factors[1]) for _ in range(n)] for _ in range(k)]
    c = [[float(rng.randrange(9)) if is_float else rng.getrandbits(10) for _ in range(n)]
         for _ in range(m)]
    memory_a = {(0, i * k + j): a[i][j] for i in range(m) for j in range(k)}
    memory_b = {(j * k + i if transposed else i * n + j,): b[i][j]
                for i in range(k) for j in range(n)}
    memory_c = {(i, j): c[i][j] for i in range(m) for j in range(n)}
    run(matrix_kernel(m, n, k, factors, sum_, transposed), size, size,
        [memory_a, memory_b, memory_c])
    for i, j in itertools.product(range(m), range(n)):
        wanted = c[i][j] + sum(number(a[i][s], factors[0]) * number(b[s][j], factors[1])
                               for s in range(k))
        wanted = wanted if is_float else wanted & 0xFFFFFFFF
        expect([memory_c[(i, j)]], [wanted], "product %dx%dx%d on %d lanes at (%d, %d)"
               % (m, n, k, size, i, j))


def check_products(rng):
    shapes = [(16, 16, 16), (16, 8, 16), (8, 16, 8), (8, 8, 32), (8, 8, 4), (16, 8, 8)]
    for (m, n, k), size in itertools.product(shapes, [4, 8, 16, 32, 64]):
        if any(x * y % size for x, y in [(m, n), (m, k), (k, n)]):
            continue
        factors, sum_ = rng.choice([(("f16", "f16"), "f32"), (("f32", "f32"), "f32"),
                                    (("si8", "ui8"), "i32"), (("si8", "si8"), "i32")])
        check_product(rng, m, n, k, size, factors, sum_, rng.random() < 0.5)


def main():
    rng = random.Random(7)
    for check in (check_all_reduce, check_subgroup_reduce, check_shuffle,
                  check_rotate_and_broadcast, check_products):
        check(rng)
        print(check.__name__, "ok", flush=True)


main()
