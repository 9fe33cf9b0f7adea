"""The options that a launch, `kernel[grid](…, num_warps=8)`, may set."""
from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any

from . import versions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from triton.backends.compiler import GPUTarget


@dataclasses.dataclass(frozen=True)
class Options:
    """Options by Triton's names. Hints that a device cannot use are accepted and ignored."""
    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 2
    cluster_dims: tuple[int, ...] = (1, 1, 1)
    enable_fp_fusion: bool = True  # makes no difference: products and sums are never fused
    launch_cooperative_grid: bool = False
    extern_libs: tuple[Any, ...] = ()
    debug: bool = False
    sanitize_overflow: bool = True  # only matters if `debug` is set
    backend_name: str = ""
    arch: str = ""
    supported_fp8_dtypes: tuple[str, ...] = ("fp8e4nv", "fp8e4b8", "fp8e4b15", "fp8e5", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: tuple[str, ...] = ()
    default_dot_input_precision: str = "ieee"
    allowed_dot_input_precisions: tuple[str, ...] = ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    layout_seed: int = 0  # Nonzero: random layouts, to test the compiler.
    overlap: bool = False  # Whether arguments share memory that the kernel writes; launches detect this.
    check: int = 0  # The mistakes in its own accesses that the kernel detects (checking.py).
    instrumentation_mode: str = ""
    ir_override: str | None = None
    # Options of other back ends, which many kernels' configurations set.
    maxnreg: int | None = None
    waves_per_eu: int = 0
    matrix_instr_nonkdim: int = 0
    kpack: int = 1
    schedule_hint: str = "none"
    launch_pdl: bool = False
    fpsan_homomorphic_casts: bool = False  # belongs to an instrumentation that Pumice lacks
    warp_size: int = 32  # Triton 3.9 reads it from a kernel's metadata
    ptx_options: str | None = None
    ptx_version: int | None = None
    enable_reflect_ftz: bool = True
    sched4reg: bool = False
    clc: bool = False
    min_shared_mem: int | None = None
    allow_flush_denorm: bool = False
    llvm_fn_attrs: str = ""
    wgp_cu_mode: str = "wgp"

    def __post_init__(self) -> None:
        if not isinstance(self.num_warps, int):
            raise TypeError(f"num_warps is {self.num_warps!r}; expected a number")
        if self.num_warps < 1 or self.num_warps & (self.num_warps - 1):
            raise ValueError(f"num_warps is {self.num_warps}; expected a power of two")
        # A cluster computes the same as one program, so a device without clusters can ignore the option.
        if not isinstance(self.num_ctas, int) or self.num_ctas < 1 or self.num_ctas & (self.num_ctas - 1):
            raise ValueError(f"num_ctas is {self.num_ctas!r}; expected a power of two")

        for name in ("num_stages", "maxnreg"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or value < 0):
                error = ValueError if isinstance(value, int) else TypeError
                raise error(f"{name} is {value!r}; expected a whole number of 0 or more. It has no effect here: leave it out")

    @classmethod
    def of(cls, given: Mapping[str, Any], target: GPUTarget) -> Options:
        """Makes options out of all arguments of a kernel's call, the kernel's own among them.

        Args:
            given: The arguments by name. None means the default, as on CUDA.
            target: What the kernel is compiled for.

        Raises:
            TypeError: If a value has the wrong type.
            ValueError: If a value is out of range.
        """
        names = {field.name for field in dataclasses.fields(cls)}
        known: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value
                                 for name, value in given.items() if name in names and value is not None}
        # Without `debug`, Triton would emit the arithmetic of the checks, but not the checks.
        known["sanitize_overflow"] = known.get("sanitize_overflow", True) and known.get("debug", False)
        known["enable_fp_fusion"] = versions.fp_fusion(known.get("enable_fp_fusion"))
        known["warp_size"] = target.warp_size
        known.setdefault("arch", str(target.arch))
        known.setdefault("backend_name", target.backend)
        return cls(**known)

    def hash(self) -> str:
        """Returns the key of these options, for Triton's cache."""
        return hashlib.sha256(repr(self).encode()).hexdigest()
