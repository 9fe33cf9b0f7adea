"""Records the arithmetic of Python functions, such as grids, as expressions for launchers in C.

The function is called with objects that note every operation. An operation that they cannot note, such as a decision
that depends on an argument, raises `Untraceable`.
"""
from __future__ import annotations

import builtins
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Expression = Any  # a number, a name, or a list of an operator and its operands


class Untraceable(Exception):
    """A function does something that is not arithmetic of its arguments."""


class Symbol:
    """A number that is known at launch."""

    def __init__(self, expression: Expression, is_truth: bool = False, is_float: bool = False) -> None:
        self.expression, self.is_truth, self.is_float = expression, is_truth, is_float

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return self.expression if isinstance(self.expression, str) else "a value computed from arguments"

    def __bool__(self) -> bool:
        raise Untraceable("it decides by the value of an argument; write & and | instead of `and` and `or`, and min "
                          "and max instead of `if`")

    def _no_number(self, *_: object) -> Any:
        raise Untraceable("it needs the value of an argument")

    __int__ = __index__ = __float__ = __iter__ = __len__ = _no_number

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise Untraceable(f"it uses .{name} of an argument")

    def __truediv__(self, other: object) -> Quotient:
        return Quotient(self, other)

    def __rtruediv__(self, other: object) -> Quotient:
        return Quotient(other, self)

    def __neg__(self) -> Symbol:
        return Symbol(["neg", self.expression], is_float=self.is_float)

    def __pos__(self) -> Symbol:
        return self

    def __invert__(self) -> Symbol:
        return Symbol(["not" if self.is_truth else "~", self.expression], self.is_truth)


class Quotient:
    """The quotient of `/`, which only rounding makes a whole number."""

    def __init__(self, above: object, below: object) -> None:
        self.above, self.below = above, below

    def __ceil__(self) -> Symbol:
        return negated(_operation("//", negated(self.above), self.below))

    def __floor__(self) -> Symbol:
        return _operation("//", self.above, self.below)


def negated(value: object) -> Symbol:
    """Returns the negative number."""
    return Symbol(-value if isinstance(value, int) else ["neg", expression_of(value)])


def whole(value: Any) -> Any:
    """Returns the value. Raises Untraceable if it is a float."""
    if isinstance(value, Symbol) and value.is_float:
        raise Untraceable("it makes a whole number of a float")
    return value


def expression_of(value: object) -> Expression:
    """Returns the expression of a number or of a Symbol."""
    if isinstance(value, Symbol):
        return value.expression
    if hasattr(value, "__index__"):
        number = value.__index__()
        if not -1 << 63 <= number < 1 << 63:
            raise Untraceable(f"the number {number} has more than 64 bits")
        return number
    if isinstance(value, Quotient):
        raise Untraceable("it divides by /, which gives a fraction; write // or triton.cdiv")
    raise Untraceable(f"it computes with {value!r}, which is not a whole number")


def _operation(name: str, a: object, b: object) -> Symbol:
    """Returns the expression of a binary operation."""
    truths = all(isinstance(one, bool) or isinstance(one, Symbol) and one.is_truth for one in (a, b))
    is_truth = name in ("<", "<=", ">", ">=", "==", "!=")
    is_float = any(isinstance(one, Symbol) and one.is_float for one in (a, b))
    if is_float and not is_truth and name not in ("+", "-", "*"):
        raise Untraceable(f"it computes {name} of a float; launchers add, subtract, multiply and compare floats")
    if name in ("&", "|") and truths:
        name, is_truth = {"&": "and", "|": "or"}[name], True
    return Symbol([name, expression_of(a), expression_of(b)], is_truth, is_float and not is_truth)


def _define_operators() -> None:
    for method, name in {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "lshift": "<<",
                         "rshift": ">>", "and": "&", "or": "|", "xor": "^"}.items():
        setattr(Symbol, f"__{method}__", lambda self, other, name=name: _operation(name, self, other))
        setattr(Symbol, f"__r{method}__", lambda self, other, name=name: _operation(name, other, self))
    for method, name in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
        setattr(Symbol, f"__{method}__", lambda self, other, name=name: _operation(name, self, other))


_define_operators()


def _choose(name: str) -> Callable[..., Any]:
    """Returns a replacement of `min` or `max`."""
    original = getattr(builtins, name)

    def chosen(*given: Any, **named: Any) -> Any:
        values = list(given[0]) if len(given) == 1 else list(given)
        if named or not any(isinstance(value, Symbol) for value in values):
            return original(*given, **named)
        first = values[0]
        for value in values[1:]:
            first = _operation(name, first, value)
        return first

    return chosen


def _int(*given: Any) -> Any:
    """Replaces `int`."""
    if len(given) == 1 and isinstance(given[0], Symbol):
        return whole(given[0])
    if len(given) == 1 and isinstance(given[0], Quotient):  # rounds to zero, as C does
        return _operation("/", given[0].above, given[0].below)
    return int(*given)


def trace(function: Callable[..., Any], *given: Any) -> Any:
    """Returns the result of a function whose arguments may be Symbols.

    Raises:
        Untraceable: If the function is not arithmetic.
    """
    traced = function
    if isinstance(function, types.FunctionType):
        names = {**function.__globals__, "min": _choose("min"), "max": _choose("max"), "int": _int}
        traced = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__,
                                    function.__closure__)
        traced.__kwdefaults__ = function.__kwdefaults__
    try:
        return traced(*given)
    except Untraceable:
        raise
    except Exception as error:
        raise Untraceable(f"it raises {type(error).__name__}: {error}") from error


def call_with_names(function: Callable[..., Any], values: Mapping[str, Any]) -> Any:
    """Traces a function whose parameters are arguments of the kernel, by name."""
    import inspect
    parameters = inspect.signature(function).parameters
    missing = [name for name in parameters if name not in values]
    if missing:
        raise ValueError(f"the function of `constexprs` takes {', '.join(missing)}; expected arguments of the kernel, which "
                         f"are {', '.join(values)}")
    return trace(function, *(values[name] for name in parameters))
