"""What Triton looks for: one class of driver."""
from .. import drivers


class CpuDriver(drivers.Driver):
    driver_name = "cpu"
