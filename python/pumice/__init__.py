"""Pumice runs GPU kernels anywhere: on Vulkan and OpenCL devices, and on the CPU.

    >>> import numpy as np, pumice
    >>> pumice.devices()
    [cpu:0: ..., vulkan:0: ...]
    >>> x = pumice.from_numpy(np.arange(4, dtype=np.float32))
    >>> program = pumice.compile(open("double.mlir").read())
    >>> program["double"][1](x)
    >>> x.numpy()
    array([0., 2., 4., 6.], dtype=float32)

The environment variable PUMICE_DEVICE, or `pumice.use`, chooses the device.
"""
from ._native import version as _version
from .errors import (CompileError, CorruptDataError, DeadlineError, DeviceLostError, Error, InternalError,
                     InvalidAccessError, InvalidArgumentError, KernelNotFoundError, NotFoundError, OutOfMemoryError,
                     UnsupportedError)
from .checking import CheckError, Finding, check
from .arrays import Array, asarray, empty, from_dlpack, from_numpy, full, zeros
from .devices import Device, device, devices, synchronize, use
from .exporting import export
from .launchers import launcher
from .programs import Kernel, Program, compile, load

__version__ = _version()
__all__ = ["Array", "CheckError", "CompileError", "CorruptDataError", "DeadlineError", "Device", "DeviceLostError",
           "Error", "Finding", "InternalError", "InvalidAccessError", "InvalidArgumentError", "Kernel",
           "KernelNotFoundError", "NotFoundError", "OutOfMemoryError", "Program", "UnsupportedError", "asarray",
           "check", "compile", "device", "devices", "empty", "export", "from_dlpack", "from_numpy", "full",
           "launcher", "load", "synchronize", "use", "zeros"]
