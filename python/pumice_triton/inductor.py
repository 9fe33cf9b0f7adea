"""Corrects mistakes that PyTorch's inductor makes in kernels for the CPU."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def unwraps_what_is_not_written(unwraps: Callable[[str], bool]) -> Callable[[str], bool]:
    """Returns a replacement of `should_unwrap_unspec_arg` that excludes tensors which the kernel writes.

    PyTorch 2.13 passes a 0-dimensional CPU tensor as a number, and reads it without a load. If the kernel writes its
    result over the tensor, PyTorch passes a pointer, but still leaves out the load.
    """
    from torch._inductor.codegen import triton as codegen

    def unwraps_here(name: str) -> bool:
        kernel = codegen.V.kernel
        return unwraps(name) and name not in getattr(getattr(kernel, "args", None), "inplace_buffers", ())

    return unwraps_here
