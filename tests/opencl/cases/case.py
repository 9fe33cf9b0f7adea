"""Describes cases: a kernel of a file in ../kernels, its arguments, and the expected results."""
from dataclasses import dataclass, field

import numpy as np

TYPES = {"int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32",
         "uint32": "u32", "int64": "i64", "uint64": "u64", "float16": "f16", "float32": "f32",
         "float64": "f64"}


@dataclass
class Buffer:
    data: np.ndarray  # the contents; structs are bytes
    expect: np.ndarray = None  # the contents afterwards; None: unchanged
    ulps: float = 0
    relative: float = 0
    absolute: float = 0
    compared: bool = True


@dataclass
class Local:
    bytes: int


@dataclass
class Case:
    file: str  # of ../kernels, without .cl
    kernel: str
    arguments: list  # buffers, workgroup memory, numbers, lists of numbers
    threads: tuple
    local: tuple = None  # the workgroup's size; None: the runtime's choice
    offset: tuple = None  # added to global ids
    prints: list = field(default_factory=list)  # lines, in any order


def result(expect, **tolerance):
    """Returns a buffer whose initial contents do not matter."""
    expect = np.ascontiguousarray(expect)
    return Buffer(np.zeros_like(expect), expect, **tolerance)


def elementwise(file, kernel, expect, *inputs, count=None, **tolerance):
    """Runs kernel(out, inputs...) with an invocation for each element (of `count`)."""
    expect = np.ascontiguousarray(expect)
    buffers = [result(expect, **tolerance)] + [Buffer(np.ascontiguousarray(x)) for x in inputs]
    return Case(file, kernel, buffers, (count or expect.size,))
