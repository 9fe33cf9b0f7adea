"""Signatures of exported kernels: "*fp32:16, i32, 1024", in the form of Triton's own tools.

A tuple has its types in parentheses, and a tensor descriptor has the type of its block: "(*fp32, i32), tensordesc<fp32[16, 64]>".
"""
from __future__ import annotations

import dataclasses
import re
import types
from typing import TYPE_CHECKING, Any

from . import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SEPARATOR = "\x1f"  # between the targets of one `arch` (backend.py)

_ELEMENTS = {"i1": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u1": "i1", "u8": "i8", "u16": "i16",
             "u32": "i32", "u64": "i64", "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "f16": "f16",
             "f32": "f32", "f64": "f64", "fp8e4nv": "f8", "fp8e4b8": "f8", "fp8e4b15": "f8", "fp8e5": "f8",
             "fp8e5b16": "f8"}


@dataclasses.dataclass(frozen=True)
class Type:
    """The type of a parameter.

    Attributes:
        argument: The kernel's argument, if the parameter is a part of a tuple or a descriptor.
    """
    element: str
    is_pointer: bool
    is_unsigned: bool
    argument: str = ""


@dataclasses.dataclass
class Signature:
    """One signature: the types of a kernel's arguments, and what it promises about them.

    Attributes:
        types: Triton's type of each argument, which is a tuple for tuples. Constants are absent.
        attributes: What Triton learns of an argument.
        values: Constants, and arguments that are always 1.
        ones: The arguments that are always 1.
        text: The promises, for readers.
    """
    types: dict[str, Any]
    attributes: dict[str, list[list[Any]]]
    values: dict[str, Any]
    ones: list[str]
    text: str = ""

    @property
    def promises(self) -> int:
        """The number of promises."""
        return len(self.attributes) + len(self.ones)

    def conditions(self, types: dict[str, Type]) -> list[Any]:
        """Returns the conditions under which arguments keep the promises."""
        return [["aligned", name, 16] if types[name].is_pointer else ["==", ["%", name, 16], 0]
                for name in self.attributes] + [["==", name, 1] for name in self.ones]


def read_all(given: Any, names: Sequence[str], constants: Sequence[str], kernel: str) -> list[Signature]:
    """Reads one signature or a list of several. `names` are the kernel's arguments.

    Raises:
        ValueError: If one does not fit the kernel.
        TypeError: If one is neither text nor a dictionary.
    """
    several = given if isinstance(given, list) else [given]
    if not several:
        raise ValueError(f"kernel '{kernel}': the list of signatures is empty; expected at least one")
    return [_read(one, names, constants, kernel) for one in several]


def _read(given: Any, names: Sequence[str], constants: Sequence[str], kernel: str) -> Signature:
    if isinstance(given, str):
        parts = _split(given)
        # Constants at the end may be left out, for `constexprs`.
        while len(parts) < len(names) and names[len(parts)] in constants:
            parts.append("constexpr")
        if len(parts) != len(names):
            raise ValueError(f"kernel '{kernel}': the signature has {len(parts)} types, but the kernel takes {len(names)}: "
                             f"{', '.join(names)}")
        named = dict(zip(names, parts))
    elif isinstance(given, dict):
        named = {name: _text_of(given[name]) if name in given else "constexpr" for name in names}
        unknown = [name for name in given if name not in names]
        missing = [name for name in names if name not in given and name not in constants]
        if unknown or missing:
            said = f"lacks {', '.join(missing)}" if missing else f"names {', '.join(map(str, unknown))}"
            raise ValueError(f"kernel '{kernel}': the signature {said}; the kernel takes {', '.join(names)}")
    else:
        raise TypeError(f"kernel '{kernel}': expected a signature as text or as a dictionary, got {given!r}")
    read = Signature({}, {}, {}, [])
    notes = []
    for name, text in named.items():
        if text.startswith(("(", "tensordesc")):
            if name in constants:
                raise ValueError(f"kernel '{kernel}': '{name}' is a constant of the kernel; expected a number, got '{text}'")
            read.types[name] = _nested(text, f"kernel '{kernel}': argument '{name}'")
            dict(_parts(name, read.types[name], name, f"kernel '{kernel}': argument '{name}'"))  # checks the types
            continue
        kind, _, hint = text.partition(":")
        value = constant_of(kind)
        if kind == "constexpr" or value is not None:
            if value is not None:
                read.values[name] = value
            elif name not in constants:
                raise ValueError(f"kernel '{kernel}': argument '{name}' is not a constant of the kernel; expected a type "
                                 "such as i32, or a number")
            continue
        type_of(kind, f"kernel '{kernel}': argument '{name}'")
        if name in constants:
            raise ValueError(f"kernel '{kernel}': '{name}' is a constant of the kernel; expected a number, got '{kind}'")
        read.types[name] = kind
        if hint == "16":
            read.attributes[name] = [["tt.divisibility", 16]]
        elif hint == "1" and not kind.startswith("*"):
            read.values[name] = 1
            read.ones.append(name)
        elif hint:
            raise ValueError(f"kernel '{kernel}': argument '{name}': expected the hint :16, or :1 for a number, got ':{hint}'")
        if hint:
            notes.append(f"{name}:{hint}")
    read.text = ", ".join(notes)
    return read


def _split(text: str) -> list[str]:
    """Returns the items between commas that are inside no brackets."""
    items, depth = [""], 0
    for letter in text:
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and depth == 0:
            items.append("")
        else:
            items[-1] += letter
    items = [item.strip() for item in items]
    return items[:-1] if items[-1] == "" else items


def _text_of(kind: Any) -> str:
    """Returns the type of an argument as text. Triton writes those of tuples as tuples."""
    return f"({', '.join(map(_text_of, kind))},)" if isinstance(kind, (tuple, list)) else str(kind)


def _nested(text: str, place: str) -> Any:
    """Returns a type as Triton has it: tuples of types, and text for the others."""
    if not text.startswith("("):
        return text
    if not text.endswith(")"):
        raise ValueError(f"{place}: expected ')' at the end of '{text}'")
    return tuple(_nested(part, place) for part in _split(text[1:-1]))


def _parts(name: str, kind: Any, argument: str, place: str) -> Iterator[tuple[str, Type]]:
    """Returns the parameters that an argument becomes, in the order of pumice-lower-descriptors.

    Raises:
        ValueError: If a type is unknown.
    """
    if isinstance(kind, tuple):
        for number, part in enumerate(kind):
            yield from _parts(f"{name}_{number}", part, argument, place)
    elif kind.startswith("tensordesc"):
        try:
            element = versions.descriptor_element(kind) or ""
        except TypeError as error:
            raise ValueError(f"{place}: {error}") from None
        block = re.search(r"\[([\d, ]+)\]>$", kind)
        if not block:
            raise ValueError(f"{place}: expected a descriptor such as tensordesc<fp32[16, 64]>, got '{kind}'")
        rank = block[1].count(",") + 1
        yield name, dataclasses.replace(type_of(f"*{element}", place), argument=argument)
        if element[:2] in ("fp", "bf"):
            yield f"{name}_pads_with_nan", Type("i1", False, False, argument)
        for number in range(rank):
            yield f"{name}_shape_{number}", Type("i32", False, False, argument)
        for number in range(rank):
            yield f"{name}_stride_{number}", Type("i64", False, False, argument)
    else:
        yield name, dataclasses.replace(type_of(kind, place), argument=argument)


def structure_of(name: str, kind: Any, of: Callable[[str], Any]) -> Any:
    """Returns what grids and conditions see of a tuple or a descriptor. `of` makes the value of a parameter's name."""
    if isinstance(kind, tuple):
        return tuple(structure_of(f"{name}_{number}", part, of) for number, part in enumerate(kind))
    if not kind.startswith("tensordesc"):
        return None if kind.startswith("*") else of(name)
    block = [int(extent) for extent in kind[kind.index("[") + 1:kind.index("]")].split(",")]
    axes = range(len(block))
    return types.SimpleNamespace(block_shape=block, shape=[of(f"{name}_shape_{axis}") for axis in axes],
                                 strides=[of(f"{name}_stride_{axis}") for axis in axes])


def constant_of(text: str) -> int | float | bool | None:
    """Returns the value of a constant in a signature, or None if it is a type."""
    if text in ("True", "False"):
        return text == "True"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None


def type_of(text: str, place: str) -> Type:
    """Returns the type that a signature names.

    Raises:
        ValueError: If there is no such type.
    """
    pointer = text.startswith("*")
    element = text.removeprefix("*").removeprefix("k") if pointer else text
    if element not in _ELEMENTS or (element.startswith("fp8") and not pointer):
        known = "a type such as *fp32, i32, u64 or bf16"
        raise ValueError(f"{place}: expected {known}, got '{text}'")
    return Type(_ELEMENTS[element], pointer, element.startswith("u"))


def with_sign(kind: Type) -> str:
    """Returns the element type of a parameter with a u if it is unsigned."""
    return f"u{kind.element[1:]}" if kind.is_unsigned and kind.element != "i1" else kind.element


def element_of(text: object) -> str:
    """Returns the element type that an array's `dtype` names, such as torch.float32, in the form of `with_sign`."""
    name = str(text).removeprefix("torch.")
    if name in _ELEMENTS:
        return with_sign(type_of(f"*{name}", name))
    if name.startswith("float8"):
        return "f8"
    name = re.sub("^(b?f)loat", r"\1", re.sub("^(u?i)nt", r"\1", name))
    return "i1" if name == "bool" else "u" + name.removeprefix("ui") if name.startswith("ui") else name


def common_types(all_: Sequence[Signature], kernel: str) -> dict[str, Type]:
    """Returns the parameters on which all signatures agree, and their types. Tuples and descriptors have several.

    Raises:
        ValueError: If they do not agree, or if two parameters have one name.
    """
    known: dict[str, Any] = {}
    for one in all_:
        for name, kind in one.types.items():
            if known.setdefault(name, kind) != kind:
                raise ValueError(f"kernel '{kernel}': argument '{name}' is {known[name]} in one signature and {kind} in another; "
                                 "export them under two names")
    for one in all_:
        if odd := [name for name in known if name not in one.types]:
            raise ValueError(f"kernel '{kernel}': '{odd[0]}' is a number in one signature and a type in another; use the "
                             "hint :1, or `constexprs`")
    parameters: dict[str, Type] = {}
    for name, kind in known.items():
        for part, its_type in _parts(name, kind, name, name):
            if part in parameters:
                raise ValueError(f"kernel '{kernel}': '{part}' is a part of '{parameters[part].argument}' and of '{name}'; "
                                 "rename one of them in the kernel")
            parameters[part] = its_type
    return parameters
