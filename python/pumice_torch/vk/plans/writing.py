"""Turns the graph that inductor's wrapper made into the file of a plan (read by torch_shim/plans/ReadPlan.cpp)."""
from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import sympy
import torch
from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table, triton_kernel_wrapper_mutation
from torch._inductor.codegen.common import register_backend_for_device
from torch._inductor.codegen.triton import TritonScheduling
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.codegen.wrapper_fxir import WrapperFxCodegen

from .values import Source, Unsupported, Values

Node = torch.fx.Node
aten = torch.ops.aten

# The types by their numbers in C++.
_NUMBERS = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5,
            torch.float32: 6, torch.float64: 7, torch.bool: 11, torch.bfloat16: 15, torch.float8_e5m2: 23,
            torch.float8_e4m3fn: 24, torch.uint16: 27, torch.uint32: 28, torch.uint64: 29}
# The bytes of numbers among a kernel's arguments.
_BYTES = {"i1": 1, "u1": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "fp32": 4,
          "fp64": 8}


class Sources:
    """Says where the inputs of a graph, and the symbols of its sizes, come from in a call."""

    def __init__(self) -> None:
        self.symbols: dict[sympy.Symbol, Source] = {}
        self.inputs: list[Source] = []
        self.unaligned: list[int] = []  # inputs whose addresses are not multiples of 16

    def add_symbol(self, size: Any, source: Source) -> None:
        """Says where a size comes from. It may have become an expression of others."""
        expression = size.node.expr
        if isinstance(expression, sympy.Symbol):
            self.symbols.setdefault(expression, source)

    def add_input(self, source: Source) -> None:
        """Says where the next input comes from: ("tensor", place), ("given", place), or ("real", place)."""
        self.inputs.append(source)

    @property
    def tensor_count(self) -> int:
        """The number of tensors of the call."""
        return sum(source[0] == "tensor" for source in self.inputs)


_take: list[Callable[[torch.fx.GraphModule], None]] = []


class _Wrapper(WrapperFxCodegen):
    """Hands the graph of launches on, while a plan is made."""

    def compile_graph(self, gm: torch.fx.GraphModule) -> Callable[..., Any]:
        if not _take:
            return super().compile_graph(gm)
        _take[-1](gm)
        return lambda *given: None


register_backend_for_device("vk", TritonScheduling, PythonWrapperCodegen, None, _Wrapper)


@contextlib.contextmanager
def taking(take: Callable[[torch.fx.GraphModule], None]) -> Iterator[None]:
    """Calls `take` with each graph that inductor's wrapper makes."""
    _take.append(take)
    try:
        yield
    finally:
        _take.pop()


class Plan:
    """A plan, made out of a graph of allocations, arithmetic and launches."""

    def __init__(self, module: torch.fx.GraphModule, sources: Sources, op: torch._ops.OpOverload,
                 conditions: list[Any]) -> None:
        self._op = op
        self._values = Values(sources.symbols)
        self._guards = [self._values.of_expression(condition) for condition in conditions]
        self._guard_values = len(self._values.lines)  # the values that conditions need come first
        self._kernels: list[tuple[str, bytes]] = []
        self._steps: list[str] = []
        self._results: list[int] = []
        self._tensors = sources.tensor_count
        self._known: dict[Node, Any] = {}  # ("tensor", number), ("value", number) or ("tuple", first number)
        self._bases: dict[int, int] = {}  # tensors that are views, and what they show
        inputs = iter(sources.inputs)
        nodes = list(module.graph.nodes)
        self._last_use = {used: node for node in nodes for used in node.all_input_nodes}
        for node in nodes:
            if node.op == "placeholder":
                self._known[node] = self._input(next(inputs))
            elif node.op == "call_function":
                self._call(node)
                self._free_after(node)
            elif node.op == "output":
                self._results = self._outputs(node.args[0])
            else:
                raise Unsupported(f"a node of kind {node.op}")

    def _input(self, source: Source) -> tuple[str, int]:
        if source[0] == "tensor":
            return "tensor", source[1]
        if source[0] == "real":
            return "value", self._values.of_source(("given", source[1]), is_real=True)
        return "value", self._values.of_source(source)

    def _new_tensor(self) -> int:
        self._tensors += 1
        return self._tensors - 1

    def _outputs(self, given: Any) -> list[int]:
        if given is None or isinstance(given, Node):
            given = (given,)
        made = []
        for one in given:
            if one is None:
                made.append(self._new_tensor())  # stays undefined
                continue
            kind, number = self._known[one]
            if kind != "tensor":
                raise Unsupported("a result that is not a tensor")
            made.append(number)
        return made

    # ---- Values

    def _value(self, given: Any) -> int:
        if isinstance(given, Node):
            kind, number = self._known[given]
            if kind != "value":
                raise Unsupported(f"{given} is not a number")
            return int(number)
        if isinstance(given, (bool, int, float)):
            return self._values.constant(given)
        return self._values.of_expression(given)

    def _list(self, given: Any) -> str:
        values = [self._value(one) for one in given]
        return " ".join(map(str, [len(values), *values]))

    # ---- Steps

    def _call(self, node: Node) -> None:
        target = node.target
        if target in (aten.sym_size.int, aten.sym_stride.int):
            kind, number = self._known[node.args[0]]
            name = "size" if target is aten.sym_size.int else "stride"
            self._known[node] = "value", self._values.of_source((name, number, node.args[1]))
        elif target is aten.item.default:
            self._known[node] = self._known[node.args[0]]
            if self._known[node][0] != "value":
                raise Unsupported("the value of an element decides what is computed")
        elif target is torch.empty_strided:
            self._allocate(node)
        elif target is torch.as_strided:
            self._view(node)
        elif target is triton_kernel_wrapper_mutation:
            self._launch(node)
        elif target is operator.getitem:
            kind, first = self._known[node.args[0]]
            self._known[node] = "tensor", first + node.args[1]
        elif target is aten.randint.low_out:
            self._seeds(node)
        elif isinstance(target, torch._ops.OpOverload):
            self._call_operator(node, target)
        else:
            given = node.args[0] if target is torch.sym_sum else node.args
            self._known[node] = "value", self._values.of_call(target, [self._value(one) for one in given])

    def _allocate(self, node: Node) -> None:
        sizes, strides = node.args
        made = self._new_tensor()
        self._known[node] = "tensor", made
        kind = _NUMBERS.get(node.kwargs["dtype"])  # type: ignore[arg-type]
        if kind is None or "vk" not in str(node.kwargs["device"]):
            raise Unsupported(f"memory of type {node.kwargs['dtype']} on {node.kwargs['device']}")
        self._steps.append(f"allocate {made} {kind} {self._list(sizes)} {self._list(strides)}")

    def _view(self, node: Node) -> None:
        base, sizes, strides, offset = node.args
        number = self._known[base][1]
        made = self._new_tensor()
        self._known[node] = "tensor", made
        self._bases[made] = self._bases.get(number, number)
        self._steps.append(f"view {made} {number} {self._list(sizes)} {self._list(strides)} {self._value(offset)}")

    def _seeds(self, node: Node) -> None:
        low, high, shape = node.args
        if low != -(1 << 63) or high != (1 << 63) - 1:
            raise Unsupported("random integers")
        number = self._known[node.kwargs["out"]][1]
        self._steps.append(f"seeds {number} {self._value(shape[0])}")
        self._known[node] = "tensor", number

    def _launch(self, node: Node) -> None:
        given: Any = dict(node.kwargs)
        named = dict(given["kwargs"]) | dict(kernel_side_table.get_constant_args(given["constant_args_idx"]))
        function = kernel_side_table.get_kernel(given["kernel_idx"])
        tuner = function.fn.__globals__[function.fn.__name__]
        compiled = tuner.compile_results[0].kernel
        (grid,) = given["grid"]
        grid = [*grid, 1, 1][:3]
        arguments, pointers = [], []
        for name, kind in compiled.src.signature.items():
            if kind == "constexpr":
                continue
            value = named[name]
            if kind.startswith("*"):
                what, number = self._known[value]
                if what != "tensor":
                    raise Unsupported(f"the number {name} where a kernel takes a pointer")
                pointers.append(self._bases.get(number, number))
                arguments.append(f"memory {number}")
                continue
            number = self._value(value)
            if kind.startswith("fp"):
                arguments.append(f"float {self._values.real(number)} {_BYTES[kind]}")
            else:
                arguments.append(f"integer {number} {_BYTES[kind]}")
        self._kernels.append(_executable(compiled, shares_memory=len(set(pointers)) < len(pointers)))
        groups = " ".join(str(self._value(one)) for one in grid)
        self._steps.append(" ".join([f"launch {len(self._kernels) - 1} {groups} {len(arguments)}", *arguments]))

    def _call_operator(self, node: Node, target: torch._ops.OpOverload) -> None:
        if target.overloadpacket is self._op.overloadpacket:
            raise Unsupported("inductor has no kernel for it")
        schema = target._schema
        given = []
        for i, argument in enumerate(schema.arguments):
            if i < len(node.args):
                value = node.args[i]
            elif argument.name in node.kwargs:
                value = node.kwargs[argument.name]
            elif argument.has_default_value():
                value = argument.default_value
            else:
                raise Unsupported(f"{target}: no value for {argument.name}")
            given.append(self._argument(value, str(argument.real_type)))
        writes = "out" in node.kwargs
        if not all(str(result.type) == "Tensor" for result in schema.returns):
            raise Unsupported(f"{target}: a result that is not a tensor")
        results = 0 if writes else len(schema.returns)
        first = self._tensors
        self._tensors += results
        name, _, overload = str(target).rpartition(".")
        self._steps.append(" ".join([f"call aten::{name.removeprefix('aten.')} {overload} {results}",
                                     *([str(first)] if results else []), str(len(given)), *given]))
        if writes:
            self._known[node] = self._known[node.kwargs["out"]]
        else:
            self._known[node] = ("tensor" if results == 1 else "tuple", first)

    def _argument(self, value: Any, kind: str) -> str:
        if value is None:
            return "none"
        if isinstance(value, Node):
            what, number = self._known[value]
            if what == "tensor":
                return f"tensor {number}"
            return f"{'float' if self._values.is_real(number) else 'integer'} {number}"
        if isinstance(value, (list, tuple)):
            if any(isinstance(one, Node) and self._known[one][0] == "tensor" for one in value):
                return " ".join(["tensors", str(len(value)), *(str(self._known[one][1]) for one in value)])
            if "bool" in kind or "float" in kind:
                raise Unsupported(f"an argument of type {kind}")
            return f"integers {self._list(value)}"
        if isinstance(value, bool):
            return f"bool {self._value(value)}"
        if isinstance(value, str):
            return f"text {value}"
        if isinstance(value, (int, float, sympy.Expr)):
            number = self._value(value)
            if "float" in kind:
                number = self._values.real(number)
            return f"{'float' if self._values.is_real(number) else 'integer'} {number}"
        raise Unsupported(f"an argument of type {type(value).__name__}")

    def _free_after(self, node: Node) -> None:
        """Frees what only this node and earlier ones use."""
        for used in node.all_input_nodes:
            known = self._known.get(used)
            if used.op != "placeholder" and known and known[0] == "tensor" and self._last_use[used] is node:
                self._steps.append(f"free {known[1]}")

    # ---- The file

    def encode(self) -> bytes:
        """Returns the file's part after its key."""
        head = [f"tensors {self._tensors}", f"values {len(self._values.lines)} {self._guard_values}",
                *self._values.lines, " ".join(map(str, ["guards", len(self._guards), *self._guards])),
                f"kernels {len(self._kernels)}", *(f"kernel {name} {len(code)}" for name, code in self._kernels),
                f"steps {len(self._steps)}", *self._steps,
                " ".join(map(str, ["results", len(self._results), *self._results])), "code"]
        return "\n".join(head).encode() + b"\n" + b"".join(code for _, code in self._kernels)


def _executable(compiled: Any, *, shares_memory: bool) -> tuple[str, bytes]:
    """Returns (name, code) of a kernel. If its arguments share memory, it is compiled for that."""
    if shares_memory:
        import dataclasses

        from pumice_triton.options import Options
        from triton.compiler import compile
        known = compiled.metadata
        options = {field.name: getattr(known, field.name) for field in dataclasses.fields(Options)}
        compiled = compile(compiled.src, target=known.target, options=options | {"overlap": True})
    return compiled.metadata.name, compiled.asm["pumice"]


__all__ = ["Plan", "Sources", "Unsupported", "taking"]
