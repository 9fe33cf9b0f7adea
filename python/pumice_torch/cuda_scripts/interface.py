"""torch.cuda's functions: one device, whose properties are partly this machine's and partly an invention."""
import dataclasses
import os
import pathlib
from uuid import UUID

import torch

from . import ARCHITECTURE
from .asking import CUDA, check_index, is_outsider, replace

# Kernels choose their variants by these. An sm_80 has bfloat16, and none of Hopper's own instructions.
CAPABILITY = divmod(ARCHITECTURE, 10)


@dataclasses.dataclass(frozen=True)
class Properties:
    """What torch.cuda.get_device_properties returns."""
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


def get_device_properties(device=None):
    check_index(device)
    import pumice
    about = pumice.device("cpu")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Properties(f"Pumice {about.name}", memory, len(os.sched_getaffinity(0)))


def install():
    _install_facts()
    _install_settings()
    _install_memory()
    _install_random()
    _install_accelerator()


def _install_facts():
    """Whether there is a device, PyTorch's own code knows better: it would call CUDA next. What the device is like,
    that code asks only on behalf of others."""
    there = {"is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
             "is_initialized": lambda: True}
    for name, answer in there.items():
        replace(torch.cuda, name, _to_outsiders(answer, getattr(torch.cuda, name)))
    alike = {"get_device_properties": get_device_properties, "get_device_capability": _capability,
             "get_device_name": lambda device=None: get_device_properties(device).name,
             "get_arch_list": lambda: [f"sm_{ARCHITECTURE}"],
             "is_bf16_supported": lambda including_emulation=True: True, "is_tf32_supported": lambda: False}
    for name, answer in alike.items():
        replace(torch.cuda, name, answer)
    replace(torch.backends.cuda, "is_built", _to_outsiders(lambda: True, torch.backends.cuda.is_built))


def _capability(device=None):
    check_index(device)
    return CAPABILITY


def _to_outsiders(answer, original):
    def ask(*given, **named):
        return (answer if is_outsider() else original)(*given, **named)

    return ask


def _install_settings():
    def set_device(device):
        check_index(device)

    def synchronize(device=None):
        check_index(device)
        import pumice
        pumice.synchronize()

    nothing = {"init": lambda: None, "ipc_collect": lambda: None, "empty_cache": lambda: None,
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


def _status(key):
    """Returns a size of this process in bytes, as Linux knows it."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    return 0


def _install_memory():
    """The process's own memory: a CPU tensor's cannot be told from the rest."""
    def allocated(device=None):
        return _status("VmRSS")

    def peak(device=None):
        return _status("VmHWM")

    def reset(device=None):
        try:
            pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets VmHWM: proc(5)
        except OSError:
            pass

    def stats(device=None):
        return {f"{kind}_bytes.all.{which}": measure() for kind in ("allocated", "reserved", "active")
                for which, measure in (("current", allocated), ("peak", peak))}

    def info(device=None):
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
        return free, get_device_properties().total_memory

    def summary(device=None, abbreviated=False):
        return f"{allocated()} bytes of memory in use, {peak()} at most"

    answers = {"memory_stats": stats, "mem_get_info": info, "memory_summary": summary,
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


def _named(answer):
    """Returns a function of its own: PyTorch's compiler knows functions by identity, and by one name each."""
    def call(*given, **named):
        return answer(*given, **named)

    return call


def _install_random():
    """The device's numbers come from the CPU's generator, which torch.manual_seed seeds as well."""
    def seed_all(seed):
        torch.default_generator.manual_seed(int(seed))

    def get_state(device="cuda"):
        return torch.get_rng_state()

    def set_state(new_state, device="cuda"):
        torch.set_rng_state(new_state.cpu())

    answers = {"manual_seed": seed_all, "manual_seed_all": seed_all, "get_rng_state": get_state,
               "set_rng_state": set_state, "get_rng_state_all": lambda: [torch.get_rng_state()],
               "set_rng_state_all": lambda states: set_state(states[0]),
               "seed": lambda: torch.default_generator.seed(), "seed_all": lambda: torch.default_generator.seed(),
               "initial_seed": lambda: torch.default_generator.initial_seed()}
    for name, answer in answers.items():
        answer = _named(answer)
        replace(torch.cuda, name, answer)
        setattr(torch.cuda.random, name, answer)
    torch.cuda.default_generators = (torch.default_generator,)


def _install_accelerator():
    facts = {"is_available": lambda: True, "device_count": lambda: 1, "current_device_index": lambda: 0,
             "current_accelerator": lambda check_available=False: CUDA, "current_device_idx": lambda: 0}
    for name, answer in facts.items():
        replace(torch.accelerator, name, _to_outsiders(answer, getattr(torch.accelerator, name)))
    for name in ("set_device_index", "set_device_idx"):
        replace(torch.accelerator, name, _named(torch.cuda.set_device))
    for name in ("synchronize", "empty_cache", "memory_allocated", "memory_reserved", "max_memory_allocated",
                 "max_memory_reserved", "memory_stats", "reset_peak_memory_stats", "reset_accumulated_memory_stats"):
        replace(torch.accelerator, name, _named(getattr(torch.cuda, name)))
    replace(torch.accelerator, "get_memory_info", _named(torch.cuda.mem_get_info))
