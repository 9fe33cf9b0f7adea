"""What Triton looks for: one class of back end."""
from .. import backend


class VulkanBackend(backend.Backend):
    driver_name = "vulkan"
