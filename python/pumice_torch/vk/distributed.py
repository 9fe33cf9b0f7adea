"""Makes "vk" known to torch.distributed, by the backend "pumice".

The backend is in the library in C++. It moves elements between processes with gloo, from pinned memory, or from the
tensors' own memory if the device computes in the host's. It also serves tensors of the CPU.
"""
from __future__ import annotations

import atexit
import contextvars
import functools
import os
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from datetime import timedelta

NAMES = ("pumice", "vk")

# Whether the group that is being made was asked for as "gloo".
_is_group_of_gloo = contextvars.ContextVar("is_group_of_gloo", default=False)


def make(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    """Makes the backend for one process of a group. Its gloo connects the processes through `store`."""
    from torch import distributed
    _end_before_python()
    gloo = _connect(store, rank, size, timeout)
    carrier = distributed.ProcessGroup(store, rank, size)
    carrier._register_backend(torch.device("cpu"), distributed.ProcessGroup.BackendType.GLOO, gloo)
    torch.ops.pumice_vk.add_backend(carrier.boxed())
    return carrier._get_backend(torch.device("vk"))


@functools.cache
def _end_before_python() -> None:
    """Lets the library's threads free their tensors before Python ends. They need Python for it."""
    atexit.register(torch.ops.pumice_vk.await_threads, 1000)


def _connect(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    """Makes the gloo of a group, which connects all processes.

    For a group of "gloo", two processes are connected when they first meet. So the group also works if some processes
    have no vk, as long as these send tensors of the CPU only.
    """
    from torch.distributed import ProcessGroupGloo as Gloo
    if not _is_group_of_gloo.get():
        return Gloo(store, rank, size, timeout)
    names = [name for name in os.environ.get("GLOO_SOCKET_IFNAME", "").split(",") if name]
    try:
        devices = [Gloo.create_device(interface=name, lazy_init=True) for name in names]
        options = Gloo._Options()
        options._devices = devices or [Gloo.create_default_device(lazy_init=True)]
    except RuntimeError:  # this system's transport connects all processes at once
        return Gloo(store, rank, size, timeout)
    options._threads = 2 * len(options._devices)
    options._timeout = timeout
    return Gloo(store, rank, size, options)


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
        _is_group_of_gloo.set(str(given).lower() == backend.GLOO)
        if str(given) == backend.UNDEFINED and devices.get("vk") == NAMES[0]:
            devices.setdefault("cpu", backend.GLOO)
        elif _is_group_of_gloo.get():
            devices["vk"] = NAMES[0]

    config.__init__ = __init__

    # PyTorch leaves groups of "cpu:gloo" without a default backend if another package has registered one.
    make_group = distributed_c10d._new_process_group_helper

    @functools.wraps(make_group)
    def _new_process_group_helper(*given: Any, **named: Any) -> Any:
        made = make_group(*given, **named)
        group = made[0]
        if isinstance(group, distributed_c10d.ProcessGroup) and group.name() == backend.UNDEFINED:
            types = group.BackendType
            cpu = torch.device("cpu")
            has_gloo = cpu in group._device_types and group._get_backend(cpu).name() == backend.GLOO
            group._set_default_backend(types.GLOO if has_gloo else types.CUSTOM)
        return made

    distributed_c10d._new_process_group_helper = _new_process_group_helper


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
