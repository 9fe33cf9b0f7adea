"""Pumice for PyTorch: the function that `import torch` calls by itself, and the parts of `pumice.torch`.

PyTorch imports every package that registers as one of its back ends, so this module imports nothing large.
"""
from __future__ import annotations

import os
import sys

VARIABLE = "PUMICE_CPU_FOR_CUDA"
VK = "PUMICE_VK"


def autoload() -> None:
    """Runs at the end of `import torch`. It must never fail, since it runs in every program that imports torch."""
    import warnings

    try:
        if _wants_vk():
            from .vk.autoload import announce
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


def _wants_vk() -> bool:
    """Returns whether PyTorch learns of "vk": if PUMICE_VK says so, or by itself if nothing else speaks against it.

    If the variable is set and there is no library for this PyTorch, it is compiled.
    """
    from . import build

    asked = os.environ.get(VK)
    if asked is not None and asked in ("", "0"):
        return False
    if asked is None:
        return build.find() is not None and not _has_accelerator()
    if "PUMICE_TORCH_LIBRARY" not in os.environ and build.find() is None:
        print(f"pumice: compiling torch.device('vk') for PyTorch {build.torch_version()}, once, which takes some minutes",
              file=sys.stderr, flush=True)
        build.build()
    return True


def _has_accelerator() -> bool:
    """Returns whether this PyTorch can use a device of its own here, which it takes for the only one.

    It looks for the driver's files, since asking PyTorch would start the driver.
    """
    import torch

    version = torch.version
    if os.environ.get("CUDA_VISIBLE_DEVICES") != "" and (
            (version.cuda and (os.path.exists("/dev/nvidiactl") or os.path.exists("/dev/dxg"))) or
            (version.hip and os.path.exists("/dev/kfd"))):
        return True
    return bool(getattr(version, "xpu", None) and os.path.isdir("/dev/dri")) or torch.backends.mps.is_built() or \
        torch._C._get_privateuse1_backend_name() not in ("privateuseone", "vk")
