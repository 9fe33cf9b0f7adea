"""Gives PyTorch's AOTInductor what it packages of each kernel for the CPU.

`torch._inductor.aoti_compile_and_package` with `torch._inductor.config.cpu_backend = "triton"` asks a kernel for two
shared objects. `asm["so"]` has a symbol with the kernel's name, which here is the executable (runtime/aoti). Its
launcher, `asm["launcher.so"]`, is libpumice-aoti, which contains the runtime. It is the same file for all kernels.

PyTorch 2.13 writes correct calls only for kernels of users with a fixed grid. For its own kernels it lacks the names of
the block sizes, the grid, and the values of 0-dimensional tensors. The functions below add them.
"""
from __future__ import annotations

import functools
import json
import pathlib
import re
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MAGIC = int.from_bytes(b"PMICEKN1", "little")  # PackagedKernel.h
_LAUNCHER = "libpumice-aoti.so"


def adds_shared_objects(save: Callable[..., None]) -> Callable[..., None]:
    """Returns a replacement of `CachingAutotuner.save_cpu_kernel` that adds both shared objects to the kernel."""
    @functools.wraps(save)
    def save_cpu_kernel(self: Any, launcher: Any) -> None:
        kernel = launcher.bin
        if "pumice" in kernel.asm:
            is_of_user = str(getattr(self.heuristic_type, "name", "")) == "USER_AUTOTUNE"
            kernel.asm["so"] = kernel_object(kernel.metadata.name, kernel.src.signature, executable_of(kernel, is_of_user))
            kernel.asm["launcher.so"] = launcher_object()
        save(self, launcher)
        from torch._inductor.codecache import CpuTritonKernelCache
        CpuTritonKernelCache.cache[self.inductor_meta["kernel_name"]] |= {
            "config": config_to_dict(launcher.config), "inductor_meta": self.inductor_meta}

    from torch._inductor.runtime.triton_heuristics import config_to_dict
    return save_cpu_kernel


def names_arguments(_: Callable[..., Any]) -> Callable[..., tuple[list[str], list[str], list[str]]]:
    """Returns a replacement of `_resolve_arg_names` that leaves out the constants of the configuration.

    The original leaves out only those that a user's kernel declares.
    """
    def resolve(self: Any) -> tuple[list[str], list[str], list[str]]:
        from torch._inductor.codecache import CpuTritonKernelCache
        known = CpuTritonKernelCache.get(self.kernel_name)
        meta = known["inductor_meta"]
        left_out = {*known["config"], *meta.get("declared_constexpr_names", [])}
        grid = list(meta.get("extra_launcher_args", []))
        signature = known["signature"]
        return ([name for name in signature if name not in left_out] + grid,
                [name for name, kind in signature.items() if kind != "constexpr"], grid)

    return resolve


def computes_grids(_: Callable[..., None]) -> Callable[..., None]:
    """Returns a replacement of `_generate_launch` that computes the grid, and reads 0-dimensional tensors.

    The original takes the grid from the caller, which has none for PyTorch's own kernels.
    """
    def generate(self: Any, prefix: Any, arguments: list[str], grid_names: list[str], signature: Mapping[str, Any]) -> None:
        from torch._inductor.codecache import CpuTritonKernelCache
        from torch._inductor.runtime.triton_heuristics import GridExpr
        known = CpuTritonKernelCache.get(self.kernel_name)
        grid = GridExpr.from_meta(known["inductor_meta"], known["config"], mode="cpp")
        for line in grid.prefix:
            prefix.writeline(line)
        for axis, count in zip("xyz", (grid.x_grid, grid.y_grid, grid.z_grid)):
            prefix.writeline(f"const auto pumice_grid_{axis} = static_cast<uint32_t>({count});")
        passed, _, _ = self._resolve_arg_names()
        types = dict(zip(passed, self.arg_types))
        places = []
        for name, kind in signature.items():
            if kind == "constexpr":
                places.append("nullptr")
            elif kind.startswith("*"):
                places.append(f"{name}.data_ptr()")
            else:
                _write_number(prefix, name, kind, types[name])
                places.append(f"&{name}_value")
        prefix.splice(f"""
            void* pumice_arguments[] = {{ {', '.join([*places, 'nullptr'])} }};
            kernels_.{self.kernel_name}_launcher_fn(pumice_grid_x, pumice_grid_y, pumice_grid_z, /*num_cpu_threads=*/1,
                pumice_arguments, kernels_.{self.kernel_name}_kernel_fn);
            """)

    return generate


def takes_doubles(type_of: Callable[..., str]) -> Callable[..., str]:
    """Returns a replacement of `_get_cpp_param_type` that keeps the precision of Python's floats."""
    return lambda self, name, kind: f"double {name}" if kind is float else type_of(self, name, kind)


def _write_number(prefix: Any, name: str, kind: str, type: Any) -> None:
    """Writes a variable with an argument's value, in the type that the kernel expects."""
    import torch
    from torch._inductor.codegen.cpp_utils import DTYPE_TO_CPP
    value = name
    if isinstance(type, torch.dtype):  # a 0-dimensional tensor
        value = f"{name}_item"
        prefix.writeline(f"{DTYPE_TO_CPP[type]} {value};")
        prefix.writeline(f"AOTI_TORCH_ERROR_CODE_CHECK(aoti_torch_item_{str(type).split('.')[-1]}({name}, &{value}));")
    kind = {"fp32": "float", "f32": "float", "fp64": "double"}.get(kind, "int64_t")
    prefix.writeline(f"auto {name}_value = static_cast<{kind}>({value});")


def executable_of(kernel: Any, may_overlap: bool) -> bytes:
    """Returns an executable with native code for this processor, so that the package needs no compiler.

    Args:
        kernel: The kernel, as Triton compiled it.
        may_overlap: Whether arguments may share memory that the kernel writes. Launches in a package do not know the
            sizes of the tensors, so they cannot choose the code as launches in Python do.
    """
    from triton.backends.compiler import GPUTarget
    from triton.compiler.compiler import make_backend

    from .launching import with_attribute
    text = kernel.metadata.ttir
    if may_overlap and not kernel.metadata.overlap:
        text = with_attribute(text, "tt.overlap = 1 : i32")
    return bytes(make_backend(GPUTarget("cpu", _processor(), 32)).executable_of(text, kernel.metadata.name))


@functools.cache
def _processor() -> str:
    """Returns the target with native code for this processor, such as "x86-64-v3"."""
    import pumice
    return str(json.loads(pumice.device("cpu").target)["architecture"])


def kernel_object(name: str, signature: Mapping[str, Any], executable: bytes) -> bytes:
    """Returns a shared object whose symbol `name` is a PackagedKernel.

    Args:
        name: The kernel's name.
        signature: The types of all parameters of the Python function. Constants have the type "constexpr".
        executable: The kernel's executable.

    Raises:
        NotImplementedError: If PyTorch cannot pass an argument of this type.
        RuntimeError: If the C++ compiler fails.
    """
    slots = []
    for number, (parameter, kind) in enumerate(signature.items()):
        if kind == "constexpr":
            continue
        if not isinstance(kind, str) or not re.fullmatch(r"\*k?\w+|[iu](1|8|16|32|64)|fp32|f32|fp64", kind):
            raise NotImplementedError(
                f"kernel '{name}': its parameter '{parameter}' has the type {kind}; a package of AOTInductor passes "
                "pointers, integers, fp32 and fp64: pass a tensor, or a number of another type")
        slots.append(number)
    with tempfile.TemporaryDirectory(prefix="pumice-aoti-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "kernel.pumice").write_bytes(executable)
        (folder / "kernel.s").write_text(_source(name, slots, len(executable)))
        command = [_compiler(), "-shared", "-nostdlib", "kernel.s", "-o", "kernel.so"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"kernel '{name}': the compiler failed with status {done.returncode}: {' '.join(command)}\n"
                               f"{done.stderr.strip()}")
        return (folder / "kernel.so").read_bytes()


def _compiler() -> str:
    """Returns the compiler that PyTorch uses for the package's code."""
    from torch._inductor.cpp_builder import get_cpp_compiler
    return str(get_cpp_compiler())


def _source(name: str, slots: list[int], size: int) -> str:
    """Returns the assembly of a PackagedKernel, in the order of its fields. It is written, so it is in `.data`."""
    padded = -(-4 * len(slots) // 16) * 16
    numbers = "".join(f"  .long {slot}\n" for slot in slots)
    return (f"  .data\n  .balign 16\n  .globl {name}\n  .type {name}, %object\n{name}:\n"
            f"  .quad {_MAGIC}, {size}, 0\n  .long {len(slots)}, {padded}\n{numbers}  .balign 16\n"
            f'  .incbin "kernel.pumice"\n  .size {name}, . - {name}\n  .section .note.GNU-stack,"",%progbits\n')


@functools.cache
def launcher_object() -> bytes:
    """Returns the launcher of all kernels.

    Raises:
        RuntimeError: If this build of Pumice lacks it.
    """
    from pumice import _native
    file = pathlib.Path(_native.libraries()[1]).parent / _LAUNCHER
    try:
        return file.read_bytes()
    except OSError as error:
        raise RuntimeError(f"packages of AOTInductor need {_LAUNCHER}, which cannot be read: {error}; install the wheel "
                           "of Pumice for Linux again") from error
