"""What Triton looks for: one class of back end."""
from .. import backend


class CpuBackend(backend.Backend):
    driver_name = "cpu"
