"""Defines the one class that Triton looks for in a back end's compiler module."""
from .. import backend


class CpuBackend(backend.Backend):
    """Compiles kernels for the processor."""
    driver_name = "cpu"
