"""Changes what PyTorch's inductor does with kernels for the CPU."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def unwraps_what_is_not_written(unwraps: Callable[[str], bool]) -> Callable[[str], bool]:
    """Returns a replacement of `should_unwrap_unspec_arg` that excludes tensors which the kernel writes.

    PyTorch 2.13 passes a 0-dimensional CPU tensor as a number, and reads it without a load. If the kernel writes its
    result over the tensor, PyTorch passes a pointer, but still leaves out the load.
    """
    from torch._inductor.codegen import triton as codegen

    def unwraps_here(name: str) -> bool:
        kernel = codegen.V.kernel
        return unwraps(name) and name not in getattr(getattr(kernel, "args", None), "inplace_buffers", ())

    return unwraps_here


# Inductor measures each configuration of a kernel for 125 ms by default, which takes longer than compiling it.
_WARMUP_MS, _MEASURED_MS = 2, 10


class _BriefBenchmarker:
    """Inductor's benchmarker, which measures kernels for the CPU for a shorter time by default.

    A kernel for the CPU has few configurations, whose times differ by much or do not matter. Each is run at least twice.
    """

    def __init__(self, known: Any) -> None:
        self._known = known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._known, name)

    def benchmark(self, *given: Any, **named: Any) -> Any:
        """Measures a function, as inductor's `benchmark` does."""
        if str(named.get("device")) == "cpu":
            named = _times() | named
        return self._known.benchmark(*given, **named)

    def benchmark_cpu(self, *given: Any, **named: Any) -> Any:
        """Measures a function on the CPU. Inductor calls it up to PyTorch 2.9."""
        return self._known.benchmark_cpu(*given, **(_times() | named if len(given) == 1 else named))


def _times() -> dict[str, int]:
    """Returns how long a configuration is measured. Shorter times that the user has set are kept."""
    from torch._inductor import config
    warmup = getattr(config, "inductor_default_autotune_warmup", _WARMUP_MS)
    measured = getattr(config, "inductor_default_autotune_rep", _MEASURED_MS)
    return {"warmup": min(warmup, _WARMUP_MS), "rep": min(measured, _MEASURED_MS)}


def measures_briefly(benchmarker: Any) -> Any:
    """Returns a replacement of the benchmarker that inductor's autotuner of Triton kernels uses."""
    return _BriefBenchmarker(benchmarker)


_ROW_IN_CACHE = 1 << 16  # in elements


def takes_two_steps(uses_two_steps: Callable[..., bool]) -> Callable[..., bool]:
    """Returns a replacement of `use_two_step_variance` that computes variances of longer rows from their means.

    Kernels for the CPU read a row from the cache the second time. PyTorch's limit is 1024 elements.
    """
    def takes_here(x: Any, *given: Any, **named: Any) -> bool:
        from torch._inductor import config
        device = x.get_device()
        if getattr(config, "cpu_backend", "") != "triton" or device is None or device.type != "cpu":
            return uses_two_steps(x, *given, **named)
        limit = "cpp.use_two_step_variance_threshold"
        with config.patch({limit: max(config.cpp.use_two_step_variance_threshold, _ROW_IN_CACHE)}):
            return uses_two_steps(x, *given, **named)

    return takes_here
