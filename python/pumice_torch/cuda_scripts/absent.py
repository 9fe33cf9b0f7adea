"""Handles parts of CUDA that host tensors lack.

Calls that only start or stop a tool do nothing. Graphs, memory pools and the rates of a GPU are rejected, with an
alternative.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import torch

from pumice_hooks import after_import

from .asking import replace

if TYPE_CHECKING:
    from collections.abc import Callable

_RATES = ("get_dram_gbps", "get_max_tensorcore_tflops", "get_max_simd_tflops", "set_gpu_clock", "nvsmi")


class CUDAGraph:
    """Replaces torch.cuda.CUDAGraph: a type for `isinstance`, which rejects the making of objects."""

    def __new__(cls, *given: Any, **named: Any) -> CUDAGraph:
        raise _without_graphs()


class Capture:
    """Replaces torch.cuda.graph, a context that captures the calls in it."""

    def __init__(self, *given: Any, **named: Any) -> None:
        raise _without_graphs()


class MemPool:
    """Replaces torch.cuda.MemPool."""

    def __init__(self, *given: Any, **named: Any) -> None:
        raise RuntimeError("expected a CUDA device for torch.cuda.MemPool, but use_cpu_for_cuda uses the host's memory: "
                           "make the tensors without a pool")


def _without_graphs() -> RuntimeError:
    """Returns the error of a request for CUDA graphs."""
    return RuntimeError("expected a CUDA device for CUDA graphs, but use_cpu_for_cuda runs each call on the host at once: "
                        "call the function instead of capturing and replaying it. A script can detect this, since "
                        "torch.version.cuda is None here")


class Error(int):
    """cudaError_t, whose only value here is success."""
    success = 0


class Runtime:
    """The functions of CUDA's runtime library that scripts call by torch.cuda.cudart()."""
    cudaError = Error

    @staticmethod
    def cudaGetErrorString(code: int) -> str:
        """Returns the text of an error code."""
        return "no error" if code == 0 else f"error {int(code)}"

    @staticmethod
    def cudaMemGetInfo(device: Any = 0) -> tuple[int, int]:
        """Returns (free bytes, all bytes) of the host's memory."""
        return torch.cuda.mem_get_info(device)

    @staticmethod
    def cudaHostRegister(pointer: int, size: int, flags: int) -> int:
        """Does nothing: the host's memory needs no registration."""
        return Error.success

    @staticmethod
    def cudaHostUnregister(pointer: int) -> int:
        """Does nothing, as `cudaHostRegister`."""
        return Error.success

    @staticmethod
    def cudaProfilerStart() -> int:
        """Does nothing: no profiler of CUDA's is attached."""
        return Error.success

    @staticmethod
    def cudaProfilerStop() -> int:
        """Does nothing, as `cudaProfilerStart`."""
        return Error.success

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"use_cpu_for_cuda has no '{name}' of CUDA's runtime library; it has "
                             f"{', '.join(sorted(each for each in vars(Runtime) if each.startswith('cuda')))}")


def _check_error(code: int) -> None:
    """Raises an error unless the code is success."""
    if code != Error.success:
        raise RuntimeError(f"CUDA error: {Runtime.cudaGetErrorString(code)}")


def _as_they_are(callables: Any, sample_args: Any, *given: Any, **named: Any) -> Any:
    """Returns the functions themselves, which give the same results without graphs."""
    return callables


def install() -> None:
    """Replaces the parts of torch.cuda that this module handles."""
    cuda, runtime = torch.cuda, Runtime()
    for name, kind in {"CUDAGraph": CUDAGraph, "graph": Capture, "MemPool": MemPool}.items():
        for module in (cuda, cuda.graphs, cuda.memory):
            if hasattr(module, name):
                setattr(module, name, kind)
    for name, answer in {"make_graphed_callables": _as_they_are, "graph_pool_handle": lambda: (0, 0)}.items():
        for module in (cuda, cuda.graphs):
            replace(module, name, answer)
    replace(cuda, "cudart", lambda: runtime)
    replace(cuda, "check_error", _check_error)
    for name in ("start", "stop"):
        replace(cuda.profiler, name, lambda: None)
    replace(cuda.profiler, "init", lambda output_file, flags=None, output_mode="key_value": None)
    after_import("triton.testing", _refuse_rates)


def _refuse_rates(testing: Any) -> None:
    """Makes the functions of triton.testing that ask for a GPU's rates raise errors."""
    for name in _RATES:
        if hasattr(testing, name):
            replace(testing, name, _refused(name))


def _refused(name: str) -> Callable[..., NoReturn]:
    """Returns a function that raises the error for this function of triton.testing."""
    def refuse(*given: Any, **named: Any) -> NoReturn:
        raise RuntimeError(f"expected a CUDA device for triton.testing.{name}, which reads a GPU's clocks and units, "
                           "but use_cpu_for_cuda runs on the host's processor: measure what this machine reaches, and "
                           "use that number instead")

    return refuse
