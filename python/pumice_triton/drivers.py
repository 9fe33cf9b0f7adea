"""What Triton asks a driver for: the device, how kernels are loaded and launched, how time is told."""
import operator
import os
import sys

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import devices, failures, patches, versions
from .progress import compiling
from .resources import raise_out_of_resources

patches.patch_at_import()

# Vulkan tells neither how many registers a GPU has nor how many a kernel takes. Programs that stay, as
# those of Triton's tutorial of softmax, compute from them how many to launch: these make it four for each
# of the device's, with eight warps of 32.
REGISTERS, REGISTERS_OF_A_LANE = 1 << 16, 64


class Driver(DriverBase):
    """Holds nothing of the device until a kernel needs it."""
    driver_name: str  # of the subclasses

    def __init__(self, device=None):
        super().__init__()
        versions.warn_if_untested()
        devices.warn_of_rivals()
        patches.patch_at_driver()
        self._device = device
        self._number = None
        self.utils = Utils()

    @classmethod
    def is_active(cls):
        return devices.is_wanted(cls.driver_name)

    @property
    def device(self):
        if self._device is None:
            self._device = devices.of_driver(self.driver_name)
        return self._device

    def get_current_device(self):
        """The device's number: what Triton keeps kernels by."""
        if self._number is None:
            self._number = devices.number_of(self.device)
        return self._number

    def set_current_device(self, device):
        """As torch.cuda.set_device does; a device of the other driver makes that driver the active one."""
        devices.use_numbered(device)

    def get_current_stream(self, device):
        return 0  # a device has one queue

    def get_current_target(self):
        scripts = _cuda_scripts()
        if scripts and scripts.is_asked_by_script():
            return GPUTarget("cuda", scripts.ARCHITECTURE, 32)
        return GPUTarget(self.driver_name, self.device.id, self.device.info["subgroup_size"])

    def get_active_torch_device(self):
        import torch
        return torch.device("cuda", 0) if _cuda_scripts() else torch.device("cpu")

    def map_python_to_cpp_type(self, type):
        return _CPP_TYPES.get(type, "void *")

    def launcher_cls(self, source, metadata):
        from .launching import make_launcher
        return make_launcher(self.device, source, metadata)

    def get_device_interface(self):
        from .benchmarking import DeviceInterface
        return DeviceInterface(self.device)

    def get_benchmarker(self):
        from triton.testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self):
        from .benchmarking import ColdCache
        return ColdCache(self.device)

    def clear_cache(self, cache):
        cache.clear()


def _cuda_scripts():
    """The module by which scripts for "cuda" run here, if one asked for it."""
    scripts = sys.modules.get("pumice_torch.cuda_scripts")
    return scripts if scripts and scripts.is_active() else None


class Properties(dict):
    """A device's, by the names that CUDA has."""

    def __init__(self, id, **known):
        super().__init__(known)
        self._id = id

    def __missing__(self, name):
        raise KeyError(f"'{name}' of {self._id} is not known: neither Vulkan nor the host tells it; known are "
                       f"{', '.join(self)}")


class Utils:
    """Each function takes a device's number."""

    def get_device_properties(self, device):
        info = devices.numbered(device).info
        # As many programs as run at once, for kernels that stay; of a GPU, Vulkan does not tell it.
        at_once = len(os.sched_getaffinity(0)) if info["kind"] == "cpu" else 128
        return Properties(info["id"], max_shared_mem=info["max_workgroup_memory_bytes"], max_num_regs=REGISTERS,
                          multiprocessor_count=at_once, warpSize=info["subgroup_size"])

    def set_printf_fifo_size(self, size):
        """How many bytes each launch may print from here on: a MiB without it."""
        from pumice import _native
        size = operator.index(size)
        if not 8 <= size < 1 << 32:
            raise ValueError(f"expected 8 to 2^32-1 bytes for what a launch prints, got {size}")
        _native.set_print_bytes(size)

    def load_binary(self, name, data, shared, device):
        """(module, function, registers, spills, the most threads): of spills and threads a device tells
        nothing that would keep a kernel from running."""
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

    def unload_module(self, module):
        """Triton calls it for each kernel that is gone, since 3.8. An executable is freed with its last
        reference; the modules of another driver's kernels are not ours to free."""


_CPP_TYPES = {"i1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
              "u1": "uint8_t", "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t",
              "u64": "uint64_t", "fp16": "double", "bf16": "double", "fp32": "double",
              "f32": "double", "fp64": "double"}
