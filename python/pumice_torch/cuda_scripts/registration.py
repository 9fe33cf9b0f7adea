"""Operators that libraries register for device "cuda": they become those of the CPU, where there is none yet."""
import torch
from torch._library.custom_ops import CustomOpDef

from .asking import replace


def install():
    impl = torch.library.Library.impl

    def implement(self, op_name, fn, dispatch_key="", **named):
        impl(self, op_name, fn, dispatch_key, **named)
        if (dispatch_key or self.dispatch_key) == "CUDA" and self.ns != "aten":
            try:
                impl(self, op_name, fn, "CPU", **named)
            except RuntimeError:
                pass  # the library has a function for the CPU, too

    replace(torch.library.Library, "impl", implement)
    register = CustomOpDef.register_kernel

    def register_kernel(self, device_types, func=None, /):
        kinds = [device_types] if isinstance(device_types, str) else device_types
        if kinds is not None and "cuda" in kinds:
            kinds = [kind for kind in kinds if kind != "cuda"]
            if "cpu" not in kinds and "cpu" not in self._backend_fns:
                kinds.append("cpu")
        return register(self, kinds, func)

    replace(CustomOpDef, "register_kernel", register_kernel)
