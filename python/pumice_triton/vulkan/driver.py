"""What Triton looks for: one class of driver."""
from .. import drivers


class VulkanDriver(drivers.Driver):
    driver_name = "vulkan"
