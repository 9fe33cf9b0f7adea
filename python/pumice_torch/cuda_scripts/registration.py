"""Registers operators that libraries register for device "cuda" for the CPU too, if the CPU has none yet."""
from __future__ import annotations

from typing import Any

import torch
from torch._library.custom_ops import CustomOpDef

from .asking import replace


def install() -> None:
    """Replaces the functions that register operators."""
    impl = torch.library.Library.impl

    def implement(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **named: Any) -> None:
        impl(self, op_name, fn, dispatch_key, **named)
        if (dispatch_key or self.dispatch_key) == "CUDA" and self.ns != "aten":
            try:
                impl(self, op_name, fn, "CPU", **named)
            except RuntimeError:
                pass  # the library has a function for the CPU, too

    replace(torch.library.Library, "impl", implement)
    register = CustomOpDef.register_kernel

    def register_kernel(self: Any, device_types: Any, func: Any = None, /) -> Any:
        kinds = [device_types] if isinstance(device_types, str) else device_types
        if kinds is not None and "cuda" in kinds:
            kinds = [kind for kind in kinds if kind != "cuda"]
            if "cpu" not in kinds and "cpu" not in self._backend_fns:
                kinds.append("cpu")
        return register(self, kinds, func)

    replace(CustomOpDef, "register_kernel", register_kernel)
