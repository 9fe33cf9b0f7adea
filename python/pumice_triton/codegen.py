"""Functions that Triton's front end calls while it makes IR, and a check of what it passes."""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def _convert_float8(argument: Any, type: Any, rounding: Any, _semantic: Any = None) -> Any:
    """Converts to and from float8e4b15, which is i8 in Triton's IR.

    Other back ends write the conversion in their assembly. Here it is a call of a function of Pumice's compiler.
    """
    import triton.language as tl
    from triton._C.libtriton import ir

    def call(function: str, value: Any, element: Any) -> Any:
        made = value.type.with_element_ty(element) if value.type.is_block() else element
        handle = _semantic.builder.create_extern_elementwise(
            "", "", f"__nv_{function}", [value.handle], made.to_ir(_semantic.builder), True)
        return tl.tensor(handle, made)

    if argument.type.scalar.is_fp8e4b15():
        return _semantic.cast(call("fp8e4b15_to_fp32", argument, tl.float32), type)
    suffix = "_rz" if rounding == ir.ROUNDING_MODE.RTZ else ""
    return call(f"fp32_to_fp8e4b15{suffix}", _semantic.cast(argument, tl.float32), tl.float8e4b15)


def checks_pack(known: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a replacement of `inline_asm_elementwise` that checks `pack`.

    Triton divides by `pack` without a check, so that 0 would end the process by a signal.
    """
    @functools.wraps(known)  # Triton recognizes its functions by an attribute, and asks for parameters
    def inline_asm_elementwise(asm: Any, constraints: Any, args: Any, dtype: Any, is_pure: Any, pack: Any,
                               _semantic: Any = None) -> Any:
        number = getattr(pack, "value", pack)
        if not isinstance(number, int) or number < 1:
            raise ValueError("inline_asm_elementwise takes pack=N with N of 1 or more elements in each register, "
                             f"got {number!r}")
        return known(asm, constraints, args, dtype, is_pure, pack, _semantic=_semantic)

    return inline_asm_elementwise


FUNCTIONS = {"min_dot_size": lambda lhs, rhs: (1, 1, 1), "convert_custom_types": _convert_float8}
