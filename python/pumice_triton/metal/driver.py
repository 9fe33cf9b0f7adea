"""Defines the one class that Triton looks for in a back end's driver module."""
from .. import drivers


class MetalDriver(drivers.Driver):
    """Runs kernels on a Metal device."""
    driver_name = "metal"
