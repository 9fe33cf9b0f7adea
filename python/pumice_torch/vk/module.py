"""The device "vk" of PyTorch: `torch.device("vk")` runs on any device of Pumice.

`import torch` loads this by itself. The functions are those of `torch.cuda` and `torch.xpu`, as far as they make
sense on every device.
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import torch

from . import library

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .comparing import Comparing

__all__ = [
    "DeviceProperties", "Event", "OutOfMemoryError", "Stream", "StreamContext", "can_device_access_peer", "comparing",
    "compilations", "current_device", "current_raw_stream", "current_stream", "default_generators", "default_stream",
    "device", "device_count", "device_of", "empty_cache", "fallbacks",
    "get_amp_supported_dtype", "get_device_name", "get_device_properties", "get_rng_state", "get_rng_state_all",
    "index_of", "init", "initial_seed", "ipc_collect", "is_available", "is_bf16_supported", "is_initialized", "manual_seed",
    "manual_seed_all", "max_memory_allocated", "max_memory_reserved", "mem_get_info", "memory_allocated",
    "memory_reserved", "memory_stats", "memory_summary", "reset_accumulated_memory_stats", "reset_fallbacks",
    "reset_max_memory_allocated", "reset_peak_memory_stats",
    "seed", "seed_all", "set_device", "set_rng_state", "set_rng_state_all", "set_stream", "stream", "synchronize",
]

Event = torch.Event
OutOfMemoryError = torch.OutOfMemoryError
Stream = torch.Stream


def index_of(device: Any = None) -> int:
    """Returns a device's number. `device` is a number, a name, a torch.device, or None for the current one."""
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device if device >= 0 else current_device()
    given = torch.device(device)
    if given.type != "vk":
        raise ValueError(f"expected a device of vk, got {given}")
    return current_device() if given.index is None else given.index


# ---- Devices


def is_available() -> bool:
    """Returns whether there is a device."""
    return device_count() > 0


def device_count() -> int:
    """Returns the number of devices: the GPUs, or one CPU device if there are none.

    PUMICE_DEVICE chooses one device, and PUMICE_VK_DEVICES several: "vulkan:0,cpu".
    """
    return int(torch.ops.pumice_vk.device_count()) if library.is_loaded() else 0


def current_device() -> int:
    """Returns the number of the calling thread's device."""
    return torch.accelerator.current_device_index()


def set_device(device: Any) -> None:
    """Chooses the calling thread's device."""
    torch.accelerator.set_device_index(index_of(device))


class device:
    """A context in which another device is the current one."""

    def __init__(self, device: Any) -> None:
        self.idx = index_of(device)
        self.prev_idx = -1

    def __enter__(self) -> None:
        self.prev_idx = _exchange_device(self.idx)

    def __exit__(self, *raised: object) -> None:
        _exchange_device(self.prev_idx)


class device_of(device):
    """A context in which a tensor's device is the current one. It does nothing for tensors of other types."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor.device if tensor.device.type == "vk" else None)


def _exchange_device(index: int) -> int:
    before = current_device()
    if index >= 0 and index != before:
        set_device(index)
    return before


def _maybe_exchange_device(index: int) -> int:
    return _exchange_device(index)


class DeviceProperties:
    """Describes a device.

    Attributes:
        name: The device's name, such as "NVIDIA H100".
        id: The name that Pumice gives it, such as "vulkan:0".
        kind: What the device is, such as "discrete" or "cpu". Lavapipe is a "cpu", too.
        total_memory: How many bytes its memory has.
        multi_processor_count: How many programs it runs at once. Vulkan does not report the number for GPUs.
        warp_size: The size of a subgroup.
        driver_version: The version of the device's driver.
    """

    def __init__(self, index: int) -> None:
        import pumice
        self.id = str(torch.ops.pumice_vk.device_id(index))
        info = pumice.device(self.id).info
        self.name: str = info["name"]
        self.kind: str = info["kind"]
        self.total_memory: int = info["memory_bytes"]
        self.multi_processor_count: int = len(os.sched_getaffinity(0)) if self.kind == "cpu" else 128
        self.warp_size: int = info["subgroup_size"]
        self.driver_version: str = info["driver_version"]

    def __repr__(self) -> str:
        return (f"vk.DeviceProperties(name={self.name!r}, id={self.id!r}, total_memory={self.total_memory >> 20} MiB, "
                f"warp_size={self.warp_size})")


def get_device_properties(device: Any = None) -> DeviceProperties:
    """Describes a device."""
    return DeviceProperties(index_of(device))


def get_device_name(device: Any = None) -> str:
    """Returns a device's name."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int] | None:
    """Returns None: only CUDA has such numbers."""
    return None


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Returns False: devices do not read each other's memory."""
    index_of(device), index_of(peer_device)
    return False


def synchronize(device: Any = None) -> None:
    """Waits for all work of a device."""
    torch.accelerator.synchronize(index_of(device))


def init() -> None:
    """Finds the devices. Without this call, their first use finds them."""
    device_count()


def is_initialized() -> bool:
    """Returns whether the process has found its devices."""
    return bool(torch.ops.pumice_vk.are_devices_found())


def _lazy_init() -> None:
    if _is_in_bad_fork():
        raise RuntimeError("a forked process cannot use its parent's devices of vk: "
                           "start it with torch.multiprocessing.set_start_method('spawn')")


def _is_in_bad_fork() -> bool:
    """Returns whether this process was forked from one that had found its devices."""
    return bool(torch.ops.pumice_vk.are_devices_of_parent())


def comparing(action: str = "raise") -> Comparing:
    """Returns a context in which each operator of vk also runs on the CPU, and the results are compared.

    Operators that draw random numbers, and those that the CPU lacks, are not compared. The context's `compared` and
    `skipped` count calls by operator. Functions of torch.compile run as they do outside.

    Args:
        action: "raise" raises RuntimeError at the first difference, and "warn" warns of each one.
    """
    from .comparing import Comparing  # not at the start, since every `import torch` would wait for it
    return Comparing(action)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Returns True: kernels compute in bf16 everywhere, by f32 if the device lacks it. Inductor asks without emulation."""
    return True


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Returns the types that torch.autocast("vk") may use."""
    return [torch.float16, torch.bfloat16]


# ---- Streams


def current_stream(device: Any = None) -> torch.Stream:
    """Returns the calling thread's stream of a device."""
    return torch.accelerator.current_stream(index_of(device))


def default_stream(device: Any = None) -> torch.Stream:
    """Returns a device's default stream."""
    return torch.Stream(stream_id=0, device_index=index_of(device), device_type=_device_type())


def _device_type() -> int:
    return 20  # c10::DeviceType::PrivateUse1


def current_raw_stream(device: int) -> int:
    """Returns 0: launches find the calling thread's stream by themselves."""
    return 0


def set_stream(stream: torch.Stream) -> None:
    """Makes a stream the calling thread's."""
    torch.accelerator.set_stream(stream)


class StreamContext:
    """A context in which a stream is the calling thread's. It does nothing for None."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._before: torch.Stream | None = None

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            self._before = current_stream(self.stream.device)
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *raised: object) -> None:
        if self._before is not None:
            set_stream(self._before)


def stream(stream: torch.Stream | None) -> StreamContext:
    """Returns a context in which a stream is the calling thread's."""
    return StreamContext(stream)


# ---- Random numbers


class _Generators:
    """The devices' own generators, by number."""

    def __len__(self) -> int:
        return device_count()

    def __getitem__(self, index: int) -> torch.Generator:
        if not -len(self) <= index < len(self):
            raise IndexError(f"expected a device from 0 to {len(self) - 1}, got {index}")
        found: torch.Generator = torch.ops.pumice_vk.default_generator(index % len(self))
        return found


default_generators = _Generators()


def manual_seed(seed: int) -> None:
    """Sets the seed of the current device."""
    default_generators[current_device()].manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Sets the seed of all devices, without searching for devices, since every torch.manual_seed calls it."""
    bits = int(seed) & (1 << 64) - 1
    torch.ops.pumice_vk.seed_all(bits - (1 << 64) if bits >> 63 else bits)


def seed() -> int:
    """Gives the current device a random seed, and returns it."""
    return default_generators[current_device()].seed()


def seed_all() -> None:
    """Gives all devices the same random seed."""
    if is_available():
        manual_seed_all(seed())


def initial_seed() -> int:
    """Returns the seed of the current device."""
    return default_generators[current_device()].initial_seed()


def get_rng_state(device: Any = None) -> torch.Tensor:
    """Returns the state of a device's random numbers."""
    return default_generators[index_of(device)].get_state()


def set_rng_state(new_state: torch.Tensor, device: Any = None) -> None:
    """Sets the state of a device's random numbers."""
    default_generators[index_of(device)].set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    """Returns the states of all devices."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Sets the states of all devices."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


# ---- Memory


def empty_cache() -> None:
    """Returns unused memory to the devices."""
    torch.accelerator.empty_cache()


def ipc_collect() -> None:
    """Does nothing: processes send copies, and share no memory of devices."""


def memory_stats(device: Any = None) -> dict[str, Any]:
    """Returns statistics of tensors' memory, under the names of torch.cuda.memory_stats."""
    return dict(torch.accelerator.memory_stats(index_of(device)))


def memory_allocated(device: Any = None) -> int:
    """Returns how many bytes tensors use."""
    return int(memory_stats(device).get("allocated_bytes.all.current", 0))


def max_memory_allocated(device: Any = None) -> int:
    """Returns the most bytes that tensors used at a time."""
    return int(memory_stats(device).get("allocated_bytes.all.peak", 0))


def memory_reserved(device: Any = None) -> int:
    """Returns how many bytes are reserved for tensors."""
    return int(memory_stats(device).get("reserved_bytes.all.current", 0))


def max_memory_reserved(device: Any = None) -> int:
    """Returns the most bytes that were reserved at a time."""
    return int(memory_stats(device).get("reserved_bytes.all.peak", 0))


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """Returns a table of the memory that tensors use, in KiB.

    Args:
        device: A device, or its number. The current one by default.
        abbreviated: Leaves out the counts of allocations.
    """
    stats = memory_stats(device)
    rows = [("allocated memory", "allocated_bytes.all", 1024), ("reserved memory", "reserved_bytes.all", 1024)]
    if not abbreviated:
        rows += [("allocations", "allocation.all", 1), ("reserved blocks", "segment.all", 1)]
    columns = ("current", "peak", "allocated", "freed")
    lines = [f"memory of vk:{index_of(device)}, in KiB", f"{'':16}" + "".join(f"{name:>14}" for name in columns)]
    for title, name, unit in rows:
        numbers = (stats.get(f"{name}.{column}", 0) // unit for column in columns)
        lines.append(f"{title:16}" + "".join(f"{number:14,}" for number in numbers))
    return "\n".join(lines)


def reset_peak_memory_stats(device: Any = None) -> None:
    """Resets the peaks to the amounts that are in use now."""
    torch.accelerator.reset_peak_memory_stats(index_of(device))


def reset_max_memory_allocated(device: Any = None) -> None:
    """The older name of reset_peak_memory_stats."""
    reset_peak_memory_stats(device)


def reset_accumulated_memory_stats(device: Any = None) -> None:
    """Resets the sums to zero."""
    torch.accelerator.reset_accumulated_memory_stats(index_of(device))


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """Returns (free bytes, all bytes) of a device. Memory of other programs counts as free: nothing reports it."""
    free, total = torch.accelerator.get_memory_info(index_of(device))
    return free, total


# ---- The CPU's part


def fallbacks() -> dict[str, int]:
    """Returns how often each operator ran on the CPU, because vk has no kernel for it."""
    lines = (line.rsplit(" ", 1) for line in torch.ops.pumice_vk.fallbacks())
    return {name: int(times) for name, times in lines}


def compilations() -> int:
    """Returns how many plans this process has compiled. Those that it read from disk or from packs do not count."""
    return int(torch.ops.pumice_vk.compilations())


def reset_fallbacks() -> None:
    """Resets the counts of operators that ran on the CPU."""
    torch.ops.pumice_vk.reset_fallbacks()


_GRAPHS = ("VkGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables")


def __getattr__(name: str) -> Any:
    """Returns the classes with which torch.compile generates code, and those of graphs. Their first use imports them.

    torch.utils.checkpoint keeps the state of random numbers if `_initialized` is true.
    """
    if name == "_initialized":
        return is_initialized()
    if name in _GRAPHS:
        from . import graphs
        return getattr(graphs, name)
    if name.startswith("_"):
        raise AttributeError(f"module 'torch.vk' has no attribute '{name}'")
    from . import inductor
    return inductor.codegen(name)
