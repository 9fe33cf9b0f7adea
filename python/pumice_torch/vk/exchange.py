"""Lets other libraries take tensors of vk through DLPack."""
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
