"""Runs kernels of tile operations with random layouts, and compares what they store with NumPy.

    execute-tiles.py [--seed N] [--count N] [--lanes N] [--subgroups N]
                     [--device NAME] [--no-cas]

Each kernel loads a tensor in one layout, performs one operation, and stores the result in the layout
that follows. This script computes the layouts independently. The operation of tile.scan does not commute.
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np


class Layout:
    """A layout: the images of the bits of registers, lanes and subgroups, as row-major numbers of elements."""

    def __init__(self, bits, registers, lanes, subgroups):
        self.bits, self.registers = list(bits), list(registers)
        self.lanes, self.subgroups = list(lanes), list(subgroups)

    @property
    def shape(self):
        return [1 << b for b in self.bits]

    def text(self):
        def point(number):
            coordinates = []
            for b in reversed(self.bits):
                coordinates.insert(0, str(number & ((1 << b) - 1)))
                number >>= b
            return f"[{', '.join(coordinates)}]"

        def images(numbers):
            return f"[{', '.join(point(n) for n in numbers)}]"

        return (f"#tile.layout<[{', '.join(map(str, self.shape))}], register = "
                f"{images(self.registers)}, lane = {images(self.lanes)}, subgroup = "
                f"{images(self.subgroups)}>")

    def type(self, element="i32"):
        return f"tensor<{'x'.join(map(str, self.shape))}x{element}, {self.text()}>"

    def map(self, bits, change):
        """Returns a layout of dimensions with `bits` bits. `change` maps coordinates of elements to new ones."""
        def moved(number):
            coordinates = []
            for b in reversed(self.bits):
                coordinates.insert(0, number & ((1 << b) - 1))
                number >>= b
            result = 0
            for b, c in zip(bits, change(coordinates)):
                result = result << b | c
            return result

        return Layout(bits, map(moved, self.registers), map(moved, self.lanes),
                      map(moved, self.subgroups))

    def flat(self):
        return Layout([sum(self.bits)], self.registers, self.lanes, self.subgroups)

    def without(self, axis):
        rest = lambda list_: list_[:axis] + list_[axis + 1:]
        result = self.map(rest(self.bits), rest)
        kept, known = [], [0]
        for image in result.registers:  # the span of the registers before it
            if image not in known:
                kept.append(image)
                known += [image ^ k for k in known]
        result.registers = kept
        return result


def any_layout(rng, bits, places, copies):
    lane_bits = places[0]
    total = sum(bits)
    images = [1 << b for b in range(total)]
    for _ in range(rng.choice([0, 0, total])):
        a, b = rng.randrange(total), rng.randrange(total)
        if a != b:
            images[a] ^= images[b]
    images += [rng.choice([0, rng.randrange(1 << total)])
               for _ in range(max(sum(places) - total, 0) + copies)]
    rng.shuffle(images)
    return Layout(bits, images[sum(places):], images[:lane_bits], images[lane_bits:sum(places)])


class Kernel:
    """The text of a kernel, its buffers, and the expected contents of y."""

    def __init__(self, name, inputs):
        self.name, self.lines, self.count = name, [], 0
        self.buffers = {"x": inputs}

    def emit(self, text, type_=None):
        self.count += 1
        value = f"%v{self.count}"
        self.lines.append(f"{value} = {text}" if type_ is None else f"{value} = {text} : {type_}")
        return value

    def range(self, layout):
        flat = layout.flat()
        size = flat.shape[0]
        value = self.emit(f"tile.range 0 to {size} : {flat.type()}")
        if layout.bits != flat.bits:
            value = self.emit(f"tile.reshape {value} : {flat.type()} -> {layout.type()}")
        return value

    def load(self, name, layout):
        at = self.range(layout)
        return self.emit(f"tile.load from %{name} at {at} : (memref<?xi32>, {layout.type()}) -> "
                         f"{layout.type()}")

    def store(self, value, layout, expected):
        at = self.range(layout)
        self.lines.append(f"tile.store {value} to %y at {at} : ({layout.type()}, memref<?xi32>, "
                          f"{layout.type()})")
        self.expected = np.asarray(expected).reshape(-1)

    def text(self):
        arguments = ", ".join(f"%{n}: memref<?xi32>" for n in [*self.buffers, "y"])
        body = "\n    ".join(self.lines)
        return f"  gpu.func @{self.name}({arguments}) kernel {{\n    {body}\n    gpu.return\n  }}\n"


def wrap(array):
    return (np.asarray(array, dtype=np.int64) & 0xFFFFFFFF).astype(np.uint32).astype(np.int32)


def convert(k, rng, x, a, places):
    b = any_layout(rng, a.bits, places, rng.randrange(3))
    t = k.load("x", a)
    c = k.emit(f"tile.convert_layout {t} : {a.type()} -> {b.type()}")
    k.store(c, b, x)


def reduce(k, rng, x, a, places):
    axis = rng.randrange(len(a.bits))
    r = a.without(axis)
    t = k.load("x", a)
    result = r.type() if r.bits else "i32"
    s = k.emit(f"tile.reduce {t} axis {axis} : ({a.type()}) -> {result} {{\n"
               "    ^bb0(%a: i32, %b: i32):\n      %s = arith.addi %a, %b : i32\n"
               "      tile.yield %s : i32\n    }")
    if not r.bits:
        r = Layout([0], [], [0] * places[0], [0] * places[1])
        s = k.emit(f"tile.splat {s} : i32 -> {r.type()}")
    k.store(s, r, wrap(x.astype(np.int64).sum(axis)))


def scan(k, rng, x, a, places):
    """Scans or reduces with compositions of p·v + q. The second operand is the square of the first one."""
    axis, reverse = rng.randrange(len(a.bits)), rng.random() < 0.5
    t = k.load("x", a)
    u = k.emit(f"arith.muli {t}, {t} : {a.type()}")
    k.lines.append(
        f"%p, %q = tile.scan {t}, {u} axis {axis}{' reverse' if reverse else ''} : ({a.type()}, "
        f"{a.type()}) -> ({a.type()}, {a.type()}) {{\n"
        "    ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):\n      %ac = arith.muli %a, %c : i32\n"
        "      %bc = arith.muli %b, %c : i32\n      %s = arith.addi %bc, %d : i32\n"
        "      tile.yield %ac, %s : i32, i32\n    }")
    p, q = np.moveaxis(x, axis, 0).astype(np.uint32).copy(), None
    q = p * p
    if reverse:
        p, q = p[::-1].copy(), q[::-1].copy()
    with np.errstate(over="ignore"):
        for i in range(1, len(p)):
            p[i], q[i] = p[i - 1] * p[i], q[i - 1] * p[i] + q[i]
    if reverse:
        q = q[::-1]
    k.store("%q", a, np.moveaxis(q, 0, axis).astype(np.int32))


def gather(k, rng, x, a, places):
    axis = rng.randrange(len(a.bits))
    bits = list(a.bits)
    bits[axis] = rng.randrange(4)
    r = any_layout(rng, bits, places, rng.randrange(2))
    indices = np.array([rng.randrange(a.shape[axis]) for _ in range(1 << sum(bits))],
                       dtype=np.int32).reshape(r.shape)
    k.buffers["indices"] = indices
    t, i = k.load("x", a), k.load("indices", r)
    g = k.emit(f"tile.gather {t}[{i}] axis {axis} : ({a.type()}, {r.type()}) -> {r.type()}")
    k.store(g, r, np.take_along_axis(x, indices, axis))


def views(k, rng, x, a, places):
    """Transposes a tensor, joins it with itself plus one, repeats it, and subtracts the halves."""
    order = list(range(len(a.bits)))
    rng.shuffle(order)
    turn = lambda list_: [list_[d] for d in order]
    b = a.map(turn(a.bits), turn)
    t = k.load("x", a)
    t = k.emit(f"tile.trans {t} [{', '.join(map(str, order))}] : {a.type()} -> {b.type()}")
    one = k.emit(f"arith.constant dense<1> : {b.type()}")
    u = k.emit(f"arith.addi {t}, {one} : {b.type()}")
    j = b.map(b.bits + [1], lambda c: c + [0])
    j.registers = [1] + j.registers
    joined = k.emit(f"tile.join {t}, {u} : {b.type()} -> {j.type()}")
    axis = rng.randrange(len(j.bits) + 1)
    e = j.map(j.bits[:axis] + [0] + j.bits[axis:], lambda c: c[:axis] + [0] + c[axis:])
    w = e.map(e.bits[:axis] + [2] + e.bits[axis + 1:], lambda c: c)
    below = sum(w.bits[axis + 1:])
    w.registers = [1 << below] + w.registers + [2 << below]
    v = k.emit(f"tile.expand_dims {joined} axis {axis} : {j.type()} -> {e.type()}")
    v = k.emit(f"tile.broadcast {v} : {e.type()} -> {w.type()}")
    i = k.range(w)
    v = k.emit(f"arith.addi {v}, {i} : {w.type()}")
    expected = x.transpose(order)
    expected = np.stack([expected, expected + 1], -1)
    expected = np.broadcast_to(np.expand_dims(expected, axis), w.shape)
    k.store(v, w, expected + np.arange(1 << sum(w.bits)).reshape(w.shape))


def dot(k, rng, x, a, places):
    """Multiplies x by a matrix (or a batch) of another layout, and adds an accumulator."""
    batch = [rng.randrange(3)] if rng.random() < 0.5 else []
    m, n, d = (rng.randrange(4) for _ in range(3))

    def operand(name, bits):
        layout = any_layout(rng, bits, places, rng.randrange(2))
        values = np.array([rng.randrange(-100, 100) for _ in range(1 << sum(bits))],
                          dtype=np.int32).reshape(layout.shape)
        k.buffers[name] = values
        return k.load(name, layout), layout, values

    u, a, left = operand("x", batch + [m, d])
    v, b, right = operand("right", batch + [d, n])
    c = any_layout(rng, batch + [m, n], places, rng.randrange(2))
    i = k.range(c)
    p = k.emit(f"tile.dot {u}, {v}, {i} : {a.type()}, {b.type()} -> {c.type()}")
    k.store(p, c, left @ right + np.arange(1 << sum(c.bits)).reshape(c.shape))


def atomic(k, rng, x, a, places):
    """Adds to y atomically, in any order."""
    to = np.array([rng.randrange(8) for _ in range(x.size)], dtype=np.int32)
    k.buffers["places"] = to.reshape(x.shape)
    t, i = k.load("x", a), k.load("places", a)
    if rng.random() < 0.5:
        k.emit(f'tile.atomic_rmw "add" "relaxed" {t} to %y at {i} : ({a.type()}, memref<?xi32>, '
               f"{a.type()}) -> {a.type()}")
        expected = np.zeros(8, dtype=np.int64)
        np.add.at(expected, to, x.reshape(-1))
    else:
        ones = k.emit(f"arith.constant dense<1> : {a.type()}")
        k.emit(f'tile.atomic_rmw "or" "acq_rel" {ones} to %y at {i} : ({a.type()}, '
               f"memref<?xi32>, {a.type()}) -> {a.type()}")
        expected = np.bincount(to, minlength=8) > 0
    k.expected = wrap(expected)


def exchange(k, rng, x, a, places):
    """Exchanges elements of x, some of them masked off."""
    to = list(range(x.size))
    rng.shuffle(to)
    k.buffers["places"] = np.array(to, dtype=np.int32).reshape(x.shape)
    i = k.load("places", a)
    zero = k.emit(f"arith.constant dense<0> : {a.type()}")
    mask = k.emit(f"arith.cmpi sgt, {i}, {zero} : {a.type()}")
    memory = f"memref<?xi32>, {a.type()}, {a.type('i1')}"
    if rng.random() < 0.5 or not WITH_CAS:
        old = k.emit(f'tile.atomic_rmw "exchange" "relaxed" {i} to %x at {i} mask {mask} : '
                     f"({a.type()}, {memory}) -> {a.type()}")
    else:
        old = k.emit(f'tile.atomic_cas "acq_rel" {zero}, {i} to %x at {i} mask {mask} : '
                     f"({a.type()}, {a.type()}, {memory}) -> {a.type()}")
    flat = x.reshape(-1)
    k.store(old, a, [flat[t] if t > 0 else 0 for t in to])


def histogram(k, rng, x, a, places):
    """Counts the lowest bits of x. In half of the cases, counts only positive elements."""
    r = any_layout(rng, [rng.randrange(7)], places, rng.randrange(2))
    t = k.load("x", a)
    low = k.emit(f"arith.constant dense<{r.shape[0] - 1}> : {a.type()}")
    n = k.emit(f"arith.andi {t}, {low} : {a.type()}")
    counted, values = x.reshape(-1) & (r.shape[0] - 1), x.reshape(-1)
    if rng.random() < 0.5:
        zero = k.emit(f"arith.constant dense<0> : {a.type()}")
        m = k.emit(f"arith.cmpi sgt, {t}, {zero} : {a.type()}")
        h = k.emit(f"tile.histogram {n} mask {m} : ({a.type()}, {a.type('i1')}) -> {r.type()}")
        counted = counted[values > 0]
    else:
        h = k.emit(f"tile.histogram {n} : ({a.type()}) -> {r.type()}")
    k.store(h, r, np.bincount(counted, minlength=r.shape[0]))


# lavapipe of Mesa 22 loses the results of compare-and-swap loops in branches. Mesa 25 does not.
WITH_CAS = "--no-cas" not in sys.argv
KINDS = [atomic, exchange, histogram, convert, reduce, scan, gather, views, dot]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--lanes", type=int, default=8)
    parser.add_argument("--subgroups", type=int, default=1)
    parser.add_argument("--device", default="cpu:0")
    parser.add_argument("--target", default="lavapipe22")
    parser.add_argument("--no-cas", action="store_true")
    parser.add_argument("--loops", help="options of pumice-fuse-fragment-loops; else it is left out")
    options = parser.parse_args()
    places = [options.lanes.bit_length() - 1, options.subgroups.bit_length() - 1]

    kernels, cases = [], []
    for number in range(options.count):
        rng = random.Random(f"{options.seed} {number}")
        kind = KINDS[number % len(KINDS)]
        bits = [0] * rng.randrange(1, 4)
        for _ in range(rng.randrange(8)):
            bits[rng.randrange(len(bits))] += 1
        a = any_layout(rng, bits, places, rng.randrange(3))
        x = np.array([rng.randrange(-1000, 1000) for _ in range(1 << sum(bits))],
                     dtype=np.int32).reshape(a.shape)
        k = Kernel(f"{kind.__name__}{number}", x)
        kind(k, rng, x, a, places)
        kernels.append(k)
        buffers = {name: {"type": "i32", "data": data.reshape(-1).tolist()}
                   for name, data in k.buffers.items()}
        buffers["y"] = {"type": "i32", "count": len(k.expected), "expect": k.expected.tolist()}
        cases.append({"name": k.name, "entry": k.name, "arguments": [*k.buffers, "y"],
                      "buffers": buffers})
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("tiles.mlir"), "w") as file:
            file.write("gpu.module @tiles {\n" + "".join(k.text() for k in kernels) + "}\n")
        with open(path("launch.json"), "w") as file:
            json.dump({"cases": cases}, file)
        for command in (
                ["pumice-opt", path("tiles.mlir"), "-o", path("lanes.mlir"),
                 *([f"--pumice-fuse-fragment-loops={options.loops}"] if options.loops else []),
                 "--pumice-distribute-tiles"],
                ["pumice", "compile", path("lanes.mlir"), "-o", path("tiles.pumice"), "--target",
                 options.target],
                ["pumice", "run", path("tiles.pumice"), "--launch", path("launch.json"),
                 "--device", options.device]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise SystemExit(f"seed {options.seed}: {' '.join(command)}\n"
                                 f"{done.stdout[-3000:]}{done.stderr[:3000]}")
    print(f"seed {options.seed}: {len(kernels)} kernels agree")


main()
