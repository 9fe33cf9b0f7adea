"""Turns the graph that inductor's wrapper made into the file of a plan."""
from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from typing import Any

import sympy
import torch
from torch._higher_order_ops.triton_kernel_wrap import triton_kernel_wrapper_mutation
from torch._inductor.codegen.common import register_backend_for_device
from torch._inductor.codegen.triton import TritonScheduling
from torch._inductor.codegen import wrapper_fxir
from torch._inductor.codegen.wrapper import PythonWrapperCodegen
from torch._inductor.codegen.wrapper_fxir import FxConverter, WrapperFxCodegen
from torch._inductor.ir import ReinterpretView, Scan
from torch.fx import Node

from ..decompositions import OpOverload
from ..decompositions.launches import kernel_side_table
from .file import File, Seed, Tensor
from .values import Source, Unsupported

aten = torch.ops.aten


class Sources:
    """Says where the inputs of a graph, and the symbols of its sizes, come from in a call."""

    def __init__(self) -> None:
        self.symbols: dict[sympy.Symbol, Source] = {}
        self.inputs: list[Source] = []

    def add_symbol(self, size: Any, source: Source) -> None:
        """Says where a size comes from. It may have become an expression of others."""
        expression = size.node.expr
        if isinstance(expression, sympy.Symbol):
            self.symbols.setdefault(expression, source)

    def add_input(self, source: Source) -> None:
        """Says where the next input comes from: ("tensor", place), ("given", place), or ("real", place)."""
        self.inputs.append(source)


_taking: list[list[torch.fx.GraphModule]] = []


class _Converter(FxConverter):
    """Makes the graph of launches. PyTorch's own knows no views as arguments of kernels that inductor did not write."""

    def _generate_kernel_call(self, line: Any) -> None:
        for argument in line.raw_args or ():
            if isinstance(argument, ReinterpretView):
                self.buffer_to_node[argument.codegen_reference()] = self._generate_buffer(argument)
        super()._generate_kernel_call(line)


class _Wrapper(WrapperFxCodegen):
    """Hands the graph of launches on, while a plan is made."""

    def _generate(self, is_inference: bool) -> tuple[Any, None]:
        wrapper_fxir.FxConverter = _Converter if _taking else FxConverter
        try:
            return super()._generate(is_inference)
        finally:
            wrapper_fxir.FxConverter = FxConverter

    def compile_graph(self, gm: torch.fx.GraphModule) -> Callable[..., Any]:
        if not _taking:
            return super().compile_graph(gm)
        _taking[-1].append(gm)
        return lambda *given: None


def _patch_scans() -> None:
    """Makes one program scan a whole row in plans.

    Otherwise, inductor lets programs of long rows wait for each other, with a workspace that graphs of launches cannot
    hold. It cannot do so at all for running maxima, which have places, too.
    """
    known = Scan.num_splits

    def num_splits(*given: Any, **named: Any) -> Any:
        hint, count = known(*given, **named)
        return hint, 1 if _taking else count

    setattr(Scan, "num_splits", num_splits)  # noqa: B010


_patch_scans()
register_backend_for_device("vk", TritonScheduling, PythonWrapperCodegen, None, _Wrapper)


@contextlib.contextmanager
def taking_graphs() -> Iterator[list[torch.fx.GraphModule]]:
    """Collects the graphs that inductor's wrapper makes."""
    made: list[torch.fx.GraphModule] = []
    _taking.append(made)
    try:
        yield made
    finally:
        _taking.pop()


class Lowering:
    """Writes a plan by going over a graph of allocations, arithmetic and launches."""

    def __init__(self, module: torch.fx.GraphModule, sources: Sources, op: OpOverload,
                 conditions: list[Any]) -> None:
        self._op = op
        self.file = File(sum(source[0] == "tensor" for source in sources.inputs), sources.symbols)
        for condition in conditions:
            self.file.require(self.file.values.of_expression(condition))
        self._known: dict[Node, Tensor | int | list[Tensor]] = {}  # integers are values
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
                self._output(node.args[0])
            else:
                raise Unsupported(f"a node of kind {node.op} in the graph")

    def _input(self, source: Source) -> Tensor | int:
        if source[0] == "tensor":
            return self.file.given(source[1])
        return self.file.values.of_source(("given", source[1]), is_real=source[0] == "real")

    def _output(self, given: Any) -> None:
        if given is None or isinstance(given, Node):
            given = (given,)
        for one in given:
            self.file.add_result(self.file.undefined() if one is None else self._tensor(one))

    def _tensor(self, given: Any) -> Tensor:
        found = self._known[given]
        if not isinstance(found, Tensor):
            raise Unsupported(f"{given}, which is not a tensor")
        return found

    def _value(self, given: Any) -> int:
        if isinstance(given, Node):
            found = self._known[given]
            if not isinstance(found, int):
                raise Unsupported(f"{given}, which is not a number")
            return found
        if isinstance(given, (bool, int, float)):
            return self.file.values.constant(given)
        return self.file.values.of_expression(given)

    def _list(self, given: Any) -> list[int]:
        return [self._value(one) for one in given]

    def _call(self, node: Node) -> None:
        target: Any = node.target
        values = self.file.values
        if target in (aten.sym_size.int, aten.sym_stride.int):
            name = "size" if target is aten.sym_size.int else "stride"
            self._known[node] = values.of_source((name, self._tensor(node.args[0]).number, node.args[1]))
        elif target is aten.item.default:
            if isinstance(self._known[node.args[0]], Tensor):
                raise Unsupported("a computation that depends on the value of an element")
            self._known[node] = self._value(node.args[0])
        elif target is torch.empty_strided:
            sizes, strides = node.args
            if torch.device(node.kwargs["device"]).type != "vk":
                raise Unsupported(f"a tensor on the device {node.kwargs['device']}")
            kind: Any = node.kwargs["dtype"]
            self._known[node] = self.file.allocate(kind, self._list(sizes), self._list(strides))
        elif target is torch.as_strided:
            base, sizes, strides, offset = node.args
            self._known[node] = self.file.view(self._tensor(base), self._list(sizes), self._list(strides),
                                               self._value(offset))
        elif target is triton_kernel_wrapper_mutation:
            self._launch(node)
        elif target is operator.getitem:
            base, index = node.args
            several = self._known[base]
            if not isinstance(several, list):
                raise Unsupported(f"a part of {base}, which is not a list")
            self._known[node] = several[index]
        elif target is aten.randint.low_out:
            self._seeds(node)
        elif isinstance(target, OpOverload):
            self._call_operator(node, target)
        else:
            given = node.args[0] if target is torch.sym_sum else node.args
            self._known[node] = values.of_call(target, self._list(given))

    def _seeds(self, node: Node) -> None:
        low, high, shape = node.args
        if low != -(1 << 63) or high != (1 << 63) - 1:
            raise Unsupported("random integers, other than seeds")
        into = self._tensor(node.kwargs["out"])
        self.file.seeds(into, self._value(shape[0]))
        self._known[node] = into

    def _launch(self, node: Node) -> None:
        given: Any = dict(node.kwargs)
        named = dict(given["kwargs"]) | dict(kernel_side_table.get_constant_args(given["constant_args_idx"]))
        function = kernel_side_table.get_kernel(given["kernel_idx"])
        tuner = function.fn.__globals__[function.fn.__name__]
        compiled = tuner.compile_results[0].kernel
        (grid,) = given["grid"]
        arguments: dict[str, Tensor | int | Seed] = {}
        for name, value in named.items():
            if compiled.src.signature.get(name, "constexpr") == "constexpr":
                continue
            known = self._known[value] if isinstance(value, Node) else self._value(value)
            if isinstance(known, list):
                raise Unsupported(f"several tensors as the kernel's argument {name}")
            arguments[name] = known
        self.file.launch(compiled, self._list(grid), arguments)

    def _call_operator(self, node: Node, target: OpOverload) -> None:
        if target.overloadpacket is self._op.overloadpacket:
            raise Unsupported("an operator for which inductor has no kernel")
        schema = target._schema
        given = []
        for i, argument in enumerate(schema.arguments):
            if i < len(node.args):
                value: Any = node.args[i]
            elif argument.name in node.kwargs:
                value = node.kwargs[argument.name]
            elif argument.has_default_value():
                value = argument.default_value
            else:
                raise Unsupported(f"a call of {target} without its argument {argument.name}")
            given.append(self._argument(value, str(argument.real_type)))
        if not all(str(result.type) == "Tensor" for result in schema.returns):
            raise Unsupported(f"a call of {target}, whose result is not a tensor")
        out = node.kwargs.get("out")
        made = self.file.call(schema.name, schema.overload_name or "default", given,
                              0 if out is not None else len(schema.returns))
        self._known[node] = self._tensor(out) if out is not None else made[0] if len(made) == 1 else made

    def _argument(self, value: Any, kind: str) -> str:
        if value is None:
            return "none"
        if isinstance(value, Node):
            found = self._known[value]
            return f"tensor {found.number}" if isinstance(found, Tensor) else self._number(self._value(value))
        if isinstance(value, (list, tuple)):
            if any(isinstance(one, Node) and isinstance(self._known[one], Tensor) for one in value):
                parts = [self.file.undefined() if one is None else self._tensor(one) for one in value]
                return " ".join(["tensors", str(len(parts)), *(str(part.number) for part in parts)])
            if "bool" in kind or "float" in kind:
                raise Unsupported(f"a list as an argument of type {kind}")
            return " ".join(map(str, ["integers", len(value), *self._list(value)]))
        if isinstance(value, bool):
            return f"bool {self._value(value)}"
        if isinstance(value, str):
            return f"text {value}"
        if isinstance(value, (int, float, sympy.Expr)):
            number = self._value(value)
            return self._number(self.file.values.real(number) if "float" in kind else number)
        raise Unsupported(f"an argument of the Python type {type(value).__name__}")

    def _number(self, value: int) -> str:
        return f"{'float' if self.file.values.is_real(value) else 'integer'} {value}"

    def _free_after(self, node: Node) -> None:
        """Frees what only this node and earlier ones use."""
        for used in node.all_input_nodes:
            known = self._known.get(used)
            if used.op != "placeholder" and isinstance(known, Tensor) and self._last_use[used] is node:
                self.file.free(known)
