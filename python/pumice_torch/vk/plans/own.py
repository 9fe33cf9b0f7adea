"""Writes plans with kernels of our own, without inductor."""
from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import torch

from .file import File, Seed, Tensor
from .values import Unsupported

TYPES = {"Byte": torch.uint8, "Char": torch.int8, "Short": torch.int16, "Int": torch.int32, "Long": torch.int64,
         "Half": torch.float16, "Float": torch.float32, "Double": torch.float64, "Bool": torch.bool,
         "BFloat16": torch.bfloat16, "Float8_e5m2": torch.float8_e5m2, "Float8_e4m3fn": torch.float8_e4m3fn,
         "UInt16": torch.uint16, "UInt32": torch.uint32, "UInt64": torch.uint64}
_TRITON = {torch.uint8: "u8", torch.int8: "i8", torch.int16: "i16", torch.int32: "i32", torch.int64: "i64",
           torch.float16: "fp16", torch.float32: "fp32", torch.float64: "fp64", torch.bool: "i1",
           torch.bfloat16: "bf16", torch.float8_e5m2: "fp8e5", torch.float8_e4m3fn: "fp8e4nv"}

_DYNAMIC, _SIZES = 0, 1  # levels (Level in torch_shim/plans/Calls.h)

# Operators, the level of their plans, the modules of pumice_torch.vk.kernels that have them, and the functions there.
_OPERATORS = {
    "aten::mm.out": (_DYNAMIC, "products", "mm"), "aten::bmm.out": (_DYNAMIC, "products", "bmm"),
    "aten::addmm.out": (_DYNAMIC, "products", "addmm"), "aten::baddbmm.out": (_DYNAMIC, "products", "baddbmm"),
    "aten::addmv.out": (_DYNAMIC, "products", "addmv"),
    "aten::convolution_overrideable": (_SIZES, "convolutions", "convolution"),
    "aten::native_layer_norm": (_DYNAMIC, "norms", "native_layer_norm"),
    "aten::native_layer_norm_backward": (_DYNAMIC, "norms", "native_layer_norm_backward"),
    "aten::native_dropout": (_DYNAMIC, "random", "native_dropout"),
    "aten::sum.IntList_out": (_DYNAMIC, "reductions", "sum_of_all"),
    "aten::mean.out": (_DYNAMIC, "reductions", "mean_of_all"),
    "aten::max.dim_max": (_DYNAMIC, "reductions", "max_of_rows"),
    "aten::min.dim_min": (_DYNAMIC, "reductions", "min_of_rows"),
    "aten::argmax.out": (_DYNAMIC, "reductions", "argmax_of_rows"),
    "aten::argmin.out": (_DYNAMIC, "reductions", "argmin_of_rows"),
    "pumice_vk::adam_step": (_DYNAMIC, "optimizers", "adam_step"),
    "pumice_vk::sgd_step": (_DYNAMIC, "optimizers", "sgd_step"),
    "pumice_vk::adagrad_step": (_DYNAMIC, "optimizers", "adagrad_step"),
    "pumice_vk::attention": (_DYNAMIC, "attention", "attention"),
    "pumice_vk::attention_backward": (_DYNAMIC, "attention", "attention_backward"),
    "aten::convolution_backward_overrideable": (_SIZES, "convolutions", "convolution_backward"),
}


def plan_of(name: str, arguments: list[Any], level: int, device: int) -> bytes | None:
    """Returns a plan with kernels of our own, or None if there are none for the operator or the call.

    Raises:
        Unsupported: If they do not serve this call, or not at this level.
    """
    if name not in _OPERATORS:
        return None
    wanted, module, function = _OPERATORS[name]
    if level < wanted:
        raise Unsupported("our kernel needs its numbers in the key")
    if level > wanted:
        return None  # it has rejected the call
    made = Writer(arguments, device)
    getattr(importlib.import_module(f"..kernels.{module}", __package__), function)(made, *made.arguments)
    return made.file.encode()


class Operand:
    """A tensor of the call. Its actual sizes choose the plan's code, which serves all sizes for which the choices are
    the same."""

    def __init__(self, file: File, given: dict[str, Any]) -> None:
        self._file = file
        self.tensor: Tensor = file.given(given["tensor"])
        self.kind: torch.dtype = TYPES[given["type"]]
        self.is_aligned: bool = given["aligned"]
        self.actual_sizes: list[int] = given["sizes"]
        self.actual_strides: list[int] = given["strides"]
        self.layout: str = given["layout"]  # as torch_shim/plans/Layouts.h has it
        self.order: list[int] = given["dims"]
        self._known = _known_strides(given)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.actual_sizes)

    def size(self, dim: int) -> int:
        """Returns the value of a size."""
        dim %= self.rank
        if self.actual_sizes[dim] <= 1:  # a part of the key
            return self._file.values.constant(self.actual_sizes[dim])
        return self._file.values.of_source(("size", self.tensor.number, dim))

    def stride(self, dim: int) -> int:
        """Returns the value of a stride. It is 0 for a dimension of size 1."""
        dim %= self.rank
        if self._known[dim] is not None:
            return self._file.values.constant(self._known[dim])  # type: ignore[arg-type]
        return self._file.values.of_source(("stride", self.tensor.number, dim))

    def known_stride(self, dim: int) -> int | None:
        """Returns a stride that the key implies: 0 or 1."""
        return self._known[dim % self.rank]


class View(Operand):
    """Memory of the call or of the plan, seen with other sizes and strides."""

    def __init__(self, memory: Operand | tuple[Tensor, torch.dtype], sizes: list[tuple[int, int]],
                 strides: list[tuple[int, int | None, int]]) -> None:
        """Takes sizes as (value, actual size), and strides as (value, what the key implies, actual stride)."""
        if isinstance(memory, Operand):
            self.tensor, self.kind, self.is_aligned = memory.tensor, memory.kind, memory.is_aligned
        else:
            (self.tensor, self.kind), self.is_aligned = memory, True
        self._sizes = [value for value, _ in sizes]
        self._strides = [value for value, _, _ in strides]
        self._known = [known for _, known, _ in strides]
        self.actual_sizes = [actual for _, actual in sizes]
        self.actual_strides = [actual for _, _, actual in strides]

    def size(self, dim: int) -> int:
        """Returns the value of a size."""
        return self._sizes[dim]

    def stride(self, dim: int) -> int:
        """Returns the value of a stride."""
        return self._strides[dim]


def _known_strides(given: dict[str, Any]) -> list[int | None]:
    sizes = given["sizes"]
    made: list[int | None] = [0 if size == 1 else None for size in sizes]
    if given["layout"] == "s":
        return [0 if sizes[dim] == 1 else int(kind) if kind in "01" else None for dim, kind in enumerate(given["dims"])]
    order = given["dims"] if given["layout"] == "p" else [dim for dim, size in enumerate(sizes) if size != 1]
    if order:
        made[order[-1]] = 1
    return made


class Writer:
    """Writes a plan. Its arguments are operands, numbers as values, lists, and constants."""

    def __init__(self, arguments: list[Any], device: int) -> None:
        self.file = File(1 + max((one["tensor"] for one in _tensors(arguments)), default=-1))
        self.values = self.file.values
        self.device = device
        self._operands: dict[int, Operand] = {}
        self.actual: dict[int, float] = {}  # numbers of the call, by their values
        self.arguments = [self._argument(one) for one in arguments]

    def _argument(self, given: Any) -> Any:
        if isinstance(given, list):
            return [self._argument(one) for one in given]
        if not isinstance(given, dict):
            return given
        if "tensor" in given:
            place = given["tensor"]
            if place not in self._operands:
                self._operands[place] = Operand(self.file, given)
            return self._operands[place]
        if "number" in given:
            is_real = "real" in given
            value = self.values.of_source(("given", given["number"]), is_real=is_real)
            self.actual[value] = given["real" if is_real else "integer"]
            return value
        raise Unsupported("a CPU tensor as an argument; move it to the device first")

    def constant(self, value: float) -> int:
        """Returns the value of a constant."""
        return self.values.constant(value)

    def real(self, value: Any) -> int:
        """Returns a number of the call, or a constant, as a float."""
        if isinstance(value, (bool, float)) or value is None:
            return self.values.constant(float(value or 0))
        return self.values.real(value)

    def apply(self, name: str, *given: int) -> int:
        """Returns the value of an operation."""
        return self.values.apply(name, *given)

    def ceil_div(self, value: int, by: int) -> int:
        """Returns the value of a quotient, rounded up."""
        return self.apply("floordiv", self.apply("add", value, self.constant(by - 1)), self.constant(by))

    def ceil_div_by(self, value: int, by: int) -> int:
        """Returns the value of a quotient of two values, rounded up."""
        one = self.constant(1)
        return self.apply("floordiv", self.apply("sub", self.apply("add", value, by), one), by)

    def product(self, *given: int) -> int:
        """Returns the value of a product."""
        return self.apply("mul", *given) if len(given) > 1 else given[0] if given else self.constant(1)

    def decide(self, condition: int, is_so: bool) -> bool:
        """Returns `is_so`, which a condition says about this call. The plan serves calls for which it says the same."""
        self.file.require(condition if is_so else self.apply("not", condition))
        return is_so

    def is_multiple(self, value: int, actual: int, of: int) -> bool:
        """Decides whether a value is a multiple of a number."""
        return self.decide(self.apply("eq", self.apply("mod", value, self.constant(of)), self.constant(0)),
                           actual % of == 0)

    def is_at_most(self, value: int, actual: int, limit: int) -> bool:
        """Decides whether a value is at most a limit."""
        return self.decide(self.apply("le", value, self.constant(limit)), actual <= limit)

    def is_small(self, operand: Operand) -> bool:
        """Decides whether 32 bits count an operand's elements, also those between them."""
        reach, actual = self.constant(0), 0
        for dim in range(operand.rank):
            reach = self.apply("add", reach, self.product(operand.size(dim), operand.stride(dim)))
            actual += operand.actual_sizes[dim] * operand.actual_strides[dim]
        return self.is_at_most(reach, actual, (1 << 31) - 1)

    @property
    def is_cpu(self) -> bool:
        """Whether kernels run on the CPU."""
        from .. import module
        return module.get_device_properties(self.device).id.startswith("cpu")

    def launch(self, kernel: Any, grid: Sequence[int], arguments: dict[str, Any], constants: dict[str, Any],
               aligned: Sequence[str] = (), **options: Any) -> None:
        """Adds a launch of one of our kernels.

        Args:
            kernel: The function.
            grid: The values of the number of programs along each axis.
            arguments: Operands and tensors with their type, or (value or seed, type of Triton's).
            constants: The values of its constexpr parameters.
            aligned: The arguments that are multiples of 16.
            options: Such as num_warps.
        """
        signature: dict[str, str] = {}
        attributes: dict[tuple[int], list[list[Any]]] = {}
        named: dict[str, Tensor | int | Seed] = {}
        for index, name in enumerate(kernel.arg_names):
            if name in constants:
                signature[name] = "constexpr"
                continue
            given = arguments[name]
            if isinstance(given, Operand):
                signature[name] = "*" + _TRITON[given.kind]
                named[name] = given.tensor
            else:
                value, kind = given
                signature[name] = "*" + _TRITON[kind] if isinstance(value, Tensor) else kind
                named[name] = value
            is_aligned = given.is_aligned if isinstance(given, Operand) else isinstance(given[0], Tensor)
            if name in aligned or is_aligned:
                attributes[(index,)] = [["tt.divisibility", 16]]
        self.file.launch(_compile(kernel, signature, constants, attributes, self.device, options), grid, named)


def _tensors(given: Any) -> list[dict[str, Any]]:
    if isinstance(given, list):
        return [found for one in given for found in _tensors(one)]
    return [given] if isinstance(given, dict) and "tensor" in given else []


def _compile(kernel: Any, signature: dict[str, str], constants: dict[str, Any], attributes: dict[Any, Any], device: int,
             options: dict[str, Any]) -> Any:
    from pumice_triton.devices import described
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile

    from .. import module
    properties = module.get_device_properties(device)
    target = GPUTarget("vk", described(properties.id), properties.warp_size)
    return compile(ASTSource(kernel, signature, constants, attributes), target=target, options=options)
