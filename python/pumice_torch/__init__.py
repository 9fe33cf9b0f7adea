"""Pumice for PyTorch: what `import torch` loads by itself, and the parts of `pumice.torch`.

PyTorch imports every package that names itself as one of its back ends, so this module imports nothing."""
import os

VARIABLE = "PUMICE_CPU_FOR_CUDA"


def autoload():
    """Runs at the end of `import torch`. It never fails: everyone who imports torch gets here."""
    if os.environ.get(VARIABLE, "0") in ("", "0"):
        return
    from .cuda_scripts import use_cpu_for_cuda
    try:
        use_cpu_for_cuda()
    except Exception as error:  # noqa: BLE001
        import warnings
        warnings.warn(f"{VARIABLE} has no effect: {error}", stacklevel=2)
