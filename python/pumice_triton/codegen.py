"""What Triton's front end asks of a back end while it makes IR, and what it must not be asked."""
import functools


def _convert_float8(argument, type, rounding, _semantic=None):
    """To and from float8e4b15, which is i8 in Triton's IR: others write it in their assembly, here
    it is functions of the compiler's."""
    import triton.language as tl
    from triton._C.libtriton import ir

    def call(function, value, element):
        made = value.type.with_element_ty(element) if value.type.is_block() else element
        handle = _semantic.builder.create_extern_elementwise(
            "", "", f"__nv_{function}", [value.handle], made.to_ir(_semantic.builder), True)
        return tl.tensor(handle, made)

    if argument.type.scalar.is_fp8e4b15():
        return _semantic.cast(call("fp8e4b15_to_fp32", argument, tl.float32), type)
    suffix = "_rz" if rounding == ir.ROUNDING_MODE.RTZ else ""
    return call(f"fp32_to_fp8e4b15{suffix}", _semantic.cast(argument, tl.float32), tl.float8e4b15)


def checks_pack(known):
    """Triton divides by the `pack` of inline assembly unseen: 0 would end the process by a signal."""
    @functools.wraps(known)  # Triton knows its functions by an attribute, and asks for parameters
    def inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack, _semantic=None):
        number = getattr(pack, "value", pack)
        if not isinstance(number, int) or number < 1:
            raise ValueError("inline_asm_elementwise takes pack=N with N of 1 or more elements in each register, "
                             f"got {number!r}")
        return known(asm, constraints, args, dtype, is_pure, pack, _semantic=_semantic)

    return inline_asm_elementwise


FUNCTIONS = {"min_dot_size": lambda lhs, rhs: (1, 1, 1), "convert_custom_types": _convert_float8}
