"""Makes "vk" known to torch.distributed, by the backend "pumice".

The backend is in the library in C++. It moves elements between processes with gloo, from pinned memory, or from the
tensors' own memory if the device computes in the host's. It also serves tensors of the CPU.
"""
from __future__ import annotations

import atexit
import functools
import inspect
import os
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from datetime import timedelta

NAMES = ("pumice", "vk")


def make(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    """Makes the backend for one process of a group. Its gloo connects the processes through `store`."""
    from torch.distributed import ProcessGroupGloo
    return _made(ProcessGroupGloo(store, rank, size, timeout), store)


def _made(gloo: Any, store: Any) -> Any:
    """Makes the backend over a gloo of its own. A group carries both, since only groups go through the library."""
    from torch import distributed
    _end_before_python()
    carrier = distributed.ProcessGroup(store, gloo.rank(), gloo.size())
    carrier._register_backend(torch.device("cpu"), distributed.ProcessGroup.BackendType.GLOO, gloo)
    torch.ops.pumice_vk.add_backend(carrier.boxed())
    return carrier._get_backend(torch.device("vk"))


@functools.cache
def _end_before_python() -> None:
    """Lets the library's threads free their tensors before Python ends. They need Python for it."""
    atexit.register(torch.ops.pumice_vk.await_threads, 1000)


def _made_lazily(store: Any, rank: int, size: int, timeout: timedelta) -> Any:
    """Makes a backend that connects two processes when they first meet, unless the system's transport cannot do so."""
    from torch.distributed import ProcessGroupGloo as Gloo
    names = [name for name in os.environ.get("GLOO_SOCKET_IFNAME", "").split(",") if name]
    options = Gloo._Options()
    try:
        devices = [Gloo.create_device(interface=name, lazy_init=True) for name in names]
        options._devices = devices or [Gloo.create_default_device(lazy_init=True)]
    except RuntimeError:
        return make(store, rank, size, timeout)
    options._threads = 2 * len(options._devices)
    options._timeout = timeout
    return _made(Gloo(store, rank, size, options), store)


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
    """Lets groups of gloo serve vk, and groups without the name of a backend serve the CPU.

    Groups of gloo serve CUDA, too, so programs expect that they serve every device. They also work if some processes
    have no vk, as long as these send tensors of the CPU only. PyTorch leaves groups such as "cpu:gloo" without a
    default backend if any package has registered one.
    """
    from torch.distributed import PrefixStore, ProcessGroup, distributed_c10d
    known = getattr(distributed_c10d, "_new_process_group_helper", None)
    if known is None:  # another PyTorch: groups must name the backend then
        return
    parameters = inspect.signature(known)
    cpu, vk, types = torch.device("cpu"), torch.device("vk"), ProcessGroup.BackendType

    @functools.wraps(known)
    def _new_process_group_helper(*given: Any, **named: Any) -> Any:
        made = group, store = known(*given, **named)
        if not isinstance(group, ProcessGroup):
            return made
        arguments = parameters.bind(*given, **named).arguments
        devices = group._device_types
        if str(arguments["backend"]) == "gloo" and vk not in devices:
            extra = _made_lazily(PrefixStore("vk/", store), group.rank(), group.size(), arguments["timeout"])
            group._register_backend(vk, types.CUSTOM, extra)
            group._set_group_name(arguments["group_name"])  # each backend keeps it
            group._set_group_desc(arguments.get("group_desc") or "undefined")
        elif devices == [vk]:
            group._register_backend(cpu, types.CUSTOM, group._get_backend(vk))
            group._set_default_backend(types.CUSTOM)
        elif group.name() == "undefined":
            has_gloo = cpu in devices and group._get_backend(cpu).name() == "gloo"
            group._set_default_backend(types.GLOO if has_gloo else types.CUSTOM)
        return made

    distributed_c10d._new_process_group_helper = _new_process_group_helper


def _allow_bfloat16() -> None:
    """Lets DistributedDataParallel send gradients of vk as bf16. PyTorch allows that for CUDA and XPU alone."""
    parallel = torch.nn.parallel.DistributedDataParallel
    known = getattr(parallel, "_check_comm_hook", None)
    if known is None:
        return

    @functools.wraps(known)
    def _check_comm_hook(self: Any, hook: Any) -> None:
        name = getattr(hook, "__name__", "")
        if self.device_type != "vk" or name not in ("bf16_compress_hook", "bf16_compress_wrapper_hook"):
            known(self, hook)

    parallel._check_comm_hook = _check_comm_hook
