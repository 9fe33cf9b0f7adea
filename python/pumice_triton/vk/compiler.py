"""Defines the one class that Triton looks for in a back end's compiler module."""
from .. import backend


class VkBackend(backend.Backend):
    """Compiles kernels for the devices of torch.device("vk")."""
    driver_name = "vk"
