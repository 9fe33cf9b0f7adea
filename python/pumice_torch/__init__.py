"""Pumice for PyTorch: the function that `import torch` calls by itself, and the parts of `pumice.torch`.

PyTorch imports every package that registers as one of its back ends, so this module imports nothing large.
"""
from __future__ import annotations

import os

VARIABLE = "PUMICE_CPU_FOR_CUDA"
VK = "PUMICE_VK"  # torch.device("vk") is new, so PyTorch learns of it only if this is set


def autoload() -> None:
    """Runs at the end of `import torch`. It must never fail, since it runs in every program that imports torch."""
    import warnings

    if os.environ.get(VK, "0") not in ("", "0"):
        from .vk.autoload import announce
        try:
            announce()
        except Exception as error:  # noqa: BLE001
            warnings.warn(f"torch.device('vk') cannot be used: {error}", stacklevel=2)
    if os.environ.get(VARIABLE, "0") in ("", "0"):
        return
    from .cuda_scripts import use_cpu_for_cuda
    try:
        use_cpu_for_cuda()
    except Exception as error:  # noqa: BLE001
        warnings.warn(f"{VARIABLE} has no effect: {error}", stacklevel=2)
