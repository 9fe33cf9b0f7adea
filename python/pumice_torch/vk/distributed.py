"""Makes "vk" known to torch.distributed, by the backend "pumice".

The backend is in the library in C++. It moves elements between processes with gloo, from pinned memory, or from the
tensors' own memory if the device computes in the host's. It also serves tensors of the CPU.
"""
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from datetime import timedelta

NAMES = ("pumice", "vk")


def make(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    """Makes the backend for one process of a group. Its gloo connects the processes through `store`."""
    from torch import distributed
    gloo = distributed.ProcessGroupGloo(store, rank, size, timeout)
    carrier = distributed.ProcessGroup(store, rank, size)
    carrier._register_backend(torch.device("cpu"), distributed.ProcessGroup.BackendType.GLOO, gloo)
    torch.ops.pumice_vk.add_backend(carrier.boxed())
    return carrier._get_backend(torch.device("vk"))


def announce() -> None:
    """Registers the backend, if this PyTorch has gloo."""
    from torch import distributed
    if not distributed.is_available() or not distributed.is_gloo_available():
        return
    for name in NAMES:
        distributed.Backend.register_backend(name, make, devices=["cpu", "vk"])
    _extend_groups()
    _allow_bfloat16()


def _extend_groups() -> None:
    """Adds the backend to groups of gloo, and gloo to groups without the name of a backend.

    Groups of "gloo" serve CUDA, too, so programs expect that they serve every device. The CPU's gloo sends Python's
    objects.
    """
    from torch.distributed import distributed_c10d
    backend, config = distributed_c10d.Backend, distributed_c10d.BackendConfig
    known = config.__init__

    @functools.wraps(known)
    def __init__(self: Any, given: Any) -> None:
        known(self, given)
        devices = self.device_backend_map
        if str(given) == backend.UNDEFINED and devices.get("vk") == NAMES[0]:
            devices.setdefault("cpu", backend.GLOO)
        elif str(given).lower() == backend.GLOO:
            devices["vk"] = NAMES[0]

    config.__init__ = __init__


def _allow_bfloat16() -> None:
    """Lets DistributedDataParallel send gradients of vk as bf16. PyTorch allows that for CUDA and XPU alone."""
    parallel = torch.nn.parallel.DistributedDataParallel
    known = parallel._check_comm_hook

    @functools.wraps(known)
    def _check_comm_hook(self: Any, hook: Any) -> None:
        name = getattr(hook, "__name__", "")
        if self.device_type != "vk" or name not in ("bf16_compress_hook", "bf16_compress_wrapper_hook"):
            known(self, hook)

    parallel._check_comm_hook = _check_comm_hook
