"""Defines the one class that Triton looks for in a back end's compiler module."""
from .. import backend


class OpenClBackend(backend.Backend):
    """Compiles kernels for OpenCL devices."""
    driver_name = "opencl"
