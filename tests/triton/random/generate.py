"""Generates random Triton kernels as Python: trees of expressions, masks, loops, reductions, reshapes.

The result of every kernel is well defined. Indices and shifts are in range, and divisors are not 0. Floats are small
multiples of 1/8, whose sums are exact in any order. Operations that round do so once, as IEEE 754 specifies. So results
are compared for equality.
"""
import functools
import random

import effects

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
ELEMENTS = 4096  # of each input
BEHIND = 256  # extra elements, for the largest factors of products, which start at random offsets
LARGE = 14  # log2 of the elements of a large block


def elements(is_large):
    """Returns the number of elements of each input."""
    return (ELEMENTS if not is_large else 4 << LARGE) + BEHIND

HEADER = """import triton
import triton.language as tl


@triton.jit
def add_up(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def last(a, b):
    return b


@triton.jit
def best(a, i, b, j):
    takes = (a > b) | ((a == b) & (i < j))
    return tl.where(takes, a, b), tl.where(takes, i, j)

""" + effects.HEADER


class Value:
    """A variable of the kernel. `exact` means floats whose sums are exact in any order."""

    def __init__(self, name, shape, dtype, exact=True):
        self.name, self.shape, self.dtype, self.exact = name, shape, dtype, exact

    @property
    def is_float(self):
        return self.dtype in FLOATS

    @property
    def is_bool(self):
        return self.dtype == "int1"


def bits(dtype):
    return int("".join(c for c in dtype if c.isdigit()))


size = effects.size


class Kernel:
    """A random kernel.

    With `is_large`, it has blocks of up to 16384 elements, which become loops on every device. `has_barriers` is for
    devices that run a program on several subgroups."""

    def __init__(self, seed, is_large=False, has_barriers=False):
        self.random = random.Random(seed)
        self.is_large, self.has_barriers = is_large, has_barriers
        self.has_effects = seed >= effects.EFFECTS_FROM
        self.name = f"kernel_{seed}"
        self.lines, self.values, self.inputs, self.outputs = [], [], {}, []
        self.memories = {}  # both read and written
        self.depth, self.count = 1, 0
        self.programs = self.random.choice((1, 2, 3))
        self.emit("pid = tl.program_id(0)")
        for _ in range(3):
            self.load(self.random_shape())
        for _ in range(self.random.randint(4, 14)):
            self.statement()
        for value in self.values[-4:] + self.random.sample(self.values, min(4, len(self.values))):
            self.store(value)

    # Text

    def emit(self, text):
        self.lines.append("    " * self.depth + text)

    def new(self, text, shape, dtype, exact=True):
        self.count += 1
        name = f"v{self.count}"
        self.emit(f"{name} = {text}")
        self.values.append(Value(name, tuple(shape), dtype, exact))
        return self.values[-1]

    def source(self):
        parameters = [f"in_{dtype}" for dtype in self.inputs] + [f"io_{dtype}" for dtype in self.memories] + \
            [f"out{i}" for i in range(len(self.outputs))]
        return f"\n@triton.jit\ndef {self.name}({', '.join(parameters)}):\n" + "\n".join(self.lines) + "\n"

    # Choices

    def limit(self, small, large):
        return large if self.is_large else small

    def random_shape(self):
        dimensions = self.random.choice((1, 1, 2, 2, 3))
        left, shape = LARGE if self.is_large else 10, []
        for _ in range(dimensions):
            log = self.random.randint(0, min(left, self.limit(6, 10) if dimensions > 1 else self.limit(9, LARGE)))
            left -= log
            shape.append(1 << log)
        return tuple(shape)

    def pick(self, wanted=lambda value: True):
        found = [value for value in self.values if wanted(value)]
        return self.random.choice(found) if found else None

    def index(self, shape):
        """Returns the text of the row-major index of each element."""
        parts, step = [], 1
        for axis in reversed(range(len(shape))):
            slots = ", ".join(":" if i == axis else "None" for i in range(len(shape)))
            part = f"tl.arange(0, {shape[axis]})" + (f"[{slots}]" if len(shape) > 1 else "")
            parts.append(part if step == 1 else f"{part} * {step}")
            step *= shape[axis]
        return " + ".join(parts)

    # Statements

    def load(self, shape):
        dtype = self.random.choice(INTEGERS + FLOATS)
        self.inputs[dtype] = None
        start = self.random.randint(0, 64)
        at = f"pid * 16 + {start} + ({self.index(shape)}) * {self.random.choice((1, 1, 1, 2, 3))}"
        more = ""
        if self.random.random() < 0.4:
            bound = self.random.randint(1, size(shape))
            more = f", mask=({self.index(shape)}) < {bound}, other={self.random.choice((0, 1, 3))}"
        return self.new(f"tl.load(in_{dtype} + {at}{more})", shape, dtype)

    def store(self, value):
        shape = value.shape or (1,)
        self.outputs.append((value.dtype, self.programs * size(shape)))
        number = len(self.outputs) - 1
        at = f"out{number} + pid * {size(shape)}" + (f" + ({self.index(shape)})" if value.shape else "")
        if value.shape and self.random.random() < 0.3:
            masked = f", mask=({self.index(shape)}) % 3 != 1"
        else:
            masked = ""
        self.emit(f"tl.store({at}, {value.name}{'.to(tl.int8)' if value.is_bool else ''}{masked})")

    def statement(self):
        kinds = [self.elementwise] * 6 + [self.cast, self.select, self.compare, self.reduce, self.reduce, self.scan,
                                          self.reshape, self.transpose, self.broadcast, self.join, self.split,
                                          self.order, self.gather, self.histogram, self.argument, self.custom]
        if self.is_large:
            kinds += [self.join, self.split, self.split, self.cat, self.interleave, self.reshape]
        if self.has_effects:
            kinds += [functools.partial(each, self) for each in effects.STATEMENTS]
        if self.depth < (3 if self.has_effects else 2):
            kinds += [self.loop, self.loop, self.branch]
        for _ in range(20):
            if self.random.choice(kinds)():
                return

    def elementwise(self):
        a = self.pick(lambda v: not v.is_bool)
        b = self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype) or a
        if a.is_float:
            if self.random.random() < 0.3:
                operation = self.random.choice(("tl.maximum", "tl.minimum"))
                return self.new(f"{operation}({a.name}, {b.name})", a.shape, a.dtype, a.exact and b.exact)
            if self.random.random() < 0.2:
                operation = self.random.choice(("tl.abs", "tl.floor", "tl.ceil", "-"))
                if operation in ("tl.floor", "tl.ceil") and a.dtype == "float16":
                    return None  # Triton supports these for wider types only
                return self.new(f"{operation}({a.name})", a.shape, a.dtype, a.exact)
            operation = self.random.choice("+-*")
            return self.new(f"{a.name} {operation} {b.name}", a.shape, a.dtype, False)
        kind = self.random.randint(0, 5)
        if kind == 0:
            divisor = self.random.choice((1, 2, 3, 5, 7))
            return self.new(f"{a.name} {self.random.choice(('//', '%'))} tl.full({list(a.shape)}, {divisor}, "
                            f"tl.{a.dtype})" if a.shape else f"{a.name} + 1", a.shape, a.dtype)
        if kind == 1 and a.shape:
            shift = self.random.randint(0, bits(a.dtype) - 1)
            return self.new(f"{a.name} {self.random.choice(('<<', '>>'))} tl.full({list(a.shape)}, {shift}, "
                            f"tl.{a.dtype})", a.shape, a.dtype)
        if kind == 2:
            return self.new(f"{self.random.choice(('tl.maximum', 'tl.minimum'))}({a.name}, {b.name})", a.shape, a.dtype)
        if kind == 3 and not a.dtype.startswith("u"):  # the interpreter rejects it for unsigned types
            return self.new(f"~{a.name}", a.shape, a.dtype)
        return self.new(f"{a.name} {self.random.choice('+-*&|^')} {b.name}", a.shape, a.dtype)

    def cast(self):
        a = self.pick(lambda v: v.shape and (not v.is_float or v.exact))
        if not a:
            return None
        to = self.random.choice(INTEGERS + FLOATS)
        if to in FLOATS and not a.is_float and not a.is_bool:  # integers that a float represents exactly
            return self.new(f"(({a.name} & 15).to(tl.int32) - 8).to(tl.{to})", a.shape, to)
        if a.is_float and to not in FLOATS:
            wide = "int32" if bits(to) < 64 else "int64"
            return self.new(f"{a.name}.to(tl.{wide}).to(tl.{to})", a.shape, to)
        return self.new(f"{a.name}.to(tl.{to})", a.shape, to, a.exact)

    def compare(self):
        a = self.pick(lambda v: not v.is_bool)
        b = self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype) or a
        return self.new(f"{a.name} {self.random.choice(('<', '<=', '>', '>=', '==', '!='))} {b.name}", a.shape, "int1")

    def select(self):
        condition = self.pick(lambda v: v.is_bool)
        a = condition and self.pick(lambda v: v.shape == condition.shape and not v.is_bool)
        b = a and self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)
        if not b:
            return None
        return self.new(f"tl.where({condition.name}, {a.name}, {b.name})", a.shape, a.dtype, a.exact and b.exact)

    def reducible(self):
        return self.pick(lambda v: v.shape and not v.is_bool and v.exact)

    def reduce(self):
        a = self.reducible()
        if not a:
            return None
        axis = self.random.randrange(len(a.shape))
        shape = a.shape[:axis] + a.shape[axis + 1:]
        which = self.random.choice(("sum", "max", "min") + (() if a.is_float else ("xor_sum",)))
        # Sums of narrow integers have 32 bits.
        dtype = a.dtype
        if which == "sum" and not a.is_float and bits(dtype) < 32:
            dtype = "int32" if dtype.startswith("int") else "uint32"
        if which in ("max", "min") and a.dtype in ("int8", "int16", "uint8", "uint16"):
            dtype = "int32"  # Triton widens to int32, also from unsigned types
        if which in ("max", "min") and a.dtype == "float16":
            dtype = "float32"
        if which == "sum" and a.dtype == "float16" and a.shape[axis] > 64:
            return None
        return self.new(f"tl.{which}({a.name}, {axis})" + (f".to(tl.{dtype})" if dtype != a.dtype else ""), shape, dtype,
                        which != "sum")

    def argument(self):
        a = self.reducible()
        if not a or a.dtype in ("int8", "int16", "uint8", "uint16", "float16"):
            return None
        axis = self.random.randrange(len(a.shape))
        return self.new(f"tl.{self.random.choice(('argmax', 'argmin'))}({a.name}, {axis})",
                        a.shape[:axis] + a.shape[axis + 1:], "int32")

    def custom(self):
        a = self.reducible()
        if not a or a.dtype not in ("int32", "int64", "uint32", "float32"):
            return None
        axis = self.random.randrange(len(a.shape))
        shape = a.shape[:axis] + a.shape[axis + 1:]
        if self.random.random() < 0.3:
            slots = ", ".join(":" if i == axis else "None" for i in range(len(a.shape)))
            numbers = f"tl.arange(0, {a.shape[axis]})" + (f"[{slots}]" if len(a.shape) > 1 else "")
            self.count += 1
            self.emit(f"w{self.count}, v{self.count} = tl.reduce(({a.name}, tl.broadcast_to({numbers}, {list(a.shape)})), "
                      f"{axis}, best)")
            self.values.append(Value(f"v{self.count}", shape, "int32"))
            return self.values[-1]
        if a.is_float:
            return self.new(f"tl.reduce({a.name}, {axis}, larger)", shape, a.dtype)
        return self.new(f"tl.reduce({a.name}, {axis}, {self.random.choice(('add_up', 'larger'))})", shape, a.dtype)

    def scan(self):
        a = self.reducible()
        if not a or a.dtype in ("int8", "int16", "uint8", "uint16", "float16") or size(a.shape) > self.limit(256, 2048):
            return None
        axis = self.random.randrange(len(a.shape))
        which = self.random.choice(("tl.cumsum({0}, {1})", "tl.associative_scan({0}, {1}, larger)",
                                    "tl.associative_scan({0}, {1}, last)",
                                    "tl.associative_scan({0}, {1}, larger, reverse=True)"))
        return self.new(which.format(a.name, axis), a.shape, a.dtype, "cumsum" not in which)

    def reshape(self):
        a = self.pick(lambda v: v.shape)
        if not a:
            return None
        total, shape = size(a.shape), []
        while total > 1 and len(shape) < 2:
            part = 1 << self.random.randint(0, total.bit_length() - 1)
            shape.append(part)
            total //= part
        shape.append(total)
        return self.new(f"tl.reshape({a.name}, {shape})", shape, a.dtype, a.exact)

    def transpose(self):
        a = self.pick(lambda v: len(v.shape) > 1)
        if not a:
            return None
        order = list(range(len(a.shape)))
        self.random.shuffle(order)
        return self.new(f"tl.permute({a.name}, {order})", [a.shape[i] for i in order], a.dtype, a.exact)

    def broadcast(self):
        a = self.pick(lambda v: len(v.shape) == 1 and v.shape[0] <= 64)
        if not a:
            return None
        axis, length = self.random.randint(0, 1), self.random.choice((1, 2, 4, 8))
        shape = [length, a.shape[0]] if axis == 0 else [a.shape[0], length]
        return self.new(f"tl.broadcast_to(tl.expand_dims({a.name}, {axis}), {shape})", shape, a.dtype, a.exact)

    def join(self):
        most = self.limit(512, 1 << LARGE - 1)
        a = self.pick(lambda v: v.shape and size(v.shape) <= most and len(v.shape) < 3 and not v.is_bool)
        b = a and self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)
        if not b:
            return None
        return self.new(f"tl.join({a.name}, {b.name})", a.shape + (2,), a.dtype, a.exact and b.exact)

    def pair(self):
        a = self.pick(lambda v: v.shape and size(v.shape) < 1 << LARGE and not v.is_bool)
        return a, a and self.pick(lambda v: v.shape == a.shape and v.dtype == a.dtype)

    def cat(self):
        a, b = self.pair()
        if not b or len(a.shape) != 1:
            return None
        return self.new(f"tl.cat({a.name}, {b.name}, can_reorder=True)", (a.shape[0] * 2,), a.dtype, a.exact and b.exact)

    def interleave(self):
        a, b = self.pair()
        if not b:
            return None
        return self.new(f"tl.interleave({a.name}, {b.name})", a.shape[:-1] + (a.shape[-1] * 2,), a.dtype,
                        a.exact and b.exact)

    def split(self):
        a = self.pick(lambda v: len(v.shape) > 1 and v.shape[-1] == 2)
        if not a:
            return None
        self.count += 1
        self.emit(f"w{self.count}, v{self.count} = tl.split({a.name})")
        self.values.append(Value(f"w{self.count}", a.shape[:-1], a.dtype, a.exact))
        self.values.append(Value(f"v{self.count}", a.shape[:-1], a.dtype, a.exact))
        return self.values[-1]

    def order(self):
        a = self.pick(lambda v: v.shape and v.dtype in ("int32", "float32") and v.exact
                      and 1 < v.shape[-1] and size(v.shape) <= self.limit(128, 1024))
        if not a:
            return None
        if self.random.random() < 0.5:
            return self.new(f"tl.flip({a.name}, {len(a.shape) - 1})", a.shape, a.dtype)
        return self.new(f"tl.sort({a.name}, {len(a.shape) - 1}, {self.random.choice((True, False))})", a.shape, a.dtype)

    def gather(self):
        a = self.pick(lambda v: len(v.shape) in (1, 2) and not v.is_bool and size(v.shape) <= self.limit(256, 4096))
        if not a:
            return None
        axis = self.random.randrange(len(a.shape))
        numbers = f"(({self.index(a.shape)}) * {self.random.choice((1, 3, 5, 7))} + {self.random.randint(0, 9)})"
        return self.new(f"tl.gather({a.name}, {numbers} % {a.shape[axis]}, {axis})", a.shape, a.dtype, a.exact)

    def histogram(self):
        a = self.pick(lambda v: len(v.shape) == 1 and v.dtype == "int32")
        if not a:
            return None
        bins = self.random.choice((2, 8, 32))
        return self.new(f"tl.histogram({a.name} & {bins - 1}, {bins})", (bins,), "int32")

    def loop(self):
        """A loop that changes one variable. Values that its body creates are not used after it."""
        a = self.pick(lambda v: v.shape and not v.is_bool)
        if not a:
            return None
        carried = self.new(f"{a.name}", a.shape, a.dtype, False)
        known = len(self.values)
        turns = self.random.choice(("0", "1", "3", "pid + 1", "tl.num_programs(0)"))
        if self.random.random() < 0.3:
            self.emit(f"turn{self.count} = 0")
            counter = f"turn{self.count}"
            self.emit(f"while {counter} < {turns}:")
        else:
            counter = None
            self.emit(f"for i{self.count} in range({turns}):")
        self.body(carried, known, counter)
        return carried

    def branch(self):
        a = self.pick(lambda v: v.shape and not v.is_bool)
        if not a:
            return None
        carried = self.new(f"{a.name}", a.shape, a.dtype, False)
        known = len(self.values)
        self.emit(f"if pid {self.random.choice(('== 0', '> 0', '% 2 == 1'))}:")
        self.body(carried, known, None)
        if self.random.random() < 0.5:
            self.emit("else:")
            self.body(carried, known, None)
        return carried

    def body(self, carried, known, counter, step="+= 1"):
        self.depth += 1
        for _ in range(self.random.randint(1, 3)):
            self.statement()
        made = [v for v in self.values[known:] if v.shape == carried.shape and v.dtype == carried.dtype]
        other = self.random.choice(made).name if made else carried.name
        if carried.is_float:
            self.emit(f"{carried.name} = tl.maximum({carried.name}, {other})")
        else:
            self.emit(f"{carried.name} = {carried.name} * 3 + {other}")
        if counter:
            self.emit(f"{counter} {step}")
        del self.values[known:]
        self.depth -= 1
