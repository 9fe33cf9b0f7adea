"""Describes cases: what writes a module, the arguments of its kernel, and the expected results."""
import dataclasses
import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from cases.case import Buffer, result  # noqa: E402

from module import parts  # noqa: E402

WIDTHS = (1, 2, 3, 4, 8, 16)
INTEGERS, FLOATS = ("i8", "i16", "i32", "i64"), ("f16", "f32", "f64")
NUMPY = {"i8": np.uint8, "i16": np.uint16, "i32": np.uint32, "i64": np.uint64, "f16": np.float16, "f32": np.float32,
         "f64": np.float64, "bool": np.uint8}


@dataclasses.dataclass
class Case:
    name: str
    build: object  # writes the kernel "k", or `entry`, into a Module
    arguments: list  # buffers, workgroup memory, numbers, lists of numbers
    threads: tuple = (16,)
    local: tuple = (4,)
    versions: tuple = ("1.0", "1.1", "1.2", "1.3", "1.4")
    bits: tuple = (64, 32)
    entry: str = "k"
    options: dict = dataclasses.field(default_factory=dict)  # other keys of the launch


def of_width(element, width):
    return element if width == 1 else f"{element}x{width}"


def rows(width):
    """Returns the number of work-items of an element-wise kernel."""
    return max(4, 32 // width // 4 * 4)


def stored(values, name):
    """Returns an array as it is in memory. Vectors of three elements take the place of four."""
    element, width = parts(name)
    values = np.asarray(values).reshape(-1, width)
    if width == 3:
        values = np.concatenate([values, np.zeros((len(values), 1), values.dtype)], axis=1)
    return np.array(values.astype(NUMPY[element])).reshape(-1)


def random_of(rng, name, count, low=None, high=None, ends=True):
    """Returns `count` random values of a type, the ends of its range among them."""
    element, width = parts(name)
    total = count * width
    if element == "bool":
        return rng.integers(0, 2, total).astype(np.uint8).reshape(count, width)
    if element[0] == "f":
        return rng.uniform(-8 if low is None else low, 8 if high is None else high, total).astype(
            NUMPY[element]).reshape(count, width)
    bits = int(element[1:])
    if low is not None:
        return rng.integers(low, high, total).astype(NUMPY[element]).reshape(count, width)
    values = rng.integers(0, 1 << bits, total, dtype=np.uint64) if bits < 64 else rng.integers(
        0, (1 << 64) - 1, total, dtype=np.uint64, endpoint=True)
    if ends:
        limits = [0, 1, (1 << bits) - 1, 1 << bits - 1, (1 << bits - 1) - 1]
        values[:len(limits)] = np.array(limits[:total], np.uint64)
    return rng.permutation(values.astype(NUMPY[element])).reshape(count, width)


def each(function, *arrays):
    """Applies a function of Python's numbers to the elements of arrays of one shape."""
    shape = arrays[0].shape
    return [function(*row) for row in zip(*(a.reshape(-1).tolist() for a in arrays))], shape


def integers(function, name, *arrays):
    """Returns the results of a function of integers, which wrap."""
    element = parts(name)[0]
    bits = 1 if element == "bool" else int(element[1:])
    values, shape = each(function, *arrays)
    return np.array([int(v) & (1 << bits) - 1 for v in values], np.uint64).astype(NUMPY[element]).reshape(shape)


def reals(function, name, *arrays):
    """Returns the results of a function of floats, rounded to the type."""
    def one(*row):
        try:
            return float(function(*row))
        except (ValueError, TypeError):
            return math.nan
        except (OverflowError, ZeroDivisionError):
            return math.inf
    values, shape = each(one, *arrays)
    with np.errstate(all="ignore"):
        return np.array(values, np.float64).astype(NUMPY[parts(name)[0]]).reshape(shape)


def signed(value, bits):
    return value - (1 << bits) if value >> bits - 1 else value


def read(m, pointer, name, index):
    """Loads a value; booleans are bytes in memory."""
    element, width = parts(name)
    if element != "bool":
        return m.load(pointer, name, index)
    bytes_ = of_width("i8", width)
    return m.op("OpINotEqual", name, m.load(pointer, bytes_, index), m.constant(bytes_, 0))


def write(m, pointer, name, index, value):
    element, width = parts(name)
    if element != "bool":
        if width != 3:
            return m.store(pointer, name, index, value)
        # A store of three elements may also write the place of the fourth, so each element is stored.
        first, scalar = m.op("OpIMul", "size", index, m.constant("size", 4)), m.pointer("global", element)
        start = m.op("OpBitcast", scalar, pointer)
        for i in range(3):
            at = m.op("OpIAdd", "size", first, m.constant("size", i))
            m.store(start, element, at, m.op("OpCompositeExtract", element, value, i))
        return None
    bytes_ = of_width("i8", width)
    chosen = m.op("OpSelect", bytes_, value, m.constant(bytes_, 1), m.constant(bytes_, 0))
    return write(m, pointer, bytes_, index, chosen)


def memory_type(name):
    element, width = parts(name)
    return of_width("i8", width) if element == "bool" else name


def elementwise(name, emit, results, operands, values, expected, tolerance=None, **options):
    """Returns a case whose work-items each load the operands, and store what `emit` returns for them.

    results and operands are types, values and expected are arrays with a row for each work-item."""
    def build(m):
        types = [m.pointer("global", memory_type(t)) for t in (*results, *operands)]
        given = m.kernel("k", *types)
        at = m.builtin("GlobalInvocationId", 0)
        loaded = [read(m, p, t, at) for p, t in zip(given[len(results):], operands)]
        made = emit(m, *loaded)
        for p, t, value in zip(given, results, made if isinstance(made, tuple) else (made,)):
            write(m, p, t, at, value)
        m.end()
    count = len(expected[0])
    outs = [result(stored(e, t), **(tolerance or {})) for t, e in zip(results, expected)]
    ins = [Buffer(stored(v, t)) for v, t in zip(values, operands)]
    return Case(name, build, outs + ins, (count,), (4,), **options)
