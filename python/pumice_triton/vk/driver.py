"""Defines the one class that Triton looks for in a back end's driver module."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import devices, drivers

if TYPE_CHECKING:
    import torch

    from pumice.devices import Device


class VkDriver(drivers.Driver):
    """Runs kernels on the calling thread's device of torch.vk. Triton knows a device by its number there."""
    driver_name = "vk"

    def __init__(self) -> None:
        super().__init__()
        self.utils = VkUtils()

    @classmethod
    def is_active(cls) -> bool:
        """Returns whether TRITON_DEFAULT_BACKEND names this driver. PyTorch's inductor activates it by itself."""
        return devices.selected_name() == cls.driver_name

    @property
    def device(self) -> Device:
        """The calling thread's device."""
        return devices.of_vk()

    def get_current_device(self) -> int:
        """Returns the device's number in torch.vk."""
        import torch
        return int(torch.vk.current_device())  # type: ignore[attr-defined,unused-ignore]

    def set_current_device(self, device: int | str) -> None:
        """Selects the calling thread's device of torch.vk."""
        import torch
        torch.vk.set_device(device)  # type: ignore[attr-defined,unused-ignore]

    def get_active_torch_device(self) -> torch.device:
        """Returns the device on which scripts make tensors."""
        import torch
        return torch.device("vk", self.get_current_device())


class VkUtils(drivers.Utils):
    """Loads kernels on the devices of torch.vk, by their numbers there."""

    def get_device_properties(self, device: int | str) -> drivers.Properties:
        """Returns the properties that kernels and tools ask for."""
        return super().get_device_properties(devices.of_vk(int(device)).id)

    def load_binary(self, name: str, data: bytes, shared: int, device: int | str) -> tuple[Any, Any, int, int, int]:
        """Loads an executable."""
        return super().load_binary(name, data, shared, devices.of_vk(int(device)).id)
