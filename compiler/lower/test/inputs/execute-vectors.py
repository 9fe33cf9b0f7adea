#!/usr/bin/env python3
"""Runs random vector code twice: as upstream lowers it to LLVM, and after pumice-lower-vectors and
pumice-split-vectors. Both must write the same bytes. Needs pumice-opt and LLVM's tools in PATH.

  execute-vectors.py [--seed N] [--rounds N] [--keep FOLDER]
"""

import argparse
import ctypes
import os
import random
import re
import subprocess
import sys
import tempfile

SIZE = 512  # elements of every flat buffer
ROWS, COLUMNS = 9, 11  # of the two-dimensional one
SIGNATURE = (
    f"%f: memref<{SIZE}xf32>, %i: memref<{SIZE}xi32>, %g: memref<?x?xf32>, %a: index, %b: index, "
    f"%o: memref<{SIZE}xf32>, %p: memref<{SIZE}xi32>, %h: memref<?x?xf32>"
)


def product(shape):
    result = 1
    for size in shape:
        result *= size
    return result


def vec(shape, element):
    return "vector<" + "".join(f"{size}x" for size in shape) + element + ">"


class Kernel:
    """Text of one function, written line by line."""

    def __init__(self, rng):
        self.rng, self.lines, self.upstream, self.count = rng, [], {}, 0
        self.read = {"f32": 0, "i32": 0}
        self.written = {"f32": 0, "i32": 0}

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def op(self, text, results=1, upstream=None):
        names = [self.name() for _ in range(results)]
        prefix = ", ".join(names) + " = " if names else ""
        self.lines.append(prefix + text)
        if upstream:
            self.upstream[prefix + text] = prefix + upstream
        return names[0] if results == 1 else names

    def index(self, value):
        return self.op(f"arith.constant {value} : index")

    def flat(self, count, element):
        """`count` new elements of the input as a vector of one dimension."""
        memref = "%f" if element == "f32" else "%i"
        start = self.read[element]
        self.read[element] = (start + count) % (SIZE // 2)
        assert start + count <= SIZE
        return self.op(
            f"vector.load {memref}[{self.index(start)}] : memref<{SIZE}x{element}>, {vec([count], element)}"
        )

    def input(self, shape, element="f32"):
        flat = self.flat(product(shape), element)
        if len(shape) == 1:
            return flat
        return self.op(
            f"vector.shape_cast {flat} : {vec([product(shape)], element)} to {vec(shape, element)}"
        )

    def mask(self, shape):
        """Bits that differ from run to run."""
        value = self.input(shape, "i32")
        zero = self.op(f"arith.constant dense<0> : {vec(shape, 'i32')}")
        return self.op(f"arith.cmpi sgt, {value}, {zero} : {vec(shape, 'i32')}")

    def output(self, value, shape, element="f32"):
        memref = "%o" if element == "f32" else "%p"
        count = product(shape)
        if element == "index":
            value = self.op(
                f"arith.index_cast {value} : {vec(shape, element)} to {vec(shape, 'i32')}"
            )
            element = "i32"
        if element == "i1":
            value = self.op(f"arith.extui {value} : {vec(shape, element)} to {vec(shape, 'i32')}")
            element = "i32"
        if len(shape) != 1:
            value = self.op(
                f"vector.shape_cast {value} : {vec(shape, element)} to {vec([count], element)}"
            )
        start = self.written[element]
        self.written[element] += count
        assert self.written[element] <= SIZE, "a kernel writes too much"
        self.op(
            f"vector.store {value}, {memref}[{self.index(start)}] : memref<{SIZE}x{element}>, {vec([count], element)}",
            0,
        )

    def scalar_output(self, value, element="f32"):
        self.output(
            self.op(f"vector.broadcast {value} : {element} to {vec([1], element)}"), [1], element
        )

    def shape(self, rank, largest=5, count=96):
        while True:
            shape = [self.rng.randint(1, largest) for _ in range(rank)]
            if product(shape) <= count:
                return shape


KINDS = {
    "f32": ["add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf"],
    "i32": ["add", "mul", "minsi", "minui", "maxsi", "maxui", "and", "or", "xor"],
}
FAMILIES = []


def family(function):
    FAMILIES.append(function)
    return function


def element_of(k):
    return k.rng.choice(["f32", "i32"])


@family
def elementwise(k):
    shape, e = k.shape(k.rng.randint(1, 3)), element_of(k)
    x, y = k.input(shape, e), k.input(shape, e)
    op = "addf" if e == "f32" else "muli"
    z = k.op(f"arith.{op} {x}, {y} : {vec(shape, e)}")
    m = k.mask(shape)
    k.output(k.op(f"arith.select {m}, {x}, {z} : {vec(shape, 'i1')}, {vec(shape, e)}"), shape, e)


@family
def broadcast(k):
    shape = k.shape(k.rng.randint(1, 3))
    source = [k.rng.choice([1, size]) for size in shape[k.rng.randint(0, len(shape) - 1) :]]
    x = k.input(source)
    k.output(k.op(f"vector.broadcast {x} : {vec(source, 'f32')} to {vec(shape, 'f32')}"), shape)


@family
def transpose(k):
    shape = k.shape(k.rng.randint(2, 4), 4)
    order = list(range(len(shape)))
    k.rng.shuffle(order)
    to = [shape[i] for i in order]
    x = k.input(shape)
    k.output(k.op(f"vector.transpose {x}, {order} : {vec(shape, 'f32')} to {vec(to, 'f32')}"), to)


@family
def shuffle(k):
    tail = k.shape(k.rng.randint(0, 1), 3)
    first, second = k.rng.randint(1, 7), k.rng.randint(1, 7)
    mask = [k.rng.randrange(first + second) for _ in range(k.rng.randint(1, 9))]
    a, b = [first] + tail, [second] + tail
    x, y = k.input(a), k.input(b)
    k.output(
        k.op(f"vector.shuffle {x}, {y} {mask} : {vec(a, 'f32')}, {vec(b, 'f32')}"),
        [len(mask)] + tail,
    )


@family
def interleave(k):
    shape = k.shape(k.rng.randint(1, 2), 5)
    x, y = k.input(shape), k.input(shape)
    twice = shape[:-1] + [2 * shape[-1]]
    z = k.op(f"vector.interleave {x}, {y} : {vec(shape, 'f32')} -> {vec(twice, 'f32')}")
    k.output(z, twice)
    w = k.op(f"arith.addf {z}, {z} : {vec(twice, 'f32')}")
    a, b = k.op(f"vector.deinterleave {w} : {vec(twice, 'f32')} -> {vec(shape, 'f32')}", 2)
    k.output(a, shape)
    k.output(b, shape)


def position(k, shape, dynamic):
    """A random position in the first dimensions of `shape`; %a and %b are below 4."""
    result = []
    for size in shape[: k.rng.randint(1, len(shape))]:
        use = dynamic and size >= 4 and k.rng.random() < 0.7
        result.append(k.rng.choice(["%a", "%b"]) if use else str(k.rng.randrange(size)))
    return result


@family
def extract_insert(k):
    shape, e = k.shape(k.rng.randint(1, 3), 9), element_of(k)
    x = k.input(shape, e)
    at = position(k, shape, False)
    part = shape[len(at) :]
    part_type = vec(part, e) if part else e
    y = k.op(f"vector.extract {x}[{', '.join(at)}] : {part_type} from {vec(shape, e)}")
    to = position(k, shape, False)[: len(at)]
    while len(to) < len(at):
        to.append(str(k.rng.randrange(shape[len(to)])))
    z = k.op(f"vector.insert {y}, {x}[{', '.join(to)}] : {part_type} into {vec(shape, e)}")
    k.output(z, shape, e)


@family
def dynamic_extract(k):
    shape = [k.rng.randint(4, 9)]  # upstream knows dynamic positions in one dimension only
    e = element_of(k)
    x = k.input(shape, e)
    y = k.op(f"vector.extract {x}[%a] : {e} from {vec(shape, e)}")
    k.scalar_output(y, e)
    z = k.op(f"vector.insert {y}, {x}[%b] : {e} into {vec(shape, e)}")
    k.output(z, shape, e)
    m = k.mask(shape)
    bit = k.op(f"vector.extract {m}[%b] : i1 from {vec(shape, 'i1')}")
    k.output(k.op(f"arith.select {bit}, {x}, {z} : {vec(shape, e)}"), shape, e)


@family
def strided_slice(k):
    shape = k.shape(k.rng.randint(1, 3), 6)
    rank = k.rng.randint(1, len(shape))
    sizes = [k.rng.randint(1, size) for size in shape[:rank]]
    offsets = [k.rng.randint(0, size - part) for size, part in zip(shape, sizes)]
    part = sizes + shape[rank:]
    x = k.input(shape)
    y = k.op(
        f"vector.extract_strided_slice {x} {{offsets = {offsets}, sizes = {sizes}, "
        f"strides = {[1] * rank}}} : {vec(shape, 'f32')} to {vec(part, 'f32')}"
    )
    k.output(y, part)
    # Inserted as a slice of the same rank, or one of lower rank.
    drop = k.rng.randint(0, len(part) - 1)
    small = part[drop:]
    z = k.input(small)
    into = [k.rng.randint(0, size - 1) for size in shape[:drop]]
    into += [k.rng.randint(0, size - p) for size, p in zip(shape[drop:], small)]
    k.output(
        k.op(
            f"vector.insert_strided_slice {z}, {x} {{offsets = {into}, strides = {[1] * len(small)}}}"
            f" : {vec(small, 'f32')} into {vec(shape, 'f32')}"
        ),
        shape,
    )


@family
def elements(k):
    count = k.rng.randint(1, 9)
    x = k.input([count])
    parts = k.op(f"vector.to_elements {x} : {vec([count], 'f32')}", count)
    parts = [parts] if count == 1 else parts
    chosen = [k.rng.choice(parts) for _ in range(6)]
    shape = k.rng.choice([[6], [2, 3], [3, 2, 1]])
    y = k.op(f"vector.from_elements {', '.join(chosen)} : {vec(shape, 'f32')}")
    k.output(y, shape)


@family
def bitcast(k):
    """i32 → narrower or wider → i32, with an operation between that keeps folders away."""
    element, factor = k.rng.choice([("i8", 4), ("i16", 2), ("f16", 2), ("i64", 0.5), ("f32", 1)])
    outer = k.shape(k.rng.randint(0, 1), 3)
    count = 2 * k.rng.randint(1, 5)
    shape, narrow = outer + [count], outer + [int(count * factor)]
    x = k.input(shape, "i32")
    y = k.op(f"vector.bitcast {x} : {vec(shape, 'i32')} to {vec(narrow, element)}")
    if element.startswith("i"):
        y = k.op(f"arith.addi {y}, {y} : {vec(narrow, element)}")
    order = list(range(narrow[0]))
    k.rng.shuffle(order)
    y = k.op(f"vector.shuffle {y}, {y} {order} : {vec(narrow, element)}, {vec(narrow, element)}")
    k.output(
        k.op(f"vector.bitcast {y} : {vec(narrow, element)} to {vec(shape, 'i32')}"), shape, "i32"
    )


@family
def reduction(k):
    shape, e = [k.rng.randint(1, 17)], element_of(k)
    kind = k.rng.choice(KINDS[e])
    x = k.input(shape, e)
    accumulator, masked = "", k.rng.random() < 0.4
    if k.rng.random() < 0.5 or masked:
        accumulator = ", " + k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}")
    text = f"vector.reduction <{kind}>, {x}{accumulator} : {vec(shape, e)} into {e}"
    if masked and not (e == "f32" and kind in ("minimumf", "maximumf")):
        mask = k.mask(shape)
        text = f"vector.mask {mask} {{ {text} }} : {vec(shape, 'i1')} -> {e}"
    k.scalar_output(k.op(text), e)


@family
def multi_reduction(k):
    shape, e = k.shape(k.rng.randint(1, 4), 4), element_of(k)
    dims = sorted(k.rng.sample(range(len(shape)), k.rng.randint(1, len(shape))))
    kept = [size for i, size in enumerate(shape) if i not in dims]
    kind = k.rng.choice(KINDS[e])
    x = k.input(shape, e)
    if kept:
        acc, result = k.input(kept, e), vec(kept, e)
    else:
        acc, result = k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}"), e
    y = k.op(f"vector.multi_reduction <{kind}>, {x}, {acc} {dims} : {vec(shape, e)} to {result}")
    k.output(y, kept, e) if kept else k.scalar_output(y, e)


CONTRACTIONS = [  # the iteration space, and the two operands' and the result's part in it
    ("ik", "kj", "ij", "ijk"),
    ("ki", "kj", "ij", "ijk"),
    ("ik", "jk", "ij", "ijk"),
    ("ik", "jk", "ji", "ijk"),
    ("ki", "jk", "ji", "ijk"),
    ("ik", "k", "i", "ik"),
    ("k", "ki", "i", "ik"),
    ("k", "k", "", "k"),
    ("bik", "bkj", "bij", "bijk"),
    ("kbi", "jbk", "bji", "bijk"),
    ("ikl", "lkj", "ij", "ijkl"),
    ("kl", "lk", "", "kl"),
]


@family
def contract(k):
    lhs, rhs, out, space = k.rng.choice(CONTRACTIONS)
    e = element_of(k)
    size = {dim: k.rng.randint(1, 4) for dim in space}
    shapes = [[size[dim] for dim in dims] for dims in (lhs, rhs, out)]
    maps = ", ".join(
        f"affine_map<({', '.join(space)}) -> ({', '.join(dims)})>" for dims in (lhs, rhs, out)
    )
    iterators = ", ".join('"parallel"' if dim in out else '"reduction"' for dim in space)
    x, y = k.input(shapes[0], e), k.input(shapes[1], e)
    if out:
        acc, result = k.input(shapes[2], e), vec(shapes[2], e)
    else:
        acc, result = k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}"), e
    z = k.op(
        f"vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], "
        f"kind = #vector.kind<add>}} {x}, {y}, {acc} : {vec(shapes[0], e)}, {vec(shapes[1], e)} into {result}"
    )
    k.output(z, shapes[2], e) if out else k.scalar_output(z, e)


@family
def outerproduct(k):
    e = element_of(k)
    rows, columns = k.rng.randint(1, 5), k.rng.randint(1, 5)
    kind = k.rng.choice(["add", "mul"])
    if k.rng.random() < 0.3:
        x = k.input([rows], e)
        y = k.op(f"vector.extract {k.input([1], e)}[0] : {e} from {vec([1], e)}")
        acc = k.input([rows], e)
        k.output(
            k.op(
                f"vector.outerproduct {x}, {y}, {acc} {{kind = #vector.kind<{kind}>}} : {vec([rows], e)}, {e}"
            ),
            [rows],
            e,
        )
        return
    x, y, acc = k.input([rows], e), k.input([columns], e), k.input([rows, columns], e)
    types = f"{vec([rows], e)}, {vec([columns], e)}"
    k.output(k.op(f"vector.outerproduct {x}, {y} : {types}"), [rows, columns], e)
    k.output(
        k.op(f"vector.outerproduct {x}, {y}, {acc} {{kind = #vector.kind<{kind}>}} : {types}"),
        [rows, columns],
        e,
    )


@family
def scan(k):
    shape, e = k.shape(k.rng.randint(1, 3), 4), element_of(k)
    dim, kind = k.rng.randrange(len(shape)), k.rng.choice(KINDS[e])
    first = shape[:dim] + shape[dim + 1 :]
    x, y = k.input(shape, e), k.input(first or [1], e)
    if not first:
        y = k.op(f"vector.shape_cast {y} : {vec([1], e)} to {vec([], e)}")
    inclusive = k.rng.choice(["true", "false"])
    a, b = k.op(
        f"vector.scan <{kind}>, {x}, {y} {{inclusive = {inclusive}, reduction_dim = {dim} : i64}} : "
        f"{vec(shape, e)}, {vec(first, e)}",
        2,
    )
    k.output(a, shape, e)
    k.output(b, first, e)


@family
def masks(k):
    shape = k.shape(k.rng.randint(1, 3), 5)
    sizes = ", ".join(k.rng.choice(["%a", "%b"]) for _ in shape)
    k.output(k.op(f"vector.create_mask {sizes} : {vec(shape, 'i1')}"), shape, "i1")
    fixed = [k.rng.randint(0, size) for size in shape]
    fixed = [0] * len(shape) if 0 in fixed else fixed
    k.output(k.op(f"vector.constant_mask {fixed} : {vec(shape, 'i1')}"), shape, "i1")
    count = k.rng.randint(1, 9)
    k.output(k.op(f"vector.step : {vec([count], 'index')}"), [count], "index")


@family
def fma(k):
    shape = k.shape(k.rng.randint(1, 2), 6)
    x, y, z = k.input(shape), k.input(shape), k.input(shape)
    k.output(k.op(f"vector.fma {x}, {y}, {z} : {vec(shape, 'f32')}"), shape)


MAPS = [
    ("(d0, d1) -> (d0, d1)", 2),
    ("(d0, d1) -> (d1, d0)", 2),
    ("(d0, d1) -> (d1)", 1),
    ("(d0, d1) -> (d0)", 1),
    ("(d0, d1) -> (0, d1)", 2),
    ("(d0, d1) -> (d0, 0)", 2),
    ("(d0, d1) -> (d1, 0, d0)", 3),
]


def transfer_attributes(k, text, rank, reach):
    """in_bounds where the slice fits whatever %a and %b are: they are below 4."""
    results = text.split("->")[1].strip(" ()").split(", ")
    extents = {"d0": ROWS, "d1": COLUMNS}
    bounds = []
    for result, size in zip(results, reach):
        fits = result == "0" or 3 + size <= extents[result]
        bounds.append("true" if result == "0" or (fits and k.rng.random() < 0.5) else "false")
    return f"{{permutation_map = affine_map<{text}>, in_bounds = [{', '.join(bounds)}]}}"


def transfer_mask(k, text, shape):
    """The mask has the dimensions of the memref that are read, in its order."""
    results = text.split("->")[1].strip(" ()").split(", ")
    sizes = [size for result, size in sorted(zip(results, shape)) if result != "0"]
    return k.mask(sizes), vec(sizes, "i1")


@family
def transfer_read(k):
    text, rank = k.rng.choice(MAPS)
    shape = k.shape(rank, 9)
    pad = k.op("arith.constant -3.5 : f32")
    attributes = transfer_attributes(k, text, rank, shape)
    mask, masked = "", k.rng.random() < 0.4
    if masked:
        bits, bits_type = transfer_mask(k, text, shape)
        mask = ", " + bits
    x = k.op(
        f"vector.transfer_read %g[%a, %b], {pad}{mask} {attributes} : memref<?x?xf32>, {vec(shape, 'f32')}"
    )
    k.output(x, shape)


@family
def transfer_write(k):
    text, rank = k.rng.choice(
        [pair for pair in MAPS if "0" not in pair[0].split("->")[1].replace("d0", "")]
    )
    shape = k.shape(rank, 9)
    attributes = transfer_attributes(k, text, rank, shape)
    x = k.input(shape)
    mask = ", " + transfer_mask(k, text, shape)[0] if k.rng.random() < 0.4 else ""
    k.op(
        f"vector.transfer_write {x}, %h[%a, %b]{mask} {attributes} : {vec(shape, 'f32')}, memref<?x?xf32>",
        0,
    )


@family
def masked_transfer(k):
    shape = k.shape(2, 6)
    pad = k.op("arith.constant 7.0 : f32")
    size = k.op(f"vector.create_mask %a, %b : {vec(shape, 'i1')}")
    x = k.op(
        f"vector.mask {size} {{ vector.transfer_read %g[%b, %a], {pad} : memref<?x?xf32>, {vec(shape, 'f32')} }}"
        f" : {vec(shape, 'i1')} -> {vec(shape, 'f32')}"
    )
    k.output(x, shape)
    k.op(
        f"vector.mask {size} {{ vector.transfer_write {x}, %h[%a, %a] : {vec(shape, 'f32')}, memref<?x?xf32> }}"
        f" : {vec(shape, 'i1')}",
        0,
    )


@family
def load_store(k):
    shape = [k.rng.randint(1, 5), k.rng.randint(1, 7)]
    zero = k.op("arith.constant 0.0 : f32")
    # Upstream's way to LLVM has no loads of several rows: transfers without bounds are the same.
    bounds = "{in_bounds = [true, true]}"
    x = k.op(
        f"vector.load %g[%a, %b] : memref<?x?xf32>, {vec(shape, 'f32')}",
        upstream=f"vector.transfer_read %g[%a, %b], {zero} {bounds} : memref<?x?xf32>, {vec(shape, 'f32')}",
    )
    k.op(
        f"vector.store {x}, %h[%b, %a] : memref<?x?xf32>, {vec(shape, 'f32')}",
        0,
        upstream=f"vector.transfer_write {x}, %h[%b, %a] {bounds} : {vec(shape, 'f32')}, memref<?x?xf32>",
    )


@family
def masked_load_store(k):
    count = k.rng.randint(1, 9)
    mask, other = k.mask([count]), k.input([count])
    types = f"{vec([count], 'i1')}, {vec([count], 'f32')}"
    read = k.rng.choice(["maskedload", "expandload"])
    x = k.op(
        f"vector.{read} %f[%a], {mask}, {other} : memref<{SIZE}xf32>, {types} into {vec([count], 'f32')}"
    )
    k.output(x, [count])
    write = k.rng.choice(["maskedstore", "compressstore"])
    start = k.index(SIZE - 16)
    k.op(f"vector.{write} %o[{start}], {mask}, {x} : memref<{SIZE}xf32>, {types}", 0)


@family
def gather_scatter(k):
    count = k.rng.randint(1, 9)
    fifteen = k.op(f"arith.constant dense<15> : {vec([count], 'i32')}")
    at = k.op(f"arith.andi {k.input([count], 'i32')}, {fifteen} : {vec([count], 'i32')}")
    mask, other = k.mask([count]), k.input([count])
    types = f"{vec([count], 'i32')}, {vec([count], 'i1')}, {vec([count], 'f32')}"
    x = k.op(
        f"vector.gather %f[%a] [{at}], {mask}, {other} : memref<{SIZE}xf32>, {types} into {vec([count], 'f32')}"
    )
    k.output(x, [count])
    order = list(range(count))
    k.rng.shuffle(order)
    places = k.op(f"arith.constant dense<{order}> : {vec([count], 'i32')}")
    start = k.index(SIZE - 16)
    k.op(f"vector.scatter %o[{start}] [{places}], {mask}, {x} : memref<{SIZE}xf32>, {types}", 0)


@family
def control_flow(k):
    shape = k.shape(k.rng.randint(1, 2), 5)
    t = vec(shape, "f32")
    x = k.input(shape)
    zero, one = k.index(0), k.index(1)
    two = k.index(2)
    result = k.name()
    k.lines.append(
        f"{result} = scf.for %j = {zero} to %b step {one} iter_args(%acc = {x}) -> {t} {{"
    )
    k.lines.append(f"  %odd = arith.remui %j, {two} : index")
    k.lines.append(f"  %is = arith.cmpi eq, %odd, {zero} : index")
    k.lines.append(f"  %next = scf.if %is -> {t} {{")
    k.lines.append(f"    %s = arith.addf %acc, {x} : {t}")
    k.lines.append(f"    scf.yield %s : {t}")
    k.lines.append("  } else {")
    k.lines.append(f"    %s = arith.negf %acc : {t}")
    k.lines.append(f"    scf.yield %s : {t}")
    k.lines.append("  }")
    k.lines.append(f"  scf.yield %next : {t}")
    k.lines.append("}")
    k.output(result, shape)
    chosen = k.name()
    k.lines.append(f"{chosen} = scf.index_switch %a -> {t}")
    k.lines.append(f"case 0 {{ scf.yield {x} : {t} }}")
    k.lines.append(f"case 2 {{ %s = arith.addf {x}, {result} : {t}")
    k.lines.append(f"  scf.yield %s : {t} }}")
    k.lines.append(f"default {{ scf.yield {result} : {t} }}")
    k.output(chosen, shape)


def at_run_time(k, shape, at):
    """The row-major number of the first element at `at`, as upstream text of one dimension."""
    lines, total = [], k.name()
    lines.append(f"{total} = arith.constant 0 : index")
    for dim, index in enumerate(at):
        stride, scaled, following = k.name(), k.name(), k.name()
        if not index.startswith("%"):
            fixed = k.name()
            lines.append(f"{fixed} = arith.constant {index} : index")
            index = fixed
        lines.append(f"{stride} = arith.constant {product(shape[dim + 1 :])} : index")
        lines.append(f"{scaled} = arith.muli {index}, {stride} : index")
        lines.append(f"{following} = arith.addi {total}, {scaled} : index")
        total = following
    return lines, total


@family
def dynamic_parts(k):
    """Upstream knows run-time positions in one dimension only: there, element after element."""
    shape, e = k.shape(k.rng.randint(1, 3), 6), element_of(k)
    flat, whole = vec([product(shape)], e), vec(shape, e)
    x = k.input(shape, e)
    at = position(k, shape, True)
    part = shape[len(at) :]
    count = product(part)
    part_type = vec(part, e) if part else e
    lines, first = at_run_time(k, shape, at)
    before = k.name()
    lines.append(f"{before} = vector.shape_cast {x} : {whole} to {flat}")
    found, places = [], []
    for i in range(count):
        offset, place, element = k.name(), k.name(), k.name()
        lines.append(f"{offset} = arith.constant {i} : index")
        lines.append(f"{place} = arith.addi {first}, {offset} : index")
        lines.append(f"{element} = vector.extract {before}[{place}] : {e} from {flat}")
        found.append(element)
        places.append(place)
    y = k.name()
    if part:
        lines.append(f"{y} = vector.from_elements {', '.join(found)} : {part_type}")
    else:
        lines.append(f"{y} = vector.extract {before}[{first}] : {e} from {flat}")
    text = f"{y} = vector.extract {x}[{', '.join(at)}] : {part_type} from {whole}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(lines)
    k.output(y, part, e) if part else k.scalar_output(y, e)

    new, z, lines = k.input(part or [1], e), k.name(), []
    value = new if part else k.op(f"vector.extract {new}[0] : {e} from {vec([1], e)}")
    flat_part = k.name()
    if part:
        lines.append(f"{flat_part} = vector.shape_cast {new} : {part_type} to {vec([count], e)}")
    current = before
    for i in range(count):
        element, following = k.name(), k.name()
        source = f"{flat_part}[{i}] : {e} from {vec([count], e)}" if part else ""
        lines.append(f"{element} = vector.extract {source or f'{new}[0] : {e} from {vec([1], e)}'}")
        lines.append(
            f"{following} = vector.insert {element}, {current}[{places[i]}] : {e} into {flat}"
        )
        current = following
    lines.append(f"{z} = vector.shape_cast {current} : {flat} to {whole}")
    text = f"{z} = vector.insert {value}, {x}[{', '.join(at)}] : {part_type} into {whole}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(lines)
    k.output(z, shape, e)


@family
def long_dynamic(k):
    shape, e = [k.rng.randint(9, 33)], element_of(k)
    x = k.input(shape, e)
    y = k.op(f"vector.extract {x}[%a] : {e} from {vec(shape, e)}")
    k.output(k.op(f"vector.insert {y}, {x}[%b] : {e} into {vec(shape, e)}"), shape, e)
    m = k.mask(shape)
    bit = k.op(f"vector.extract {m}[%b] : i1 from {vec(shape, 'i1')}")
    m = k.op(f"vector.insert {bit}, {m}[%a] : i1 into {vec(shape, 'i1')}")
    k.output(m, shape, "i1")


@family
def masked_contract(k):
    """Upstream, masked products are replaced by zeros."""
    i, j, n = (k.rng.randint(1, 4) for _ in range(3))
    e = element_of(k)
    lhs, rhs, acc = k.input([i, n], e), k.input([n, j], e), k.input([i, j], e)
    mask, space = k.mask([i, j, n]), vec([i, j, n], e)
    text = (
        "vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
        "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], "
        'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} '
        f"{lhs}, {rhs}, {acc} : {vec([i, n], e)}, {vec([n, j], e)} into {vec([i, j], e)}"
    )
    a, b, c, d, p, q, zero = (k.name() for _ in range(7))
    result = k.name()
    bits = vec([i, j, n], "i1")
    suffix = "f" if e == "f32" else "i"
    lines = [
        f"{a} = vector.broadcast {lhs} : {vec([i, n], e)} to {vec([j, i, n], e)}",
        f"{b} = vector.transpose {a}, [1, 0, 2] : {vec([j, i, n], e)} to {space}",
        f"{c} = vector.transpose {rhs}, [1, 0] : {vec([n, j], e)} to {vec([j, n], e)}",
        f"{d} = vector.broadcast {c} : {vec([j, n], e)} to {space}",
        f"{p} = arith.mul{suffix} {b}, {d} : {space}",
        f"{zero} = arith.constant dense<{'0.0' if e == 'f32' else '0'}> : {space}",
        f"{q} = arith.select {mask}, {p}, {zero} : {bits}, {space}",
        f"{result} = vector.multi_reduction <add>, {q}, {acc} [2] : {space} to {vec([i, j], e)}",
    ]
    text = f"{result} = vector.mask {mask} {{ {text} }} : {bits} -> {vec([i, j], e)}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(lines)
    k.output(result, [i, j], e)


@family
def masked_multi_reduction(k):
    shape = k.shape(k.rng.randint(2, 3), 4)
    dims = sorted(k.rng.sample(range(len(shape)), k.rng.randint(1, len(shape) - 1)))
    kept = [size for i, size in enumerate(shape) if i not in dims]
    kind, none = k.rng.choice([("add", 0), ("mul", 1), ("maxsi", -(2**31)), ("and", -1)])
    x, acc, mask = k.input(shape, "i32"), k.input(kept, "i32"), k.mask(shape)
    whole, bits, result = vec(shape, "i32"), vec(shape, "i1"), k.name()
    neutral, chosen = k.name(), k.name()
    reduce = "vector.multi_reduction <{}>, {}, {} {} : {} to {}".format
    text = (
        f"{result} = vector.mask {mask} {{ {reduce(kind, x, acc, dims, whole, vec(kept, 'i32'))} }}"
        f" : {bits} -> {vec(kept, 'i32')}"
    )
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(
        [
            f"{neutral} = arith.constant dense<{none}> : {whole}",
            f"{chosen} = arith.select {mask}, {x}, {neutral} : {bits}, {whole}",
            f"{result} = {reduce(kind, chosen, acc, dims, whole, vec(kept, 'i32'))}",
        ]
    )
    k.output(result, kept, "i32")


@family
def mixed_contract(k):
    """Narrow operands, wide result. Upstream, they are widened first."""
    i, j, n = (k.rng.randint(1, 5) for _ in range(3))
    narrow, wide = k.rng.choice([("f16", "f32"), ("i8", "i32"), ("i16", "i32")])
    cast, back = ("truncf", "extf") if wide == "f32" else ("trunci", "extsi")
    x, y, acc = k.input([i, n], wide), k.input([n, j], wide), k.input([i, j], wide)
    x = k.op(f"arith.{cast} {x} : {vec([i, n], wide)} to {vec([i, n], narrow)}")
    y = k.op(f"arith.{cast} {y} : {vec([n, j], wide)} to {vec([n, j], narrow)}")

    def contract(x, y, element):
        return (
            "vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, "
            "affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], "
            'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} '
            f"{x}, {y}, {acc} : {vec([i, n], element)}, {vec([n, j], element)}"
            f" into {vec([i, j], wide)}"
        )

    a, b, z = k.name(), k.name(), k.name()
    text = f"{z} = {contract(x, y, narrow)}"
    k.lines.append(text)
    k.upstream[text] = "\n    ".join(
        [
            f"{a} = arith.{back} {x} : {vec([i, n], narrow)} to {vec([i, n], wide)}",
            f"{b} = arith.{back} {y} : {vec([n, j], narrow)} to {vec([n, j], wide)}",
            f"{z} = {contract(a, b, wide)}",
        ]
    )
    k.output(z, [i, j], wide)


@family
def narrow_types(k):
    shape, e = [k.rng.randint(1, 11)], k.rng.choice(["i8", "i16", "i64"])
    cast, back = ("trunci", "extsi") if e != "i64" else ("extsi", "trunci")
    x = k.input(shape, "i32")
    x = k.op(f"arith.{cast} {x} : {vec(shape, 'i32')} to {vec(shape, e)}")
    kind = k.rng.choice(KINDS["i32"])
    s = k.op(f"vector.reduction <{kind}>, {x} : {vec(shape, e)} into {e}")
    y = k.op(f"vector.broadcast {s} : {e} to {vec(shape, e)}")
    z = k.op(f"vector.interleave {x}, {y} : {vec(shape, e)} -> {vec([2 * shape[0]], e)}")
    twice = [2 * shape[0]]
    k.output(k.op(f"arith.{back} {z} : {vec(twice, e)} to {vec(twice, 'i32')}"), twice, "i32")


@family
def strided_memref(k):
    """Neighbours in the vector are not neighbours in memory."""
    layout = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
    one, two, four, five = (k.index(value) for value in (1, 2, 4, 5))
    view = f"[{one}, {one}] [{four}, {five}] [{two}, {two}]"
    g = k.op(f"memref.subview %g{view} : memref<?x?xf32> to {layout}")
    h = k.op(f"memref.subview %h{view} : memref<?x?xf32> to {layout}")
    shape = k.shape(2, 6)
    pad = k.op("arith.constant 0.25 : f32")
    x = k.op(f"vector.transfer_read {g}[%a, %b], {pad} : {layout}, {vec(shape, 'f32')}")
    k.output(x, shape)
    k.op(f"vector.transfer_write {x}, {h}[%b, %a] : {vec(shape, 'f32')}, {layout}", 0)


@family
def rank_zero(k):
    pad = k.op("arith.constant 0.25 : f32")
    attributes = "{permutation_map = affine_map<(d0, d1) -> ()>}"
    x = k.op(f"vector.transfer_read %g[%a, %b], {pad} {attributes} : memref<?x?xf32>, vector<f32>")
    y = k.op(f"arith.addf {x}, {x} : vector<f32>")
    k.op(f"vector.transfer_write {y}, %h[%b, %a] {attributes} : vector<f32>, memref<?x?xf32>", 0)
    k.scalar_output(k.op(f"vector.extract {y}[] : f32 from vector<f32>"))


@family
def masked_rows(k):
    """Masked accesses to the second dimension of a memref."""
    count = k.rng.randint(1, 7)
    mask, other = k.mask([count]), k.input([count])
    types = f"memref<?x?xf32>, {vec([count], 'i1')}, {vec([count], 'f32')}"
    read = k.rng.choice(["maskedload", "expandload"])
    x = k.op(f"vector.{read} %g[%a, %b], {mask}, {other} : {types} into {vec([count], 'f32')}")
    k.output(x, [count])
    write = k.rng.choice(["maskedstore", "compressstore"])
    k.op(f"vector.{write} %h[%b, %a], {mask}, {x} : {types}", 0)


def functions(rng, rounds):
    """(name, text, text for upstream) of every kernel."""
    for make in FAMILIES:
        for number in range(rounds):
            kernel = Kernel(rng)
            make(kernel)
            lines = [kernel.upstream.get(line, line) for line in kernel.lines]
            yield f"{make.__name__}_{number}", "\n    ".join(kernel.lines), "\n    ".join(lines)


def run(command, text):
    process = subprocess.run(command, input=text, capture_output=True, text=True)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{process.stderr[:4000]}")
    return process.stdout


def reference(kernels):
    text = "".join(
        f"func.func @{name}({SIGNATURE}) attributes {{llvm.emit_c_interface}} {{\n    {body}\n    return\n}}\n"
        for name, _, body in kernels
    )
    return run(
        [
            "mlir-opt",
            "-",
            "--pass-pipeline=builtin.module(func.func(lower-vector-mask,test-vector-scan-lowering,lower-vector-multi-reduction),"
            "convert-vector-to-scf{full-unroll=true},canonicalize)",
        ],
        text,
    )


def ours(kernels):
    text = (
        "gpu.module @kernels {\n"
        + "".join(
            f"gpu.func @{name}({SIGNATURE}) kernel {{\n    {body}\n    gpu.return\n}}\n"
            for name, body, _ in kernels
        )
        + "}\n"
    )
    text = run(["pumice-opt", "-", "--pumice-lower-vectors", "--pumice-split-vectors"], text)
    check_shader_ops(text)
    text = text[text.index("gpu.module @kernels") : text.rindex("}")]  # what the outer module holds
    text = text.replace("gpu.module @kernels", "module").replace("gpu.return", "return")
    text = re.sub(
        r"gpu\.func (@.*) kernel \{", r"func.func \1 attributes {llvm.emit_c_interface} {", text
    )
    return text.replace(", #gpu.address_space<private>", "")


def check_shader_ops(text):
    """Only the operations and types that pumice-split-vectors promises may be left."""
    left = set(re.findall(r"vector\.\w+", text))
    promised = {
        f"vector.{op}"
        for op in "bitcast broadcast extract from_elements insert load shuffle store".split()
    }
    if left - promised:
        sys.exit(f"left over: {sorted(left - promised)}")
    for shape in re.findall(r"vector<([^>]*)>", text):
        if not re.fullmatch(r"[234]x\w+", shape):
            sys.exit(f"left over: vector<{shape}>")


def build(text, folder, name):
    llvm = run(
        [
            "mlir-opt",
            "-",
            "--pass-pipeline=builtin.module(convert-vector-to-scf{full-unroll=true},convert-scf-to-cf,"
            "convert-vector-to-llvm{force-32bit-vector-indices=0},expand-strided-metadata,"
            "lower-affine,convert-math-to-llvm,convert-math-to-libm,convert-arith-to-llvm,convert-index-to-llvm,"
            "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
            "reconcile-unrealized-casts)",
        ],
        text,
    )
    ir = run(["mlir-translate", "--mlir-to-llvmir"], llvm)
    path = os.path.join(folder, name)
    with open(path + ".ll", "w") as file:
        file.write(ir)
    subprocess.run(
        [
            "clang",
            "-O0",
            "-mfma",
            "-mf16c",
            "-w",
            "-shared",
            "-fPIC",
            path + ".ll",
            "-o",
            path + ".so",
            "-lm",
        ],
        check=True,
    )
    return ctypes.CDLL(path + ".so")


def descriptor(array, sizes):
    """What _mlir_ciface_ functions take for a memref."""
    rank = len(sizes)

    class Memref(ctypes.Structure):
        _fields_ = [
            ("base", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * rank),
            ("strides", ctypes.c_int64 * rank),
        ]

    strides = [product(sizes[i + 1 :]) for i in range(rank)]
    address = ctypes.addressof(array)
    return Memref(
        address, address, 0, (ctypes.c_int64 * rank)(*sizes), (ctypes.c_int64 * rank)(*strides)
    )


def execute(library, name, inputs):
    """The three output buffers' bytes."""
    floats, ints, grid, a, b = inputs
    outs = [
        (ctypes.c_float * SIZE)(),
        (ctypes.c_int32 * SIZE)(),
        (ctypes.c_float * (ROWS * COLUMNS))(),
    ]
    shapes = [[SIZE], [SIZE], [ROWS, COLUMNS]]
    reads = [descriptor(array, shape) for array, shape in zip((floats, ints, grid), shapes)]
    writes = [descriptor(array, shape) for array, shape in zip(outs, shapes)]
    pointers = [ctypes.byref(memref) for memref in reads]
    pointers += [ctypes.c_int64(a), ctypes.c_int64(b)]
    pointers += [ctypes.byref(memref) for memref in writes]
    getattr(library, f"_mlir_ciface_{name}")(*pointers)
    return [list(out) for out in outs]


def random_inputs(rng):
    # Small whole numbers: every order of the same sums gives the same bits.
    floats = (ctypes.c_float * SIZE)(*[float(rng.randint(-4, 4)) for _ in range(SIZE)])
    ints = (ctypes.c_int32 * SIZE)(*[rng.randint(-(2**31), 2**31 - 1) for _ in range(SIZE)])
    grid = (ctypes.c_float * (ROWS * COLUMNS))(
        *[float(rng.randint(-99, 99)) for _ in range(ROWS * COLUMNS)]
    )
    return floats, ints, grid, rng.randrange(4), rng.randrange(4)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--keep", help="a folder for the intermediate files")
    arguments = parser.parse_args()
    seed = random.randrange(10**9) if arguments.seed is None else arguments.seed
    print(f"seed {seed}")
    rng = random.Random(seed)
    kernels = list(functions(rng, arguments.rounds))
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or temporary
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "kernels.txt"), "w") as file:
            file.write("\n".join(f"{name}:\n    {body}" for name, body, _ in kernels))
        mine = ours(kernels)
        with open(os.path.join(folder, "ours.mlir"), "w") as file:
            file.write(mine)
        expected = build(reference(kernels), folder, "reference")
        actual = build(mine, folder, "ours")
        failed = 0
        for name, body, _ in kernels:
            for _ in range(3):
                inputs = random_inputs(rng)
                want, got = execute(expected, name, inputs), execute(actual, name, inputs)
                if repr(want) != repr(got):
                    failed += 1
                    print(f"{name} differs (a = {inputs[3]}, b = {inputs[4]}):\n    {body}")
                    for buffer, (x, y) in enumerate(zip(want, got)):
                        places = [i for i in range(len(x)) if repr(x[i]) != repr(y[i])]
                        for i in places[:8]:
                            print(f"  buffer {buffer}[{i}]: expected {x[i]}, got {y[i]}")
                    break
    print(f"{len(kernels) - failed} of {len(kernels)} kernels agree")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
