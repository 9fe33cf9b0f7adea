"""Reports what kernels request and Pumice ignores, once in a process: logger "pumice.triton", level debug.

A request is logged as a warning if ignoring it may keep a kernel from ending.
"""
from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .options import Options

LOGGER = logging.getLogger("pumice.triton")

_IN_ORDER = "launches run one after another"
_VENDORS = "it is meant for another vendor's compiler"

# Why each option is ignored, by the names in Options.
OPTIONS = {
    "num_stages": "the loads of a product are always prefetched one iteration ahead",
    "num_ctas": "there are no clusters: each program is one workgroup",
    "cluster_dims": "there are no clusters: each program is one workgroup",
    "maxnreg": "the device's own compiler chooses how many registers a lane has",
    "launch_pdl": _IN_ORDER,
    "launch_cooperative_grid": "programs may not all run at the same time, so a barrier across the grid may deadlock",
    "max_num_imprecise_acc_default": "sums of products have all bits of their type",
    **dict.fromkeys(("waves_per_eu", "matrix_instr_nonkdim", "kpack", "schedule_hint", "ptx_version", "ptx_options",
                     "enable_reflect_ftz", "sched4reg", "clc", "min_shared_mem", "allow_flush_denorm",
                     "llvm_fn_attrs", "wgp_cu_mode", "extern_libs", "fpsan_homomorphic_casts",
                     "instrumentation_mode"), _VENDORS),
}

# Hints in Triton's text: (the hint, its pattern, why it is ignored). Triton 3.9 writes policies differently.
TEXTS = [(name, re.compile(pattern), reason) for name, pattern, reason in (
    ("cache_modifier", r"cacheModifier = (\w+)|cache_modifier = (?!none)(\w+)", "devices decide what their caches keep"),
    ("eviction_policy", r"evictionPolicy = (\w+)|eviction_policy = (?!normal)(\w+)",
     "devices decide what their caches keep"),
    ("num_stages of a loop", r"tt\.num_stages = (\d+)", OPTIONS["num_stages"]),
    ("warp_specialize", r"tt\.warp_specialize\b(?! = false)", "all warps of a program do the same work"),
    ("flatten", r"tt\.flatten\b", "nested loops stay as they are"),
    ("disallow_acc_multi_buffer", r"tt\.disallow_acc_multi_buffer\b", "accumulators have one buffer each"),
)]

_told: set[str] = set()


def tell(metadata: Any, defaults: type[Options]) -> None:
    """Reports the requests of a compiled kernel that Pumice ignores.

    Args:
        metadata: The kernel's metadata, with the options of its launch.
        defaults: The class whose attributes are the options' defaults. A default is not a request.
    """
    if metadata.launch_cooperative_grid:
        _tell_once(metadata.name, "launch_cooperative_grid", True, OPTIONS["launch_cooperative_grid"], logging.WARNING)
    if not LOGGER.isEnabledFor(logging.DEBUG):
        return
    for name, reason in OPTIONS.items():
        value = getattr(metadata, name, None)
        value = tuple(value) if isinstance(value, list) else value
        if value is not None and value != getattr(defaults, name):
            _tell_once(metadata.name, name, value, reason)
    if metadata.target.backend == "cpu" and metadata.num_warps != defaults.num_warps:
        _tell_once(metadata.name, "num_warps", metadata.num_warps, "a program on the CPU is one subgroup")
    for name, pattern, reason in TEXTS:
        found = pattern.search(metadata.ttir)
        if found:
            _tell_once(metadata.name, name, next(filter(None, found.groups()), None), reason)


def _tell_once(kernel: str, name: str, value: Any, reason: str, level: int = logging.DEBUG) -> None:
    """Logs that an option changes nothing, unless this process has logged it before."""
    if name not in _told:
        _told.add(name)
        given = name if value is None else f"{name} = {value}"
        LOGGER.log(level, "kernel '%s': %s has no effect: %s", kernel, given, reason)
