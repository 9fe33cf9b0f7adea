"""Launches of our Triton kernels in decompositions."""
from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
import triton
from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table as kernel_side_table  # also for plans
from torch._higher_order_ops.triton_kernel_wrap import triton_kernel_wrapper_functional


def launch(kernel: Any, grid: Sequence[Any], *given: Any, outputs: Sequence[str], warps: int = 4,
           **constants: Any) -> tuple[torch.Tensor, ...]:
    """Launches a kernel on tensors and integers.

    A decomposition may not write into tensors, since it may be a part of another operator's. So the kernel writes into
    copies. Inductor leaves the copies out.

    Args:
        kernel: The function.
        grid: The number of programs along up to three axes.
        given: The arguments before the constants. The kernel gets contiguous tensors.
        outputs: The names of the tensors that the kernel writes.
        warps: Triton's num_warps.
        constants: The values of constexpr parameters.

    Returns:
        The tensors that the kernel has written, in the order of `outputs`.
    """
    contiguous = [one.contiguous() if isinstance(one, torch.Tensor) else one for one in given]
    arguments = dict(zip(kernel.arg_names, contiguous))
    # Inductor passes constants wrongly, unless they are those of a configuration. Then it compiles a kernel for each launch.
    chosen = _configured(kernel, warps, tuple(constants.items())) if constants else kernel
    made = triton_kernel_wrapper_functional(
        kernel_idx=kernel_side_table.add_kernel(chosen),
        constant_args_idx=kernel_side_table.add_constant_args({}), grid=[(*grid, *[1] * (3 - len(grid)))],
        tma_descriptor_metadata={}, kwargs=arguments, tensors_to_clone=list(outputs))
    return tuple(made[name] for name in outputs)


@functools.cache
def _configured(kernel: Any, warps: int, constants: tuple[tuple[str, Any], ...]) -> Any:
    return triton.autotune([triton.Config(dict(constants), num_warps=warps)], key=[])(kernel)


def blocks(count: Any, size: int) -> Any:
    """Returns how many blocks of a size hold `count` elements."""
    return (count + size - 1) // size
