"""Implements Triton's interface for drivers: devices, loading and launching kernels, and measuring time."""
from __future__ import annotations

import operator
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import devices, failures, patches, versions
from .progress import compiling
from .resources import raise_out_of_resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    import torch

    from pumice.devices import Device

    from .benchmarking import ColdCache, DeviceInterface

patches.patch_at_import()

# Vulkan reports neither a GPU's registers nor a kernel's. Persistent kernels, such as Triton's softmax tutorial,
# compute from these numbers how many programs to launch. These placeholders lead to four programs for each
# multiprocessor, if a program has eight warps of 32.
REGISTERS, REGISTERS_OF_A_LANE = 1 << 16, 64


class Driver(DriverBase):
    """A Triton driver for one of Pumice's devices. It does not open the device until a kernel needs it."""
    driver_name: str  # set by the subclasses

    def __init__(self, device: Device | None = None) -> None:
        super().__init__()
        versions.warn_if_untested()
        devices.warn_of_rivals()
        patches.patch_at_driver()
        self._device = device
        self._number: int | None = None
        self.utils = Utils()

    @classmethod
    def is_active(cls) -> bool:
        """Returns whether Triton should choose this driver."""
        return devices.is_wanted(cls.driver_name)

    @property
    def device(self) -> Device:
        """The device that kernels run on."""
        if self._device is None:
            self._device = devices.of_driver(self.driver_name)
        return self._device

    def get_current_device(self) -> int:
        """Returns the device's number. Triton caches compiled kernels under it."""
        if self._number is None:
            self._number = devices.number_of(self.device)
        return self._number

    def set_current_device(self, device: int | str) -> None:
        """Selects a device, as torch.cuda.set_device does. A device of the other driver activates that driver."""
        devices.use_numbered(device)

    def get_current_stream(self, device: int) -> int:
        """Returns 0: a device has one queue."""
        return 0

    def get_current_target(self) -> GPUTarget:
        """Returns the target of the device, or CUDA's if a script uses `use_cpu_for_cuda`."""
        scripts = _cuda_scripts()
        if scripts and scripts.is_asked_by_script():
            return GPUTarget("cuda", scripts.ARCHITECTURE, 32)
        return GPUTarget(self.driver_name, self.device.id, self.device.info["subgroup_size"])

    def get_active_torch_device(self) -> torch.device:
        """Returns the device on which scripts make tensors."""
        import torch
        return torch.device("cuda", 0) if _cuda_scripts() else torch.device("cpu")

    def map_python_to_cpp_type(self, type: str) -> str:
        """Returns the C++ type for an argument of this Triton type."""
        return _CPP_TYPES.get(type, "void *")

    def launcher_cls(self, source: Any, metadata: Any) -> Any:
        """Returns the launcher of a compiled kernel."""
        from .launching import make_launcher
        return make_launcher(self.device, source, metadata)

    def get_device_interface(self) -> DeviceInterface:
        """Returns what Triton's tools use in place of `torch.cuda`."""
        from .benchmarking import DeviceInterface
        return DeviceInterface(self.device)

    def get_benchmarker(self) -> Callable[..., Any]:
        """Returns the function that the autotuner uses to measure time."""
        from triton.testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self) -> ColdCache:
        """Returns memory that is written between two measurements."""
        from .benchmarking import ColdCache
        return ColdCache(self.device)

    def clear_cache(self, cache: ColdCache) -> None:
        """Writes this memory, so that the next measurement finds cold caches."""
        cache.clear()


def _cuda_scripts() -> ModuleType | None:
    """Returns the module that runs scripts for "cuda" here, if a script asked for it."""
    scripts = sys.modules.get("pumice_torch.cuda_scripts")
    return scripts if scripts and scripts.is_active() else None


class Properties(dict):  # type: ignore[type-arg]
    """The properties of a device, by CUDA's names."""

    def __init__(self, id: str, **known: int) -> None:
        super().__init__(known)
        self._id = id

    def __missing__(self, name: str) -> NoReturn:
        """Rejects a property that is not known.

        Raises:
            KeyError: Always. It lists the known properties.
        """
        raise KeyError(f"'{name}' of {self._id} is not known: neither Vulkan nor the host reports it; known are "
                       f"{', '.join(self)}")


class Utils:
    """Functions that load kernels, and describe devices. Each takes a device's number."""

    def get_device_properties(self, device: int | str) -> Properties:
        """Returns the properties that kernels and tools ask for."""
        info = devices.numbered(device).info
        # Persistent kernels launch this many programs, which run at once. Vulkan does not report a GPU's number.
        at_once = len(os.sched_getaffinity(0)) if info["kind"] == "cpu" else 128
        return Properties(info["id"], max_shared_mem=info["max_workgroup_memory_bytes"], max_num_regs=REGISTERS,
                          multiprocessor_count=at_once, warpSize=info["subgroup_size"])

    def set_printf_fifo_size(self, size: int) -> None:
        """Sets how many bytes each later launch may print. The default is 1 MiB.

        Raises:
            ValueError: If the size is out of range.
        """
        from pumice import _native
        size = operator.index(size)
        if not 8 <= size < 1 << 32:
            raise ValueError(f"expected 8 to 2^32-1 bytes for what a launch prints, got {size}")
        _native.set_print_bytes(size)

    def load_binary(self, name: str, data: bytes, shared: int, device: int | str) -> tuple[Any, Any, int, int, int]:
        """Loads an executable.

        Args:
            name: The kernel's name.
            data: The executable.
            shared: How many bytes of workgroup memory the kernel uses, according to its metadata.
            device: The device's number, or its id.

        Returns:
            (module, function, registers, spills, most threads). Devices do not report the last three, so they are
            values that keep no kernel from running.

        Raises:
            pumice.Error: If the device cannot load the executable.
        """
        import pumice
        handle = devices.numbered(device)._handle
        try:
            with compiling(name, "loading"):
                executable = handle.load(data)
                kernel = executable.kernel(name, (0, 0, 0), 0, {})
        except pumice.Error as error:
            raise_out_of_resources(error)
            if not isinstance(error, pumice.DeviceLostError):
                chosen = devices.numbered(device).id
                failures.report(error, f"when {chosen} loads it", name, chosen, program=data)
                failures.add_damaged_file(error, name, data)
            raise
        return executable, kernel, REGISTERS_OF_A_LANE, 0, 1 << 30

    def unload_module(self, module: Any) -> None:
        """Does nothing. Triton calls it since 3.8 for each kernel that is freed.

        An executable is freed with its last reference. Pumice must not free modules of another driver's kernels.
        """


_CPP_TYPES = {"i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
              "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t",
              "u64": "uint64_t", "fp16": "double", "bf16": "double", "fp32": "double",
              "f32": "double", "fp64": "double"}
