"""Defines the one class that Triton looks for in a back end's driver module."""
from .. import drivers


class CpuDriver(drivers.Driver):
    """Runs kernels on the processor."""
    driver_name = "cpu"
