"""Defines the one class that Triton looks for in a back end's compiler module."""
from .. import backend


class VulkanBackend(backend.Backend):
    """Compiles kernels for Vulkan devices."""
    driver_name = "vulkan"
