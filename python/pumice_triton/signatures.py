"""Signatures of exported kernels: "*fp32:16, i32, 1024", in the form of Triton's own tools."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

SEPARATOR = "\x1f"  # between the targets of one `arch` (backend.py)

_ELEMENTS = {"i1": "i1", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u1": "i1", "u8": "i8", "u16": "i16",
             "u32": "i32", "u64": "i64", "fp16": "f16", "bf16": "bf16", "fp32": "f32", "fp64": "f64", "f16": "f16",
             "f32": "f32", "f64": "f64", "fp8e4nv": "f8", "fp8e4b8": "f8", "fp8e4b15": "f8", "fp8e5": "f8",
             "fp8e5b16": "f8"}


@dataclasses.dataclass(frozen=True)
class Type:
    """The type of an argument."""
    element: str
    is_pointer: bool
    is_unsigned: bool


@dataclasses.dataclass
class Signature:
    """One signature: the types of a kernel's arguments, and what it promises about them.

    Attributes:
        types: Triton's type of each argument. Constants are absent.
        attributes: What Triton learns of an argument.
        values: Constants, and arguments that are always 1.
        ones: The arguments that are always 1.
        text: The promises, for readers.
    """
    types: dict[str, str]
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
        parts = [part.strip() for part in given.split(",")] if given.strip() else []
        # Constants at the end may be left out, for `constexprs`.
        while len(parts) < len(names) and names[len(parts)] in constants:
            parts.append("constexpr")
        if len(parts) != len(names):
            raise ValueError(f"kernel '{kernel}': the signature has {len(parts)} types, but the kernel takes {len(names)}: "
                             f"{', '.join(names)}")
        named = dict(zip(names, parts))
    elif isinstance(given, dict):
        named = {name: str(given[name]) if name in given else "constexpr" for name in names}
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
        way_out = "; pass descriptors as pointers, and make them in the kernel" if "tensordesc" in text else ""
        raise ValueError(f"{place}: expected {known}, got '{text}'{way_out}")
    return Type(_ELEMENTS[element], pointer, element.startswith("u"))


def common_types(all_: Sequence[Signature], kernel: str) -> dict[str, Type]:
    """Returns the types on which all signatures agree.

    Raises:
        ValueError: If they do not agree.
    """
    types: dict[str, str] = {}
    for one in all_:
        for name, text in one.types.items():
            if types.setdefault(name, text) != text:
                raise ValueError(f"kernel '{kernel}': argument '{name}' is {types[name]} in one signature and {text} in another; "
                                 "export them under two names")
    for one in all_:
        if odd := [name for name in types if name not in one.types]:
            raise ValueError(f"kernel '{kernel}': '{odd[0]}' is a number in one signature and a type in another; use the "
                             "hint :1, or `constexprs`")
    return {name: type_of(text, name) for name, text in types.items()}
