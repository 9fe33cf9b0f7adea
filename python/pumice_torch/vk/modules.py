"""Keeps the parameters of modules themselves when a module moves to vk or away from it.

PyTorch gives a parameter new memory in place if both devices are among those that it lists. For other devices it makes a
new parameter, so that shared weights are no longer shared, and optimizers keep the old ones. PyTorch can also exchange
the contents of two tensors, which works for every device: `torch.__future__.set_swap_module_params_on_conversion`.
"""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch


def _crosses(module: torch.nn.Module, function: Callable[[torch.Tensor], torch.Tensor]) -> bool:
    """Returns whether a function moves the module's parameters to vk or away from it."""
    for parameter in module.parameters():
        with torch.no_grad():
            moved = function(torch.empty(0, dtype=parameter.dtype, device=parameter.device))
        if (parameter.device.type == "vk") != (moved.device.type == "vk"):
            return True
        break  # the parameters of a module are on one device, as a rule
    return False


def keep_parameters() -> None:
    """Makes modules that move to vk keep their parameters."""
    known = torch.nn.Module._apply
    future = torch.__future__

    @functools.wraps(known)
    def _apply(self: torch.nn.Module, fn: Any, recurse: bool = True) -> torch.nn.Module:
        if future.get_swap_module_params_on_conversion() or not _crosses(self, fn):
            return known(self, fn, recurse)
        future.set_swap_module_params_on_conversion(True)
        try:
            return known(self, fn, recurse)
        finally:
            future.set_swap_module_params_on_conversion(False)

    torch.nn.Module._apply = _apply
