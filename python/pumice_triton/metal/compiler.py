"""Defines the one class that Triton looks for in a back end's compiler module."""
from .. import backend


class MetalBackend(backend.Backend):
    """Compiles kernels for Metal devices."""
    driver_name = "metal"
