"""Finds out who asks PyTorch about a device, and which tensors a script made on the CPU."""
from __future__ import annotations

import functools
import sys
import weakref
from typing import Any

import torch

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")

# Packages that compute with the answers. They need the truth.
_INSIDERS = frozenset(("torch", "triton", "pumice", "pumice_hooks", "pumice_torch", "pumice_triton"))


def is_outsider(depth: int = 2) -> bool:
    """Returns whether the caller's caller belongs to a script or a library.

    Code that PyTorch's compiler writes has no module name, and counts as PyTorch's.

    Args:
        depth: How many frames above this function the code in question is.
    """
    name = sys._getframe(depth).f_globals.get("__name__") or "torch"
    return name.partition(".")[0] not in _INSIDERS


def replace(owner: Any, name: str, value: Any) -> None:
    """Replaces an attribute by `value`, which gets its name and its documentation."""
    original = getattr(owner, name, None)
    if callable(original) and not isinstance(value, type):
        functools.update_wrapper(value, original)
        _tell_torchscript(original, value)
    setattr(owner, name, value)


def _tell_torchscript(original: Any, value: Any) -> None:
    """Makes TorchScript compile calls of `value` as calls of the operator that it replaces."""
    operator = torch.jit._builtins._find_builtin(original)
    if operator is not None:
        torch.jit._builtins._register_builtin(value, operator)


def is_cuda(device: Any) -> bool:
    """Returns whether a `device` argument of any form names a CUDA device. In PyTorch, numbers do."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device.partition(":")[0] == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


def is_cpu(device: Any) -> bool:
    """Returns whether a `device` argument of any form names the CPU."""
    if isinstance(device, torch.device):
        return device.type == "cpu"
    return isinstance(device, str) and device.partition(":")[0] == "cpu"


def check_index(device: Any) -> None:
    """Rejects all devices except device 0, as PyTorch does on a machine with one GPU.

    Raises:
        RuntimeError: If the device is not device 0.
        ValueError: If the device is not a CUDA device.
    """
    if device is None:
        return
    if not isinstance(device, int):
        device = torch.device(device)
        if device.type != "cuda":
            raise ValueError(f"expected a cuda device, got {device}")
        device = device.index
    if device is not None and device not in (0, -1):
        raise RuntimeError(f"CUDA error: invalid device ordinal: expected cuda:0, the only device that use_cpu_for_cuda "
                           f"gives, got cuda:{device}")


# Storages of tensors that a script made on the CPU, and of tensors that count as pinned, by their address. PyTorch
# keeps the Python object of a storage as long as the storage itself. So a weak reference shows when the address is
# free again.
_of_the_cpu: dict[int, weakref.ref[Any]] = {}
_pinned: dict[int, weakref.ref[Any]] = {}


def mark_cpu(tensor: Any) -> Any:
    """Makes `tensor`, and all views of it, answer that they are on the CPU. Returns `tensor`."""
    return _mark(tensor, _of_the_cpu)


def mark_pinned(tensor: Any) -> Any:
    """Makes `tensor`, and all views of it, answer that they are on the CPU, in pinned memory. Returns `tensor`."""
    return _mark(_mark(tensor, _of_the_cpu), _pinned)


def _mark(tensor: Any, storages: dict[int, weakref.ref[Any]]) -> Any:
    """Adds the tensor's storage to `storages`, and returns the tensor."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or torch.compiler.is_compiling():
        return tensor
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return tensor  # a sparse tensor has no storage
    address = storage._cdata
    storages[address] = weakref.ref(storage, functools.partial(_forget, storages, address))
    return tensor


def _forget(storages: dict[int, weakref.ref[Any]], address: int, reference: weakref.ref[Any]) -> None:
    """Removes a storage that was freed."""
    if storages.get(address) is reference:
        del storages[address]


def is_marked_cpu(tensor: Any) -> bool:
    """Returns whether a script made the tensor on the CPU."""
    return _is_marked(tensor, _of_the_cpu)


def is_marked_pinned(tensor: Any) -> bool:
    """Returns whether the tensor is in memory that a script takes for pinned."""
    return _is_marked(tensor, _pinned)


def _is_marked(tensor: Any, storages: dict[int, weakref.ref[Any]]) -> bool:
    """Returns whether the tensor's storage is in `storages`."""
    if not storages:
        return False
    try:
        return tensor.untyped_storage()._cdata in storages
    except (NotImplementedError, RuntimeError):
        return False
