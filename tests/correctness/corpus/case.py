"""Defines a case: a kernel, the arguments of one launch, and the expected contents of memory afterwards."""
import dataclasses
import pathlib
import zlib

import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"

TYPE_NAMES = {
    np.dtype(name): short
    for name, short in {
        "bool": "i1", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32",
        "uint32": "u32", "int64": "i64", "uint64": "u64", "float16": "f16", "float32": "f32",
        "float64": "f64",
    }.items()
}


@dataclasses.dataclass
class Buffer:
    """One buffer argument. Without `expect`, the kernel must leave it unchanged."""

    data: np.ndarray
    expect: np.ndarray = None
    type: str = None  # the runner's name of the element type; by default the array's type
    shape: list = None  # of the memref; by default the array's shape
    strides: list = None
    offset: int = 0  # in elements
    ulps: float = 0
    relative: float = 0
    absolute: float = 0

    @property
    def element(self):
        return self.type or TYPE_NAMES[np.asarray(self.data).dtype]


@dataclasses.dataclass
class Launch:
    """The arguments by position (scalars and buffers), and the grid."""

    arguments: list
    groups: tuple = (1,)
    workgroup: tuple = None  # if the kernel leaves it open
    dynamic_bytes: int = 0
    printed: str = ""  # what gpu.printf must print


@dataclasses.dataclass
class Case:
    name: str  # the kernel's name
    make: object  # Context -> Launch
    source: object  # a file of kernels/, or a function that returns MLIR text
    quick: bool = False  # part of `make test`
    refused: tuple = ()  # configurations (prefixes) whose target lacks what the kernel needs
    lanes: int = None  # the lanes that a subgroup must have; None: any number

    @property
    def file(self):
        return self.source if isinstance(self.source, str) else self.source.__name__

    def text(self):
        file = isinstance(self.source, str)
        return (KERNELS / self.source).read_text() if file else self.source()


class Context:
    """The inputs of a case: random numbers from its own generator, and the width of index values."""

    def __init__(self, seed, name, index_bits):
        self.rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self.index = np.dtype(f"int{index_bits}")

    def floats(self, *shape, dtype=np.float32, low=-4.0, high=4.0):
        return self.rng.uniform(low, high, shape).astype(dtype)

    def integers(self, *shape, dtype=np.int32, low=None, high=None):
        """Returns random integers of the whole range, or of [low, high)."""
        limits = np.iinfo(dtype)
        low = limits.min if low is None else low
        return self.rng.integers(low, limits.max if high is None else high - 1, shape, dtype=dtype,
                                 endpoint=True)


# The configurations that run native code of files, in which sizes and dynamic memory are not left to the launch.
NATIVE = ("aarch64", "windows")

CASES = []


def case(source, name=None, quick=False, refused=(), lanes=None):
    """Registers a function from Context to Launch under the name of the kernel that it launches."""

    def register(make):
        CASES.append(Case(name or make.__name__, make, source, quick, tuple(refused), lanes))
        return make

    return register


def to_bf16(values):
    """Returns the bits of f32 values rounded to bf16 (ties to even). NaN stays a quiet NaN."""
    bits = np.asarray(values, np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(values), np.uint32(0x7FC0), rounded).astype(np.uint16)


def from_bf16(bits):
    return (np.asarray(bits).astype(np.uint32) << 16).view(np.float32)
