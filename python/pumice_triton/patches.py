"""Every change of Triton's classes and functions, and those changes of PyTorch's inductor that the CPU needs.

Those for PyTorch's device "vk" are in pumice_torch/vk/inductor.py.

`PATCHES` lists each: what is replaced, by which function, for which versions, and why. Other modules of this package
provide the functions, and assign nothing to another package. Each provider takes the original and returns the
replacement. If `is_optional` is set, a newer version that lacks the patched attribute is left alone.
"""
from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pumice_hooks import after_import, once


@dataclass(frozen=True)
class Patch:
    """A replacement of one attribute of another package."""

    module: str
    name: str  # the attribute in the module, or "Class.method"
    provider: str  # "module:function" in this package
    versions: str
    why: str
    is_optional: bool = False
    everywhere: bool = False  # also replaces it in submodules, which import it by name


ALL = "Triton 3.6 to 3.9"

# Applied while `import triton` imports the drivers, each after its module is imported.
AT_IMPORT = (
    Patch("triton.runtime.driver", "_create_driver", "devices:creates_what_is_asked_for", ALL,
          "of two drivers that work Triton takes neither, whatever TRITON_DEFAULT_BACKEND or PUMICE_DEVICE says"),
    Patch("triton.runtime._async_compile", "AsyncCompileMode.submit", "asynchronous:submits_once", ALL,
          "the mode waits for ever if the executor runs work later on the thread that waits"),
    Patch("triton.runtime._async_compile", "AsyncCompileMode.__exit__", "asynchronous:leaves_after_all",
          "Triton 3.6 to 3.8; harmless in 3.9", "the mode stays active after a failure"),
    Patch("triton.runtime._async_compile", "FutureKernel.result", "asynchronous:gives_result_of_once", ALL,
          "a launch within the mode waits for ever, too"),
    Patch("triton.runtime.cache", "triton_key", "keys:remembers_key", ALL,
          "each process reads all of Triton's library before its first kernel, which takes 0.3 s", everywhere=True),
    Patch("triton.testing", "do_bench_cudagraph", "tuning:benches_without_graphs", ALL,
          "it measures by CUDA's graphs, which no device of ours has"),
    Patch("torch._inductor.codegen.triton", "should_unwrap_unspec_arg", "inductor:unwraps_what_is_not_written",
          "PyTorch 2.13", "a 0-dimensional tensor that a kernel writes in place is read without a load",
          is_optional=True),
    Patch("torch._inductor.runtime.triton_heuristics", "CachingAutotuner.save_cpu_kernel", "aoti:adds_shared_objects",
          "PyTorch 2.13", "packages need shared objects, whose launcher must know the signature", is_optional=True),
    Patch("torch._inductor.codegen.cpp_wrapper_cpu", "DeferredCpuTritonCallWrapper._resolve_arg_names",
          "aoti:names_arguments", "PyTorch 2.13", "calls in packages pass block sizes as arguments", is_optional=True),
    Patch("torch._inductor.codegen.cpp_wrapper_cpu", "DeferredCpuTritonCallWrapper._get_cpp_param_type",
          "aoti:takes_doubles", "PyTorch 2.13", "packages pass floats in 32 bits, also to kernels that expect 64",
          is_optional=True),
    Patch("torch._inductor.codegen.cpp_wrapper_cpu", "DeferredCpuTritonCallWrapper._generate_launch",
          "aoti:computes_grids", "PyTorch 2.13",
          "packages launch PyTorch's own kernels with a grid of one program, and 0-dimensional tensors as handles",
          is_optional=True),
    Patch("torch._inductor.runtime.triton_heuristics", "benchmarker", "inductor:measures_briefly", "all of PyTorch",
          "each configuration for the CPU is measured for 125 ms, which takes longer than compiling it", is_optional=True),
    Patch("torch._inductor.lowering", "use_two_step_variance", "inductor:takes_two_steps", "PyTorch 2.5 to 2.13",
          "Welford's algorithm divides for each element, which takes longer on a CPU than reading a row twice",
          is_optional=True),
)

# Applied when Triton first looks the class up: the drivers are imported in the middle of its module.
AT_LOOKUP = Patch("triton.runtime.autotuner", "Autotuner.__init__", "tuning:takes_numpy", ALL,
                  "reset_to_zero and restore_value take torch's tensors only")

# Applied when the first of Pumice's drivers is made.
AT_DRIVER = (
    Patch("triton.runtime.jit", "native_specialize_impl", "arguments:specializes_all", ALL,
          "it refuses NumPy's arrays and numbers, and its errors name no argument"),
    Patch("triton.runtime.jit", "KernelInterface.__getitem__", "grids:checks_grid", ALL,
          "errors for wrong grids name no grid, and some wrong grids are truncated silently"),
    Patch("triton.runtime.jit", "serialize_specialization_data", "preloading:serializes_functions", ALL,
          "3.6 writes no function into its JSON, and later versions none that is in a tuple"),
    Patch("triton.runtime.jit", "JITFunction._do_compile", "preloading:compiles_with_functions", ALL,
          "preloading reads what the patch above writes"),
    Patch("triton.compiler.compiler", "ASTSource.make_ir", "backend:watches_front_end", ALL,
          "its errors name neither file nor line, and it shows no progress"),
    Patch("triton.compiler.compiler", "CompiledKernel.launch_metadata", "launching:leaves_out_metadata", ALL,
          "it makes metadata for each launch, also if no hook reads it"),
    Patch("triton.compiler.compiler", "CompiledKernel._init_handles", "launching:loads_once", ALL,
          "of several threads that launch a kernel first, each loads it"),
    Patch("triton.compiler.compiler", "CompiledKernel.run", "launching:runs_what_is_loaded", ALL,
          "while one thread loads a kernel, others already launch it, without its function"),
    Patch("triton.compiler.compiler", "IRSource.__init__", "backend:refuses_other_sources", ALL,
          "sources of other back ends end in an error that does not say so"),
    Patch("triton.compiler.compiler", "parse", "backend:reads_executables", ALL,
          "it reads executables that replace what is compiled as texts"),
    Patch("triton.compiler.compiler", "AsmDict.__missing__", "backend:makes_text", ALL,
          "texts of an executable are made when they are asked for, as that takes as long as compiling"),
    Patch("triton.compiler.compiler", "AsmDict.__contains__", "backend:contains_text", ALL, "likewise"),
    Patch("triton.compiler.compiler", "AsmDict.get", "backend:gets_text", ALL, "likewise"),
    Patch("triton.compiler.compiler", "AsmDict.keys", "backend:lists_texts", ALL, "likewise"),
    Patch("triton.compiler.compiler", "AsmDict.__iter__", "backend:iterates_texts", ALL, "likewise"),
    Patch("triton.language", "inline_asm_elementwise", "codegen:checks_pack", ALL,
          "Triton divides by `pack` unseen: 0 ends the process by a signal", everywhere=True),
)
PATCHES = (*AT_IMPORT, AT_LOOKUP, *AT_DRIVER)

replaced: dict[Patch, Any] = {}  # the replacement of each applied patch


def patch_at_import() -> None:
    """Arranges the patches that do not wait for a driver. It imports nothing of Triton's."""
    for patch in AT_IMPORT:
        after_import(patch.module, functools.partial(_apply, patch))
    _when_looked_up(AT_LOOKUP)


@once
def patch_at_driver() -> None:
    """Applies the patches that only Pumice's drivers need."""
    for patch in AT_DRIVER:
        _apply(patch, importlib.import_module(patch.module))


def _apply(patch: Patch, module: types.ModuleType) -> None:
    """Applies a patch, once."""
    if patch in replaced:
        return
    *path, name = patch.name.split(".")
    owner: Any = module
    for step in path:
        owner = getattr(owner, step, None) if patch.is_optional else getattr(owner, step)
    if patch.is_optional and not hasattr(owner, name):
        return
    original = getattr(owner, name)
    replacement = _provider(patch)(original)
    replaced[patch] = replacement
    # A None in sys.modules keeps a module from being imported, and has nothing to change.
    others = [each for key, each in list(sys.modules.items()) if key.startswith(f"{patch.module}.")
              and getattr(each, name, None) is original] if patch.everywhere else []
    for each in (owner, *others):
        setattr(each, name, replacement)


def _provider(patch: Patch) -> Callable[[Any], Any]:
    """Returns the function that makes the replacement."""
    module, function = patch.provider.split(":")
    return getattr(importlib.import_module(f".{module}", __package__), function)


class _Unfinished(types.ModuleType):
    """A module whose class `AT_LOOKUP` has not been looked up yet."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name == AT_LOOKUP.name.split(".")[0]:
            self.__class__ = types.ModuleType  # type: ignore[assignment]
            _apply(AT_LOOKUP, self)
        return found


def _when_looked_up(patch: Patch) -> None:
    """Applies a patch when its class is first looked up.

    The autotuner makes its hooks when a kernel is decorated, and may call them before any driver is requested.
    """
    module = sys.modules.get(patch.module)
    if type(module) is types.ModuleType and not hasattr(module, patch.name.split(".")[0]):
        module.__class__ = _Unfinished
