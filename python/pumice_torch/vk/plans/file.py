"""The file of a plan: values, conditions, steps and kernels, as torch_shim/plans/ReadPlan.cpp reads them."""
from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import sympy
import torch

from .values import Source, Unsupported, Values

# The number that C++ uses for each type (c10::ScalarType).
_NUMBERS = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5,
            torch.float32: 6, torch.float64: 7, torch.bool: 11, torch.bfloat16: 15, torch.float8_e5m2: 23,
            torch.float8_e4m3fn: 24, torch.uint16: 27, torch.uint32: 28, torch.uint64: 29}
# The size in bytes of each type of number that a kernel takes as an argument.
_BYTES = {"i1": 1, "u1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "fp32": 4,
          "fp64": 8}


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor of a plan: one of the call's, or one that a step makes."""
    number: int
    base: int  # the tensor whose memory it shows


@dataclasses.dataclass(frozen=True)
class Seed:
    """An argument of a kernel: a seed of random numbers, new in each run of the plan."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of a plan: an executable, and the text (TTIR) from which it can be compiled for other devices."""
    name: str
    code: bytes
    text: str


class File:
    """A plan that is being made.

    Conditions come first: all of them are added before the first value that only steps need.
    """

    def __init__(self, tensor_count: int, symbols: dict[sympy.Symbol, Source] | None = None) -> None:
        self.values = Values(symbols or {})
        self._guards: list[int] = []
        self._guard_values = 0
        self._kernels: list[Kernel] = []
        self._steps: list[str] = []
        self._results: list[int] = []
        self._tensors = tensor_count

    def require(self, condition: int) -> None:
        """Adds a condition on calls: a value that is not 0."""
        self._guards.append(condition)
        self._guard_values = len(self.values.lines)

    def given(self, place: int) -> Tensor:
        """Returns a tensor of the call."""
        return Tensor(place, place)

    def undefined(self) -> Tensor:
        """Returns a tensor without memory, for results that are not computed."""
        self._tensors += 1
        return Tensor(self._tensors - 1, self._tensors - 1)

    def _list(self, values: Sequence[int]) -> str:
        return " ".join(map(str, [len(values), *values]))

    def allocate(self, kind: torch.dtype, sizes: Sequence[int], strides: Sequence[int]) -> Tensor:
        """Adds a step that makes a tensor. Sizes and strides are values."""
        made = self.undefined()
        if kind not in _NUMBERS:
            raise Unsupported(f"a tensor of type {kind}")
        self._steps.append(f"allocate {made.number} {_NUMBERS[kind]} {self._list(sizes)} {self._list(strides)}")
        return made

    def view(self, of: Tensor, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Tensor:
        """Adds a step that makes a view of a tensor's memory."""
        made = Tensor(self.undefined().number, of.base)
        self._steps.append(f"view {made.number} {of.number} {self._list(sizes)} {self._list(strides)} {offset}")
        return made

    def seeds(self, into: Tensor, count: int) -> None:
        """Adds a step that writes new random seeds to a tensor."""
        self._steps.append(f"seeds {into.number} {count}")

    def free(self, tensor: Tensor) -> None:
        """Adds a step that frees a tensor's memory. Results of the plan and tensors of the call keep their memory."""
        self._steps.append(f"free {tensor.number}")

    def launch(self, compiled: Any, grid: Sequence[int], named: dict[str, Tensor | int | Seed]) -> None:
        """Adds a launch of a compiled kernel. Arguments are tensors, values and seeds, by their names."""
        arguments, bases = [], []
        for name, kind in compiled.src.signature.items():
            if kind == "constexpr":
                continue
            value = named[name]
            if isinstance(value, Tensor) != kind.startswith("*"):
                raise Unsupported(f"a value that does not fit the kernel's argument {name}, whose type is {kind}")
            if isinstance(value, Tensor):
                bases.append(value.base)
                arguments.append(f"memory {value.number}")
            elif isinstance(value, Seed):
                arguments.append("seed")
            elif kind.startswith("fp"):
                arguments.append(f"float {self.values.real(value)} {_BYTES[kind]}")
            else:
                arguments.append(f"integer {value} {_BYTES[kind]}")
        made = _executable(compiled, shares_memory=len(set(bases)) < len(bases))
        if made not in self._kernels:
            self._kernels.append(made)
        groups = " ".join(map(str, [*grid, *[self.values.constant(1)] * (3 - len(grid))]))
        self._steps.append(" ".join([f"launch {self._kernels.index(made)} {groups} {len(arguments)}", *arguments]))

    def call(self, name: str, overload: str, arguments: Iterable[str], results: int) -> list[Tensor]:
        """Adds a call of an operator. Arguments are words as `ReadPlan.cpp` reads them."""
        made = [self.undefined() for _ in range(results)]
        given = list(arguments)
        self._steps.append(" ".join([f"call {name} {overload} {results}", *([str(made[0].number)] if made else []),
                                     str(len(given)), *given]))
        return made

    def add_result(self, tensor: Tensor) -> None:
        """Adds a result of the operator."""
        self._results.append(tensor.number)

    def encode(self) -> bytes:
        """Returns the file's part after its key."""
        head = [f"tensors {self._tensors}", f"values {len(self.values.lines)} {self._guard_values}",
                *self.values.lines, f"guards {self._list(self._guards)}", f"kernels {len(self._kernels)}",
                *(f"kernel {one.name} {len(one.code)}" for one in self._kernels), f"steps {len(self._steps)}",
                *self._steps, f"results {self._list(self._results)}", "code"]
        # The library reads no further than the code. The texts are for packs (packing.py).
        texts = [zlib.compress(one.text.encode()) for one in self._kernels]
        return b"".join(["\n".join(head).encode(), b"\n", *(one.code for one in self._kernels),
                         *(b"text %d\n" % len(text) + text for text in texts)])


def with_checksum(body: bytes) -> bytes:
    """Returns the whole file: its first line has the sum of what follows, which the library checks."""
    return b"pumice-plan 2 %08x\n" % zlib.crc32(body) + body


def kernels_of(body: bytes) -> list[Kernel]:
    """Returns the kernels of a plan that `File.encode` returned."""
    head, _, rest = body.partition(b"\ncode\n")
    lines = [line.split() for line in head.decode().splitlines() if line.startswith("kernel ")]
    codes: list[bytes] = []
    for _, _, size in lines:
        codes.append(rest[:int(size)])
        rest = rest[int(size):]
    made = []
    for (_, name, _), code in zip(lines, codes):
        line, _, rest = rest.partition(b"\n")
        length = int(line.removeprefix(b"text "))
        made.append(Kernel(name, code, zlib.decompress(rest[:length]).decode()))
        rest = rest[length:]
    return made


def with_codes(body: bytes, codes: Sequence[bytes]) -> bytes:
    """Returns a plan with other executables for its kernels, in their order, and without texts."""
    head, _, _ = body.partition(b"\ncode\n")
    lines, given = head.decode().splitlines(), iter(codes)
    for i, line in enumerate(lines):
        if line.startswith("kernel "):
            lines[i] = f"kernel {line.split()[1]} {len(next(given))}"
    return "\n".join([*lines, "code", ""]).encode() + b"".join(codes)


def _executable(compiled: Any, *, shares_memory: bool) -> Kernel:
    """Returns a compiled kernel for a plan. If its arguments share memory, it is compiled for that."""
    if shares_memory:
        from pumice_triton.options import Options
        from triton.compiler import compile
        known = compiled.metadata
        options = {field.name: getattr(known, field.name) for field in dataclasses.fields(Options)}
        compiled = compile(compiled.src, target=known.target, options=options | {"overlap": True})
    return Kernel(compiled.metadata.name, compiled.asm["pumice"], compiled.metadata.ttir)
