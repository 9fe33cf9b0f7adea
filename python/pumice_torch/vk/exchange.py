"""Lets other libraries take tensors of vk through DLPack, and other processes through torch.multiprocessing."""
from __future__ import annotations

import enum
from typing import Any

import torch


def arrange() -> None:
    """Makes tensors of vk say which device they are on.

    PyTorch 2.13 compares the device's name with "privateuse1", and so it misses devices that have another name. Its C++
    code, which makes and takes the capsules, knows them.
    """
    known = torch.Tensor.__dlpack_device__

    def __dlpack_device__(self: torch.Tensor) -> tuple[enum.IntEnum, int]:
        if self.device.type != "vk":
            return known(self)
        from torch.utils.dlpack import DLDeviceType
        found: Any = DLDeviceType.kDLExtDev
        return found, self.device.index

    setattr(torch.Tensor, "__dlpack_device__", __dlpack_device__)  # noqa: B010
    _arrange_processes()


def _arrange_processes() -> None:
    """Makes queues between processes send a copy of a tensor of vk.

    PyTorch shares memory of the CPU and of CUDA between processes. For other devices, it raises the error in a thread of
    the sender, and the receiver waits forever: a DataLoader does, if its workers make tensors of vk.
    """
    from multiprocessing.reduction import ForkingPickler

    from torch.multiprocessing import reductions
    known = reductions.reduce_tensor

    def reduce_tensor(tensor: torch.Tensor) -> tuple[Any, ...]:
        if tensor.device.type != "vk" or tensor.requires_grad and not tensor.is_leaf:  # PyTorch rejects the latter
            return known(tensor)
        image = tensor.detach().cpu()
        return _received, (image, tensor.device.index, tensor.requires_grad, isinstance(tensor, torch.nn.Parameter))

    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, reduce_tensor)


def _received(image: torch.Tensor, index: int, requires_grad: bool, is_parameter: bool) -> torch.Tensor:
    """Makes the tensor of vk in the process that receives it."""
    made = image.to(torch.device("vk", index))
    return torch.nn.Parameter(made, requires_grad) if is_parameter else made.requires_grad_(requires_grad)
