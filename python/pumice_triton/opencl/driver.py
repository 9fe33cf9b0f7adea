"""Defines the one class that Triton looks for in a back end's driver module."""
from .. import drivers


class OpenClDriver(drivers.Driver):
    """Runs kernels on an OpenCL device."""
    driver_name = "opencl"
