"""Writes the arithmetic of a plan: sizes, grids and conditions, from sympy's expressions and from nodes of a graph."""
from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import sympy
import torch

Source = tuple[Any, ...]


class Unsupported(Exception):
    """Something that plans cannot express."""


# Operations on integers, and on floats, by the name of the operation.
_REAL = {"add": "addf", "sub": "subf", "mul": "mulf", "div": "divf", "pow": "powf", "neg": "negf", "min": "minf",
         "max": "maxf", "sqrt": "sqrtf", "eq": "eqf", "ne": "nef", "lt": "ltf", "le": "lef", "gt": "gtf", "ge": "gef",
         "trunc": "truncf", "floor": "floorf", "ceil": "ceilf"}
_GIVES_INTEGER = {"eq", "ne", "lt", "le", "gt", "ge", "trunc", "floor", "ceil"}
_ONLY_REAL = {"div", "sqrt"}

_FUNCTIONS: dict[Callable[..., Any], str] = {
    operator.add: "add", operator.sub: "sub", operator.mul: "mul", operator.floordiv: "floordiv", operator.mod: "mod",
    operator.truediv: "div", operator.pow: "pow", operator.neg: "neg", operator.eq: "eq", operator.ne: "ne",
    operator.lt: "lt", operator.le: "le", operator.gt: "gt", operator.ge: "ge", operator.and_: "and",
    operator.or_: "or", operator.lshift: "lshift", operator.rshift: "rshift", torch.sym_max: "max",
    torch.sym_min: "min", torch.sym_not: "not", torch.sym_float: "float", torch.sym_int: "trunc", math.trunc: "trunc",
    math.floor: "floor", math.ceil: "ceil", torch.sym_ite: "where", torch.sym_sum: "add", max: "max",
    min: "min", math.sqrt: "sqrt",
}

# Classes of sympy and of torch.utils._sympy, by name. The second part says how many arguments one operation takes.
_CLASSES = {"Add": "add", "Mul": "mul", "FloorDiv": "floordiv", "Mod": "mod", "PythonMod": "mod", "CleanDiv": "floordiv",
            "Max": "max", "Min": "min", "Equality": "eq", "Unequality": "ne", "StrictLessThan": "lt", "LessThan": "le",
            "StrictGreaterThan": "gt", "GreaterThan": "ge", "And": "and", "Or": "or", "Not": "not", "Pow": "pow",
            "PowByNatural": "pow", "FloatPow": "pow", "FloatTrueDiv": "div", "IntTrueDiv": "div", "ToFloat": "float",
            "TruncToInt": "trunc", "FloorToInt": "floor", "CeilToInt": "ceil", "LShift": "lshift", "RShift": "rshift",
            "Where": "where", "Identity": "same"}


class Values:
    """The values of a plan, each once, in the order in which they are computed."""

    def __init__(self, symbols: dict[sympy.Symbol, Source]) -> None:
        self.lines: list[str] = []
        self._numbers: dict[str, int] = {}
        self._is_real: list[bool] = []
        self._symbols = symbols

    def _emit(self, line: str, *, is_real: bool) -> int:
        if line not in self._numbers:
            self._numbers[line] = len(self.lines)
            self.lines.append(line)
            self._is_real.append(is_real)
        return self._numbers[line]

    def is_real(self, value: int) -> bool:
        """Returns whether a value is a float."""
        return self._is_real[value]

    def constant(self, value: float | bool) -> int:
        """Returns the number of a constant."""
        if isinstance(value, float):
            text = repr(value) if math.isfinite(value) else str(value)
            return self._emit(f"real {text}", is_real=True)
        return self._emit(f"constant {int(value)}", is_real=False)

    def of_source(self, source: Source, *, is_real: bool = False) -> int:
        """Returns the number of a size, a sixteenth of one, a stride, or a number of the call."""
        if source[0] == "sixteenth":
            return self.apply("floordiv", self.of_source(("size", *source[1:])), self.constant(16))
        return self._emit(" ".join(map(str, source)), is_real=is_real)

    def real(self, value: int) -> int:
        """Returns a value as a float."""
        return value if self.is_real(value) else self._emit(f"float {value}", is_real=True)

    def apply(self, name: str, *values: int) -> int:
        """Returns the number of an operation's result."""
        if name == "same" or (name == "trunc" and not self.is_real(values[0])):
            return values[0]
        if name in ("floor", "ceil") and not self.is_real(values[0]):
            return values[0]
        if name == "float":
            return self.real(values[0])
        if name == "where":
            return self._emit(f"where {values[0]} {values[1]} {values[2]}", is_real=self.is_real(values[1]))
        if name == "pow" and not any(map(self.is_real, values)) and not self._is_natural(values[1]):
            raise Unsupported("a power of integers whose exponent is not a constant")
        if len(values) > 2:
            made = values[0]
            for value in values[1:]:
                made = self.apply(name, made, value)
            return made
        if name in _ONLY_REAL or any(map(self.is_real, values)):
            if name not in _REAL:
                raise Unsupported(f"the operation {name} on floats")
            reals = " ".join(str(self.real(value)) for value in values)
            return self._emit(f"{_REAL[name]} {reals}", is_real=name not in _GIVES_INTEGER)
        return self._emit(f"{name} {' '.join(map(str, values))}", is_real=False)

    def _is_natural(self, value: int) -> bool:
        kind, _, text = self.lines[value].partition(" ")
        return kind == "constant" and int(text) >= 0

    def of_call(self, function: Any, values: list[int]) -> int:
        """Returns the number of a result of one of Python's functions."""
        if function not in _FUNCTIONS:
            raise Unsupported(f"the function {function} on numbers")
        return self.apply(_FUNCTIONS[function], *values)

    def of_expression(self, expression: Any) -> int:
        """Returns the number of an expression of sympy's."""
        if isinstance(expression, (bool, int, float)):
            return self.constant(expression)
        if expression in (sympy.true, sympy.false):
            return self.constant(bool(expression))
        if isinstance(expression, sympy.Integer):
            return self.constant(int(expression))
        if isinstance(expression, sympy.Float):
            return self.constant(float(expression))
        if isinstance(expression, sympy.Symbol):
            if expression not in self._symbols:
                raise Unsupported(f"the symbol {expression}, which does not come from the call's arguments")
            return self.of_source(self._symbols[expression])
        if isinstance(expression, sympy.Rational):
            return self.apply("div", self.constant(expression.p), self.constant(expression.q))
        name = type(expression).__name__
        if name not in _CLASSES:
            raise Unsupported(f"the expression {name} of sympy")
        return self.apply(_CLASSES[name], *map(self.of_expression, expression.args))
