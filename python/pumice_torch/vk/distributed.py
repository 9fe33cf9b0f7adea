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
    """Registers the backend, and adds it to the groups of gloo.

    Groups of "gloo" serve CUDA, too, so programs expect that they serve every device. A group without the name of a
    backend has gloo for the CPU, so that it can send Python's objects.
    """
    from torch import distributed
    if not distributed.is_available() or not distributed.is_gloo_available():
        return
    from torch.distributed import distributed_c10d
    backend = distributed_c10d.Backend
    for name in NAMES:
        backend.register_backend(name, make, devices=["cpu", "vk"])
    config = distributed_c10d.BackendConfig
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
