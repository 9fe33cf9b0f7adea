"""Defines the one class that Triton looks for in a back end's driver module."""
from .. import drivers


class VulkanDriver(drivers.Driver):
    """Runs kernels on a Vulkan device."""
    driver_name = "vulkan"
