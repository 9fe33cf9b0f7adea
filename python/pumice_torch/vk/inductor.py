"""Makes torch.compile generate Triton's kernels for "vk".

Uses PyTorch's functions for registration. The functions named `_patch_...` handle the rest, for which PyTorch 2.13 has
none. All of it happens once inductor is imported, since `import torch` imports neither inductor nor Triton.
"""
from __future__ import annotations

import contextlib
import functools
import hashlib
import threading
import time
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import torch
from pumice_hooks import after_import

from . import graphs
from . import module as vk

# Attributes of torch.vk that torch._inductor.codegen.common looks up.
_CODEGEN = {
    "Scheduling": ("torch._inductor.codegen.triton", "TritonScheduling"),
    "PythonWrapperCodegen": ("torch._inductor.codegen.wrapper", "PythonWrapperCodegen"),
    "CppWrapperCodegen": ("torch._inductor.codegen.cpp_wrapper_gpu", "CppWrapperGpu"),
    "WrapperFxCodegen": ("torch._inductor.codegen.wrapper_fxir", "WrapperFxCodegen"),
}


def arrange() -> None:
    """Arranges that inductor knows vk once it is imported."""
    after_import("torch._dynamo.device_interface", _register_interface)
    after_import("torch._inductor.codegen.common", _register_overrides)
    after_import("torch._inductor.choices", _patch_choices)
    after_import("torch._inductor.runtime.benchmarking", _register_benchmarker)
    after_import("torch._inductor.codecache", _patch_cache)
    after_import("torch._inductor.utils", _patch_utils)
    after_import("torch._inductor.runtime.triton_helpers", _patch_helpers)
    after_import("torch._inductor.runtime.triton_heuristics", _patch_launchers)
    after_import("torch._subclasses.fake_impls", _patch_convolution)
    after_import("torch._inductor.cudagraph_utils", graphs.patch_checks)
    after_import("torch._inductor.compile_fx", graphs.patch_compiler)
    after_import("torch._inductor.output_code", graphs.patch_output)
    after_import("torch._inductor.codegen.triton", graphs.patch_kernels)
    after_import("torch._inductor.codegen.triton", _patch_signs)


def codegen(name: str) -> Any:
    """Returns a class with which inductor generates code.

    Raises:
        AttributeError: If torch.vk has no such attribute.
    """
    import importlib
    if name not in _CODEGEN:
        raise AttributeError(f"module 'torch.vk' has no attribute '{name}'")
    where, found = _CODEGEN[name]
    return getattr(importlib.import_module(where), found)


def _register_interface(interfaces: ModuleType) -> None:
    worker_devices: dict[str, int] = interfaces.caching_worker_current_devices
    worker_properties: dict[str, Any] = interfaces.caching_worker_device_properties

    class VkInterface(interfaces.DeviceInterface):  # type: ignore[name-defined]
        """Answers dynamo's and inductor's questions about a device."""
        device = vk.device
        Event = torch.Event
        Stream = torch.Stream

        class Worker:
            """Answers these questions in processes that only compile."""

            @staticmethod
            def set_device(device: int) -> None:
                worker_devices["vk"] = device

            @staticmethod
            def current_device() -> int:
                return worker_devices["vk"] if "vk" in worker_devices else vk.current_device()

            @staticmethod
            def get_device_properties(device: Any = None) -> vk.DeviceProperties:
                if "vk" not in worker_properties:
                    worker_properties["vk"] = [vk.get_device_properties(i) for i in range(vk.device_count())]
                index = VkInterface.Worker.current_device() if device is None else vk.index_of(device)
                found: vk.DeviceProperties = worker_properties["vk"][index]
                return found

        current_device = staticmethod(vk.current_device)
        set_device = staticmethod(vk.set_device)
        device_count = staticmethod(vk.device_count)
        stream = staticmethod(vk.stream)
        current_stream = staticmethod(vk.current_stream)
        set_stream = staticmethod(vk.set_stream)
        synchronize = staticmethod(vk.synchronize)
        get_device_properties = staticmethod(vk.get_device_properties)
        get_raw_stream = staticmethod(vk.current_raw_stream)
        exchange_device = staticmethod(vk._exchange_device)
        maybe_exchange_device = staticmethod(vk._maybe_exchange_device)
        memory_allocated = staticmethod(vk.memory_allocated)
        is_bf16_supported = staticmethod(vk.is_bf16_supported)
        is_available = staticmethod(vk.is_available)

        @staticmethod
        def get_compute_capability(device: Any = None) -> str:
            """Returns the device's description, which becomes the `arch` of Triton's target."""
            from pumice_triton.devices import described
            return described(VkInterface.Worker.get_device_properties(device).id)

        @staticmethod
        def is_triton_capable(device: Any = None) -> bool:
            return True

        @staticmethod
        def raise_if_triton_unavailable(device: Any = None) -> None:
            import triton.backends
            if "vk" not in triton.backends.backends:
                raise RuntimeError("Triton has no back end 'vk': install Pumice in the environment of Triton")

    interfaces.register_interface_for_device("vk", VkInterface)
    for index in range(vk.device_count()):
        interfaces.register_interface_for_device(f"vk:{index}", VkInterface)


def _register_overrides(common: ModuleType) -> None:
    class VkOverrides(common.DeviceOpOverrides):  # type: ignore[name-defined]
        """Lines of the Python code that inductor writes."""

        def import_get_raw_stream_as(self, name: str) -> str:
            return f"from torch.vk import current_raw_stream as {name}"

        def set_device(self, device_idx: int) -> str:
            return f"torch.vk.set_device({device_idx})"

        def synchronize(self) -> str:
            return "torch.vk.synchronize()"

        def device_guard(self, device_idx: int) -> str:
            return f"torch.vk.device({device_idx})"

        def current_stream(self) -> str:
            return "torch.vk.current_stream()"

    common.get_device_op_overrides("cpu")  # PyTorch 2.11 registers its own only if none is there
    common.register_device_op_overrides("vk", VkOverrides())


def _milliseconds(call: Callable[[], object], times: int) -> float:
    """Returns how long one of several calls in a row takes."""
    vk.synchronize()
    begin = time.perf_counter()
    for _ in range(times):
        call()
    vk.synchronize()
    return (time.perf_counter() - begin) * 1e3 / times


def _benchmark(benchmarker: object, call: Callable[[], object], *, warmup: int, rep: int, **ignored: object) -> float:
    """Returns the shortest time of a call in milliseconds, out of measurements that take `rep` milliseconds in all."""
    call()
    estimate = max(_milliseconds(call, 3), 1e-3)
    times = max(1, min(20, int(rep / 5 / estimate)))
    return min(_milliseconds(call, times) for _ in range(max(1, min(5, int(rep / (times * estimate))))))


def _register_benchmarker(benchmarking: ModuleType) -> None:
    register = getattr(benchmarking, "register_benchmarker", None)  # PyTorch has it since 2.13
    if register is not None:
        register("vk", _benchmark, override=True)


_WIDEST_ROW = 8192  # elements


def _patch_choices(choices: ModuleType) -> None:
    """Makes kernels keep rows of up to 8192 elements in registers, instead of reading them twice.

    Inductor does so up to 1024 elements. Its loops over wider rows read them twice, and compute variances by Welford's
    way. On an H100, layer norms of 4096 elements took 1.6 times as long so.
    """
    from torch._inductor.runtime.hints import ReductionHint
    from torch._inductor.virtualized import V
    known = choices.InductorChoices.should_use_persistent_reduction

    def should_use_persistent_reduction(features: Any, cooperative_reduction: bool) -> bool:
        if known(features, cooperative_reduction):
            return True
        return (V.graph.get_current_device_or_throw().type == "vk" and not cooperative_reduction
                and features.get_reduction_hint() == ReductionHint.INNER
                and V.graph.sizevars.statically_known_leq(features.reduction_numel, _WIDEST_ROW))

    choices.InductorChoices.should_use_persistent_reduction = staticmethod(should_use_persistent_reduction)


def _patch_signs(codegen: ModuleType) -> None:
    """Makes zeros have their signs, as in PyTorch.

    Triton's negation subtracts from a positive zero, and so never makes a negative one. Inductor's `signbit` of float64
    compares with zero.
    """
    from torch._inductor.virtualized import V
    overrides = codegen.TritonOverrides
    known_neg, known_signbit = overrides.neg, overrides.signbit

    def is_of_vk(x: Any, *dtypes: torch.dtype) -> bool:
        return getattr(x, "dtype", None) in dtypes and V.graph.get_current_device_or_throw().type == "vk"

    def neg(x: Any) -> Any:
        if is_of_vk(x, torch.float64, torch.float32, torch.float16, torch.bfloat16):
            return f"({x} * -1.0)"
        return known_neg(x)

    def signbit(x: Any) -> Any:
        return f"({x}.to(tl.int64, bitcast=True) < 0)" if is_of_vk(x, torch.float64) else known_signbit(x)

    overrides.neg, overrides.signbit = staticmethod(neg), staticmethod(signbit)


def _patch_cache(codecache: ModuleType) -> None:
    """Keeps code for different devices and by other builds apart in inductor's cache, whose key names CUDA's devices only."""
    known = codecache.CacheBase.get_system

    @functools.cache
    def get_system() -> dict[str, Any]:
        system: dict[str, Any] = dict(known())
        if vk.is_available():
            from .plans import hook
            devices = [(hook.build_key(), one.id, one.name, one.driver_version)
                       for one in map(vk.get_device_properties, range(vk.device_count()))]
            system["hash"] = hashlib.sha256(repr((system["hash"], devices)).encode()).hexdigest()
        return system

    codecache.CacheBase.get_system = staticmethod(get_system)


def _patch_utils(utils: ModuleType) -> None:
    """Makes inductor take vk for a GPU: PyTorch 2.13 has a fixed list, and takes one kind of GPU in a process.

    If PyTorch finds another GPU, the user has asked for vk with PUMICE_VK=1. So vk is that kind.
    """
    known = utils.get_gpu_type

    def get_gpu_type() -> str:
        return "vk" if vk.is_available() else str(known())

    if "vk" not in utils.GPU_TYPES:
        utils.GPU_TYPES.append("vk")
        setattr(utils, "get_gpu_type", get_gpu_type)  # noqa: B010


# The kind of device for which this thread compiles a kernel or makes its launcher, as `kind`.
_compiling = threading.local()


def _patch_helpers(helpers: ModuleType) -> None:
    """Makes inductor's kernels for vk activate Triton's back end vk."""
    known = helpers.set_driver_to_gpu

    def set_driver_to_gpu() -> None:
        has_other = torch.cuda.is_available() or torch.xpu.is_available()
        kind = getattr(_compiling, "kind", None if has_other else "vk")
        if not vk.is_available() or kind not in (None, "vk"):
            return known()
        if kind is None:
            return None  # a file of kernels for any GPU; compiling them tells which
        import triton
        from triton.backends import backends
        wanted = backends["vk"].driver
        if not isinstance(getattr(triton.runtime.driver, "_active", None), wanted):
            triton.runtime.driver.set_active(wanted())

    setattr(helpers, "set_driver_to_gpu", set_driver_to_gpu)  # noqa: B010


def _patch_launchers(heuristics: ModuleType) -> None:
    """Compiles kernels and makes their launchers with the back end of the device that they are for.

    Inductor activates a back end of Triton where it compiles. If a worker compiled the kernel, this process makes the
    launcher with the back end that it last used, which may be the CPU's, or another GPU's.
    """
    result, tuner = heuristics.TritonCompileResult, heuristics.CachingAutotuner
    make, compile_one = result.make_launcher, tuner._precompile_config

    def make_launcher(self: Any) -> Any:
        helpers, kind = heuristics.triton_helpers, self.compile_meta["device_type"]
        with _for(kind):
            if kind == "cpu":
                helpers.set_driver_to_cpu()
            else:
                helpers.set_driver_to_gpu()
            return make(self)

    def _precompile_config(self: Any, config: Any) -> Any:
        with _for(self.device_props.type):
            return compile_one(self, config)

    result.make_launcher = make_launcher
    tuner._precompile_config = _precompile_config


@contextlib.contextmanager
def _for(kind: str) -> Iterator[None]:
    """Makes this thread compile for a kind of device."""
    before = getattr(_compiling, "kind", None)
    _compiling.kind = kind
    try:
        yield
    finally:
        if before is None:
            del _compiling.kind
        else:
            _compiling.kind = before


def _patch_convolution(fake_impls: ModuleType) -> None:
    """Makes results of convolutions have the layout in compiled graphs that they have otherwise.

    PyTorch takes those of devices that it does not know for contiguous. `kernels.convolutions` puts the channels last if
    they are last in the image or the filters.
    """
    known = torch._C._conv_determine_backend_memory_format

    def determine(x: torch.Tensor, weight: torch.Tensor, backend: Any) -> torch.memory_format:
        if x.device.type == "vk" and x.dim() in (4, 5):
            last = torch.channels_last if x.dim() == 4 else torch.channels_last_3d
            if any(one.is_contiguous(memory_format=last) and not one.is_contiguous() and one.shape[1] > 1 for one in (x, weight)):
                return last
        return known(x, weight, backend)

    setattr(torch._C, "_conv_determine_backend_memory_format", determine)  # noqa: B010
