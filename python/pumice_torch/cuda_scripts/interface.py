"""torch.cuda's functions: one device, some of whose properties are this machine's and others invented."""
from __future__ import annotations

import dataclasses
import os
import pathlib
from uuid import UUID
from typing import TYPE_CHECKING, Any

import torch

from . import ARCHITECTURE
from .asking import CUDA, check_index, is_outsider, replace

if TYPE_CHECKING:
    from collections.abc import Callable

# Kernels choose their variants by this. An sm_80 has bfloat16, and none of Hopper's own instructions.
CAPABILITY = divmod(ARCHITECTURE, 10)


@dataclasses.dataclass(frozen=True)
class Properties:
    """The result of torch.cuda.get_device_properties."""
    name: str
    total_memory: int
    multi_processor_count: int
    major: int = CAPABILITY[0]
    minor: int = CAPABILITY[1]
    warp_size: int = 32
    max_threads_per_block: int = 1024
    max_threads_per_multi_processor: int = 2048
    regs_per_multiprocessor: int = 65536
    shared_memory_per_block: int = 49152
    shared_memory_per_block_optin: int = 166912
    shared_memory_per_multiprocessor: int = 167936
    L2_cache_size: int = 40 << 20
    is_integrated: int = 1
    is_multi_gpu_board: int = 0
    clock_rate: int = 1000000
    memory_clock_rate: int = 1000000
    memory_bus_width: int = 64
    pci_bus_id: int = 0
    pci_device_id: int = 0
    pci_domain_id: int = 0
    gcnArchName: str = ""
    uuid: UUID = UUID(int=0)


def get_device_properties(device: Any = None) -> Properties:
    """Returns the properties of the only device."""
    check_index(device)
    import pumice
    about = pumice.device("cpu")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Properties(f"Pumice {about.name}", memory, len(os.sched_getaffinity(0)))


def install() -> None:
    """Replaces torch.cuda's functions, and those of torch.accelerator."""
    _install_facts()
    _install_settings()
    _install_memory()
    _install_random()
    _install_accelerator()


def _install_facts() -> None:
    """Installs answers to whether there is a device, and to what it is like.

    PyTorch's own code gets the truth about whether there is one: it would call CUDA next. That code asks for properties
    only on behalf of others.
    """
    there: dict[str, Any] = {"is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
                             "is_initialized": lambda: True}
    for name, answer in there.items():
        replace(torch.cuda, name, _to_outsiders(answer, getattr(torch.cuda, name)))
    alike: dict[str, Any] = {
        "get_device_properties": get_device_properties, "get_device_capability": _capability,
        "get_device_name": lambda device=None: get_device_properties(device).name,
        "get_arch_list": lambda: [f"sm_{ARCHITECTURE}"],
        "is_bf16_supported": lambda including_emulation=True: True, "is_tf32_supported": lambda: False}
    for name, answer in alike.items():
        replace(torch.cuda, name, answer)
    replace(torch.backends.cuda, "is_built", _to_outsiders(lambda: True, torch.backends.cuda.is_built))


def _capability(device: Any = None) -> tuple[int, int]:
    """Returns the compute capability."""
    check_index(device)
    return CAPABILITY


def _to_outsiders(answer: Callable[..., Any], original: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that calls `answer` for scripts and libraries, and `original` for PyTorch."""
    def ask(*given: Any, **named: Any) -> Any:
        return (answer if is_outsider() else original)(*given, **named)

    return ask


def _install_settings() -> None:
    def set_device(device: Any) -> None:
        check_index(device)

    def synchronize(device: Any = None) -> None:
        check_index(device)
        import pumice
        pumice.synchronize()

    nothing: dict[str, Any] = {"init": lambda: None, "ipc_collect": lambda: None, "empty_cache": lambda: None,
                               "can_device_access_peer": lambda device, peer: False, "current_blas_handle": lambda: 0,
                               "get_sync_debug_mode": lambda: 0, "set_sync_debug_mode": lambda mode: None,
                               "is_current_stream_capturing": lambda: False, "_is_in_bad_fork": lambda: False,
                               "set_per_process_memory_fraction": lambda fraction, device=None: None,
                               "get_per_process_memory_fraction": lambda device=None: 1.0,
                               "set_device": set_device, "synchronize": synchronize}
    for name, answer in nothing.items():
        replace(torch.cuda, name, answer)
    for name, answer in {"range_push": lambda msg: 0, "range_pop": lambda: 0, "mark": lambda msg: None,
                         "range_start": lambda msg: 0, "range_end": lambda number: None}.items():
        replace(torch.cuda.nvtx, name, answer)
    torch._C._cuda_getCurrentRawStream = lambda device: 0


def _status(key: str) -> int:
    """Returns a size of this process in bytes, as Linux knows it."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def _install_memory() -> None:
    """Installs answers about memory, which are the process's: a CPU tensor's memory is not known separately."""
    def allocated(device: Any = None) -> int:
        return _status("VmRSS")

    def peak(device: Any = None) -> int:
        return _status("VmHWM")

    def reset(device: Any = None) -> None:
        try:
            pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM, see proc(5)
        except OSError:
            pass

    def stats(device: Any = None) -> dict[str, int]:
        return {f"{kind}_bytes.all.{which}": measure() for kind in ("allocated", "reserved", "active")
                for which, measure in (("current", allocated), ("peak", peak))}

    def info(device: Any = None) -> tuple[int, int]:
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
        return free, get_device_properties().total_memory

    def summary(device: Any = None, abbreviated: bool = False) -> str:
        return f"{allocated()} bytes of memory in use, {peak()} at most"

    answers: dict[str, Any] = {
        "memory_stats": stats, "mem_get_info": info, "memory_summary": summary,
        "memory_snapshot": lambda mempool_id=None, **_: [], "list_gpu_processes": lambda device=None: ""}
    answers |= dict.fromkeys(("memory_allocated", "memory_reserved", "memory_cached"), allocated)
    answers |= dict.fromkeys(("max_memory_allocated", "max_memory_reserved", "max_memory_cached"), peak)
    answers |= dict.fromkeys(("reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
                              "reset_accumulated_memory_stats"), reset)
    for name, answer in answers.items():
        answer = _named(answer)
        replace(torch.cuda, name, answer)
        if hasattr(torch.cuda.memory, name):
            setattr(torch.cuda.memory, name, answer)


def _named(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a new function that calls `answer`: PyTorch's compiler knows functions by identity, each by one name."""
    def call(*given: Any, **named: Any) -> Any:
        return answer(*given, **named)

    return call


def _install_random() -> None:
    """Installs the device's random numbers, which are the CPU generator's. torch.manual_seed seeds it as well."""
    def seed_all(seed: int) -> None:
        torch.default_generator.manual_seed(int(seed))

    def get_state(device: Any = "cuda") -> Any:
        return torch.get_rng_state()

    def set_state(new_state: Any, device: Any = "cuda") -> None:
        torch.set_rng_state(new_state.cpu())

    answers: dict[str, Any] = {
        "manual_seed": seed_all, "manual_seed_all": seed_all, "get_rng_state": get_state,
        "set_rng_state": set_state, "get_rng_state_all": lambda: [torch.get_rng_state()],
        "set_rng_state_all": lambda states: set_state(states[0]),
        "seed": lambda: torch.default_generator.seed(), "seed_all": lambda: torch.default_generator.seed(),
        "initial_seed": lambda: torch.default_generator.initial_seed()}
    for name, answer in answers.items():
        answer = _named(answer)
        replace(torch.cuda, name, answer)
        setattr(torch.cuda.random, name, answer)
    torch.cuda.default_generators = (torch.default_generator,)


def _install_accelerator() -> None:
    facts: dict[str, Any] = {"is_available": lambda: True, "device_count": lambda: 1, "current_device_index": lambda: 0,
                             "current_accelerator": lambda check_available=False: CUDA, "current_device_idx": lambda: 0}
    for name, answer in facts.items():
        replace(torch.accelerator, name, _to_outsiders(answer, getattr(torch.accelerator, name)))
    for name in ("set_device_index", "set_device_idx"):
        replace(torch.accelerator, name, _named(torch.cuda.set_device))
    for name in ("synchronize", "empty_cache", "memory_allocated", "memory_reserved", "max_memory_allocated",
                 "max_memory_reserved", "memory_stats", "reset_peak_memory_stats", "reset_accumulated_memory_stats"):
        replace(torch.accelerator, name, _named(getattr(torch.cuda, name)))
    replace(torch.accelerator, "get_memory_info", _named(torch.cuda.mem_get_info))
