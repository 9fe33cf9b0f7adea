"""Makes a graph of one operator, and has inductor lower it."""
from __future__ import annotations

import functools
import json
import keyword
import operator
import os
import pathlib
import tempfile
from typing import Any

import torch
import torch._inductor.config
from torch._dynamo.source import ConstantSource
from torch._guards import TracingContext, tracing
from torch._inductor.compile_fx import compile_fx
from torch._inductor.decomposition import select_decomp_table
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensorMode,
    UnsupportedOperatorException,
)
from torch.fx import Node
from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv

from .. import decompositions
from ..decompositions import OpOverload
from . import own
from .file import with_checksum
from .lowering import Lowering, Sources, taking_graphs
from .values import Unsupported

_STATIC = 2  # the level of plans for single sizes (Level in torch_shim/plans/Calls.h)

# The types in the order of their numbers, which stand for them in arguments.
_TYPES = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
          torch.complex32, torch.complex64, torch.complex128, torch.bool, torch.qint8, torch.quint8, torch.qint32,
          torch.bfloat16, torch.quint4x2, torch.quint2x4, torch.bits1x8, torch.bits2x4, torch.bits4x2, torch.bits8,
          torch.bits16, torch.float8_e5m2, torch.float8_e4m3fn, torch.float8_e5m2fnuz, torch.float8_e4m3fnuz,
          torch.uint16, torch.uint32, torch.uint64)
_LAYOUTS = (torch.strided, torch.sparse_coo)
_FORMATS = (torch.contiguous_format, torch.preserve_format, torch.channels_last, torch.channels_last_3d)


class _Request:
    """The call of an operator, as a graph whose inputs have symbolic sizes."""

    def __init__(self, op: OpOverload, arguments: list[Any], level: int, device: int) -> None:
        self.env = ShapeEnv(duck_shape=False, specialize_zero_one=True)
        self.mode = FakeTensorMode(shape_env=self.env, allow_non_fake_inputs=True, allow_fallback_kernels=False)
        self.device = torch.device("vk", device)
        self.graph = torch.fx.Graph()
        self.inputs: list[Any] = []  # fake tensors and symbolic integers
        self.sources = Sources()
        self._tensors: dict[int, Node] = {}
        self._is_static = level == _STATIC
        self._takes_numbers: bool = torch._C._should_allow_numbers_as_tensors(op._schema.name.partition("::")[2].rstrip("_"))
        self._type = _common_type(op, arguments)
        given = [self._argument(schema, value) for schema, value in zip(op._schema.arguments, arguments, strict=True)]
        positional = [value for schema, value in zip(op._schema.arguments, given) if not schema.kwarg_only]
        named = {schema.name: value for schema, value in zip(op._schema.arguments, given) if schema.kwarg_only}
        made = self._sized_later(op, positional, named)
        if made is None:
            made = self.graph.call_function(_callable(op), tuple(positional), named)
            self.graph.output(self._results(op, made))
        self.module = torch.fx.GraphModule({}, self.graph)

    def _sized_later(self, op: OpOverload, positional: list[Any], named: dict[str, Any]) -> Node | None:
        """Returns a call that makes the results of an operator with out arguments, if they need other sizes.

        Conditions hold the plan to calls for which that is so. The library gives out arguments the plan's results.
        """
        outs = [schema.name for schema in op._schema.arguments if schema.is_out]
        if not outs:
            return None
        found = decompositions.without_out(op)
        if found is None:
            raise Unsupported("there is no operator that makes the result")
        functional, is_factory = _callable(found[0]), found[1]
        rest = {name: value for name, value in named.items() if name not in outs}
        if is_factory:
            rest |= {"dtype": named[outs[0]].meta["val"].dtype, "device": self.device}
        with self.mode, self.env.ignore_fresh_unbacked_symbols():
            given = torch.fx.map_arg((tuple(positional), rest), self._fake)
            results = functional(*given[0], **given[1])
        results = [results] if isinstance(results, torch.Tensor) else list(results)
        into = [named[name].meta["val"] for name in outs]
        # A list of the differences first: each one becomes a condition of the plan.
        differ = [not _has_sizes_of(*pair) for pair in zip(into, results, strict=True)]
        for out, result in zip(into, results):
            if not torch.can_cast(result.dtype, out.dtype):
                raise RuntimeError(f"cannot write a result of type {result.dtype} to a tensor of type {out.dtype}")
        if not any(differ):
            return None
        made = self.graph.call_function(functional, tuple(positional), rest)
        parts = [made] if len(outs) == 1 else [self.graph.call_function(operator.getitem, (made, i)) for i in range(len(outs))]
        for i, (out, result) in enumerate(zip(into, results)):
            if out.dtype != result.dtype:
                parts[i] = self.graph.call_function(torch.ops.aten._to_copy.default, (parts[i],), {"dtype": out.dtype})
        self.graph.output(tuple(parts))
        return made

    def _fake(self, node: Node) -> Any:
        """Returns the value of a node, for the sizes of results. A plan serves all floats, so they have no values."""
        if "val" in node.meta:
            return node.meta["val"]
        return node.target(*torch.fx.map_arg(node.args, self._fake), **node.kwargs)

    def _results(self, op: OpOverload, made: Node) -> tuple[Any, ...]:
        """Returns the results that are not arguments."""
        returns = op._schema.returns
        if len(returns) == 1:
            is_argument = returns[0].alias_info is not None and returns[0].alias_info.is_write
            return () if is_argument else (made,)
        return tuple(self.graph.call_function(operator.getitem, (made, i)) for i, result in enumerate(returns)
                     if result.alias_info is None or not result.alias_info.is_write)

    def _argument(self, schema: torch._C.Argument, value: Any) -> Any:
        if isinstance(value, list):
            return [self._argument(schema, part) for part in value]
        if isinstance(value, dict):
            if "tensor" in value:
                return self._tensor(value)
            if "cpu" in value:
                return self._number_tensor(value)
            if "device" in value:
                return self.device
            return self._number(value)
        if isinstance(value, int) and not isinstance(value, bool):
            kind = str(schema.real_type).replace("Optional[", "").rstrip("]")
            for name, values in (("ScalarType", _TYPES), ("Layout", _LAYOUTS), ("MemoryFormat", _FORMATS)):
                if kind == name:
                    return values[value]
        return value

    def _placeholder(self, value: Any) -> Node:
        node = self.graph.placeholder(f"input{len(self.inputs)}")
        node.meta["val"] = value
        self.inputs.append(value)
        return node

    def _symbol(self, hint: int, name: str, *, is_size: bool) -> torch.SymInt:
        source = ConstantSource(name)
        symbol = self.env.create_symbol(hint, source, dynamic_dim=DimDynamic.DYNAMIC, constraint_dim=None,
                                        positive=True if is_size else None, do_not_specialize_zero_one=not is_size)
        made = self.env.create_symintnode(symbol, hint=hint, source=source)
        assert isinstance(made, torch.SymInt)
        return made

    def _number(self, value: dict[str, Any]) -> Any:
        """Returns a number that the kernels take as an argument."""
        place = value["number"]
        if "integer" in value:
            made = self._symbol(value["integer"], f"number{place}", is_size=False)
            self.sources.add_symbol(made, ("given", place))
            self.sources.add_input(("given", place))
            return self._placeholder(made)
        with self.mode:
            holder = torch.empty((), dtype=torch.float64)
        self.sources.add_input(("real", place))
        return self.graph.call_function(torch.ops.aten._local_scalar_dense.default, (self._placeholder(holder),))

    def _number_tensor(self, value: dict[str, Any]) -> Any:
        """Returns what a tensor of the CPU with one element becomes: a number of Python's, or a tensor of vk."""
        given = value["value"]
        number = self._number(given) if isinstance(given, dict) else given
        kind = own.TYPES[value["cpu"]]
        if value["wrapped"]:
            if self._takes_numbers:
                return number
            # Its type is that of the result: a number decides only whether that is a float.
            kind = torch.result_type(torch.empty(1, dtype=self._type), 0.5 if kind.is_floating_point else 0)
        return self.graph.call_function(torch.ops.aten.scalar_tensor.default, (number,), {"dtype": kind, "device": self.device})

    def _tensor(self, value: dict[str, Any]) -> Node:
        place = value["tensor"]
        if place in self._tensors:
            return self._tensors[place]
        sizes: list[Any] = []
        for dim, size in enumerate(value["sizes"]):
            if dim == value["even"] and not self._is_static:
                part = self._symbol(size // 16, f"tensor{place}part{dim}", is_size=True)
                self.sources.add_symbol(part, ("sixteenth", place, dim))
                size = 16 * part
            elif size > 1 and not self._is_static:
                size = self._symbol(size, f"tensor{place}size{dim}", is_size=True)
                self.sources.add_symbol(size, ("size", place, dim))
            sizes.append(size)
        strides = self._strides(place, value, sizes)
        with self.mode:
            made = torch.empty_strided(sizes, strides, dtype=own.TYPES[value["type"]], device=self.device)
            if not value["aligned"]:
                # Inductor takes inputs at the beginning of their storage for aligned ones.
                elements = 2 + sum(((size - 1) * stride for size, stride in zip(sizes, strides)), start=0)
                made = made.new_empty(elements).as_strided(sizes, strides, 1)
        self.sources.add_input(("tensor", place))
        self._tensors[place] = self._placeholder(made)
        return self._tensors[place]

    def _strides(self, place: int, value: dict[str, Any], sizes: list[Any]) -> list[Any]:
        """Returns strides as the key has them: of dimensions in an order, or a symbol each."""
        rank = len(sizes)
        if self._is_static:
            return list(value["strides"])
        if value["layout"] == "s":
            strides: list[Any] = []
            for dim, kind in enumerate(value["dims"]):
                stride: Any = int(kind) if kind in "01" else value["strides"][dim]
                if kind == "s":
                    stride = self._symbol(stride, f"tensor{place}stride{dim}", is_size=True)
                    self.sources.add_symbol(stride, ("stride", place, dim))
                strides.append(stride)
            return strides
        order = list(range(rank)) if value["layout"] == "c" else value["dims"]
        strides, step = [1] * rank, 1
        for dim in reversed(order):
            strides[dim] = step
            step = step * (sizes[dim] if value["sizes"][dim] > 0 else 1)
        return strides


def _common_type(op: OpOverload, arguments: list[Any]) -> torch.dtype:
    """Returns the type that the tensors of vk have in common. Tensors without dimensions count for less."""
    given = [value for schema, value in zip(op._schema.arguments, arguments)
             if not schema.is_out and isinstance(value, dict) and "sizes" in value]
    found = [torch.empty([1] * min(1, len(value["sizes"])), dtype=own.TYPES[value["type"]]) for value in given]
    made = found[0] if found else torch.empty((), dtype=torch.bool)
    for other in found[1:]:
        made = torch.empty([1] * max(made.dim(), other.dim()), dtype=torch.result_type(made, other))
    return made.dtype


def _callable(op: OpOverload) -> Any:
    """Returns our decomposition of an operator, or the operator.

    The graph's code could not call an operator whose name is no name in Python, such as random_.from.
    """
    found = decompositions.function_of(op)
    return found or ((lambda *given, **named: op(*given, **named)) if keyword.iskeyword(op._overloadname) else op)


def _has_sizes_of(out: torch.Tensor, result: torch.Tensor) -> bool:
    """Returns whether two tensors have the same sizes. Comparing symbols makes conditions."""
    return out.dim() == result.dim() and all(bool(a == b) for a, b in zip(out.shape, result.shape))


def _operator(name: str, overload: str) -> OpOverload:
    space, _, base = name.partition("::")
    found = getattr(getattr(getattr(torch.ops, space), base), overload or "default")
    assert isinstance(found, OpOverload)
    return found


_OPTIONS: dict[str, Any] = {
    "fx_wrapper": True,
    "triton.autotune_pointwise": False,
    "triton.autotune_at_compile_time": False,
    "compile_threads": 1,
    "fallback_random": False,
    "max_autotune": False,
    "loop_ordering_after_fusion": False,  # with it, softmax of a small dynamic tensor fails in PyTorch 2.13
    "alignment_asserts": False,
    "size_asserts": False,
}


@functools.cache
def _decompositions() -> dict[Any, Any]:
    """Returns inductor's decompositions, and PyTorch's for operators that inductor has no kernel for."""
    from torch._inductor import lowering
    table = dict(select_decomp_table())
    for op, function in torch._decomp.decomposition_table.items():
        is_quadratic = "cum" in op.name()  # running sums as sums of triangles
        if not is_quadratic and op not in table and (op not in lowering.lowerings or op in lowering.fallbacks):
            table[op] = function
    for sum_or_difference in (torch.ops.aten.add.Tensor, torch.ops.aten.sub.Tensor):
        table[sum_or_difference] = functools.partial(_add_number, sum_or_difference)
    table[torch.ops.aten.clamp.default] = _clamp
    table[torch.ops.aten.dot.default] = _dot
    table[torch.ops.aten.vdot.default] = _dot
    return table | decompositions.table()


def _add_number(op: OpOverload, x: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Scales a number that is added. PyTorch's pass that turns numbers into tensors forgets `alpha`."""
    if isinstance(other, torch.Tensor) or (isinstance(alpha, int) and alpha == 1):
        return NotImplemented
    return op(x, other * alpha)


def _clamp(x: torch.Tensor, min: Any = None, max: Any = None) -> torch.Tensor:
    """Limits elements. Inductor's decomposition forgets that integers with a float for a limit become floats."""
    x = x if min is None else torch.clamp_min(x, min)
    return x if max is None else torch.clamp_max(x, max)


def _dot(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Computes a product of vectors by a sum: one program of a product's kernel would be slow."""
    wide = torch.float32 if a.dtype in (torch.float16, torch.bfloat16) else a.dtype
    return (a.to(wide) * b.to(wide)).sum(dtype=wide).to(a.dtype)


def _lower(request: _Request, op: OpOverload) -> bytes:
    """Has inductor lower the graph, and returns the plan."""
    with taking_graphs() as made, tracing(TracingContext(request.mode)), \
            torch._inductor.config.patch(**_OPTIONS), torch.no_grad():
        compile_fx(request.module, request.inputs, decompositions=_decompositions())
    (module,) = made
    return Lowering(module, request.sources, op, [guard.expr for guard in request.env.guards]).file.encode()


def write_plan(name: str, overload: str, arguments: str, level: int, device: int, key: str, path: str) -> int:
    """Compiles an operator, and writes the plan, or why there is none.

    Returns:
        1, or 2 if nothing is written because PyTorch rejects the call.

    Raises:
        ImportError, MemoryError, OSError: If the fault is not the operator's. Nothing is written then.
    """
    op = _operator(name, overload)
    try:
        given = json.loads(arguments)
        full_name = f"{name}.{overload}" if overload else name
        made = own.plan_of(full_name, given, level, device) or _lower(_Request(op, given, level, device), op)
        body = b"outcome plan\n" + made
    except Exception as error:  # noqa: BLE001 - many kinds mean that inductor cannot lower the operator
        if os.environ.get("PUMICE_VK_PLANS_DEBUG"):
            import traceback
            print(name, overload, arguments, flush=True)
            traceback.print_exception(error)
        if (cause := _fault_of_system(error)) is not None:
            raise cause
        if _is_rejected(op, json.loads(arguments), device):
            return 2
        body = _without_plan(error, level)
    _write(pathlib.Path(path), with_checksum(b"key " + key.encode() + b"\n" + body))
    return 1


def _fault_of_system(error: BaseException | None) -> BaseException | None:
    """Returns the cause of an error, if another process or machine need not have it: a missing package, a full disk."""
    while error is not None and not isinstance(error, (ImportError, MemoryError, OSError)):
        error = getattr(error, "inner_exception", None) or error.__cause__  # inductor has the first
    return error


def _is_rejected(op: OpOverload, arguments: list[Any], device: int) -> bool:
    """Returns whether PyTorch's meta kernel raises an error for a call."""
    try:
        request = _Request(op, [_by_value(value) for value in arguments], _STATIC, device)
        with request.mode, torch.no_grad():
            torch.fx.Interpreter(request.module).run(*request.inputs)
    except (NotImplementedError, UnsupportedOperatorException, DataDependentOutputException,
            DynamicOutputShapeException, Unsupported):
        return False  # there is none, or it needs elements
    except (RuntimeError, ValueError, IndexError, TypeError):
        return True
    except Exception:  # noqa: BLE001 - what else goes wrong is no matter of the call
        return False
    return False


def _by_value(value: Any) -> Any:
    """Returns an argument with its numbers as constants."""
    if isinstance(value, list):
        return [_by_value(part) for part in value]
    if not isinstance(value, dict):
        return value
    if "number" in value:
        return value["real"] if "real" in value else value["integer"]
    return value | {"value": _by_value(value["value"])} if "cpu" in value else value


def _without_plan(error: BaseException, level: int) -> bytes:
    if level < _STATIC:
        return b"outcome next\n"
    text = " ".join(str(error).split())[:300]
    return f"outcome none {type(error).__name__}: {text}\n".encode()


def _write(path: pathlib.Path, data: bytes) -> None:
    """Writes a file that other processes see as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(name, path)

