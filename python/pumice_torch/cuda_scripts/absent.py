"""What of CUDA is not there for the host's tensors. Calls that only start or stop a tool do nothing; graphs, pools of
memory and the rates of a GPU are refused, with the way out."""
import torch

from pumice_hooks import after_import

from .asking import replace

_RATES = ("get_dram_gbps", "get_max_tensorcore_tflops", "get_max_simd_tflops", "set_gpu_clock", "nvsmi")


class CUDAGraph:
    """torch.cuda.CUDAGraph: a type to ask for, of which none can be made."""

    def __new__(cls, *given, **named):
        raise _without_graphs()


class Capture:
    """torch.cuda.graph, a context that captures what is called in it."""

    def __init__(self, *given, **named):
        raise _without_graphs()


class MemPool:
    """torch.cuda.MemPool."""

    def __init__(self, *given, **named):
        raise RuntimeError("expected a CUDA device for torch.cuda.MemPool, and use_cpu_for_cuda has the host's memory: make "
                           "the tensors without a pool")


def _without_graphs():
    return RuntimeError("expected a CUDA device for CUDA graphs, and use_cpu_for_cuda runs each call on the host at once: "
                        "call the function in place of capture and replay(). torch.version.cuda is None here, by "
                        "which a script can tell")


class Error(int):
    """cudaError_t, of which only success occurs."""
    success = 0


class Runtime:
    """torch.cuda.cudart(): what scripts call of CUDA's runtime library."""
    cudaError = Error

    @staticmethod
    def cudaGetErrorString(code):
        return "no error" if code == 0 else f"error {int(code)}"

    @staticmethod
    def cudaMemGetInfo(device=0):
        return torch.cuda.mem_get_info(device)

    @staticmethod
    def cudaHostRegister(pointer, size, flags):
        return Error.success

    @staticmethod
    def cudaHostUnregister(pointer):
        return Error.success

    @staticmethod
    def cudaProfilerStart():
        return Error.success

    @staticmethod
    def cudaProfilerStop():
        return Error.success

    def __getattr__(self, name):
        raise AttributeError(f"use_cpu_for_cuda has no '{name}' of CUDA's runtime library; it has "
                             f"{', '.join(sorted(each for each in vars(Runtime) if each.startswith('cuda')))}")


def _check_error(code):
    if code != Error.success:
        raise RuntimeError(f"CUDA error: {Runtime.cudaGetErrorString(code)}")


def _as_they_are(callables, sample_args, *given, **named):
    """Functions without their graphs give the same results."""
    return callables


def install():
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


def _refuse_rates(testing):
    for name in _RATES:
        if hasattr(testing, name):
            replace(testing, name, _refused(name))


def _refused(name):
    def refuse(*given, **named):
        raise RuntimeError(f"expected a CUDA device for triton.testing.{name}, whose clocks and units it asks for, and "
                           "use_cpu_for_cuda has the host's processor: measure what this machine reaches, and take that "
                           "number in its place")

    return refuse
