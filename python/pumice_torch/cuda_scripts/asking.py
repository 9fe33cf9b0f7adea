"""Who asks PyTorch about a device, and which tensors a script made on the CPU."""
import functools
import sys
import weakref

import torch

CUDA = torch.device("cuda", 0)
CPU = torch.device("cpu")

# Packages that compute with what they are answered. They need the truth.
_INSIDERS = frozenset(("torch", "triton", "pumice", "pumice_hooks", "pumice_torch", "pumice_triton"))


def is_outsider(depth=2):
    """Returns whether the caller's caller belongs to a script or a library. Code that PyTorch's compiler
    writes has no module name, and counts as PyTorch's."""
    name = sys._getframe(depth).f_globals.get("__name__") or "torch"
    return name.partition(".")[0] not in _INSIDERS


def replace(owner, name, value):
    """Puts `value` in the place of an attribute, under its name and with its documentation."""
    original = getattr(owner, name, None)
    if callable(original) and not isinstance(value, type):
        functools.update_wrapper(value, original)
        _tell_torchscript(original, value)
    setattr(owner, name, value)


def _tell_torchscript(original, value):
    """Has TorchScript compile calls of `value` as those of the operator that it stands for."""
    operator = torch.jit._builtins._find_builtin(original)
    if operator is not None:
        torch.jit._builtins._register_builtin(value, operator)


def is_cuda(device):
    """Returns whether a `device` argument of any form names a CUDA device. Numbers do, in PyTorch."""
    if isinstance(device, torch.device):
        return device.type == "cuda"
    if isinstance(device, str):
        return device.partition(":")[0] == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


def is_cpu(device):
    if isinstance(device, torch.device):
        return device.type == "cpu"
    return isinstance(device, str) and device.partition(":")[0] == "cpu"


def check_index(device):
    """Refuses devices beyond the only one, as PyTorch does on a machine with one."""
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


# Storages of tensors that a script made on the CPU, and those that are as if pinned, by their address. PyTorch
# keeps the Python object of a storage as long as the storage itself, so that a weak reference tells when the
# address is free again.
_of_the_cpu: dict[int, weakref.ref] = {}
_pinned: dict[int, weakref.ref] = {}


def mark_cpu(tensor):
    """Has `tensor`, and all views of it, answer that they are on the CPU."""
    return _mark(tensor, _of_the_cpu)


def mark_pinned(tensor):
    """Has `tensor`, and all views of it, answer that they are on the CPU, in pinned memory."""
    return _mark(_mark(tensor, _of_the_cpu), _pinned)


def _mark(tensor, storages):
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or torch.compiler.is_compiling():
        return tensor
    try:
        storage = tensor.untyped_storage()
    except (NotImplementedError, RuntimeError):
        return tensor  # a sparse tensor has none
    address = storage._cdata
    storages[address] = weakref.ref(storage, functools.partial(_forget, storages, address))
    return tensor


def _forget(storages, address, reference):
    if storages.get(address) is reference:
        del storages[address]


def is_marked_cpu(tensor):
    return _is_marked(tensor, _of_the_cpu)


def is_marked_pinned(tensor):
    return _is_marked(tensor, _pinned)


def _is_marked(tensor, storages):
    if not storages:
        return False
    try:
        return tensor.untyped_storage()._cdata in storages
    except (NotImplementedError, RuntimeError):
        return False
