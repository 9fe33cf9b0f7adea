"""Runs Triton's own passes on a kernel, before Pumice's compiler takes it."""
from __future__ import annotations

from typing import Any

from . import versions

_MOST_WARPS = 64  # the compiler's limit: no device has larger workgroups


def make_ttir(module: Any, num_warps: int | None = None, layout_seed: int = 0, overlap: bool = False,
              check: int = 0) -> Any:
    """Runs Triton's passes on a module, and writes Pumice's options into it as attributes.

    Args:
        module: The module that Triton's front end made. It is changed in place.
        num_warps: What the launch asks for. GPUs follow it as far as they can.
        layout_seed: The seed of random layouts, for tests of the compiler; 0 for good ones.
        overlap: Whether arguments may share memory that the kernel writes.
        check: What the kernel looks for in its own accesses, as bits (checking.py).

    Returns:
        `module`.
    """
    from triton._C.libtriton import ir, passes
    manager = ir.pass_manager(module.context)
    manager.enable_debug()
    passes.common.add_inliner(manager)
    versions.add_rewrite_tensor_pointer(passes, manager)
    # Descriptors stay: Pumice lowers them itself, since it knows more about them.
    passes.common.add_canonicalizer(manager)
    passes.ttir.add_combine(manager)
    passes.ttir.add_reorder_broadcast(manager)
    passes.common.add_cse(manager)
    passes.common.add_symbol_dce(manager)
    passes.ttir.add_loop_unroll(manager)
    manager.run(module, "make_ttir")
    if num_warps is not None:
        module.set_attr("tt.num_warps", ir.builder(module.context).get_int32_attr(min(num_warps, _MOST_WARPS)))
    if layout_seed:
        module.set_attr("tt.layout_seed", ir.builder(module.context).get_int32_attr(layout_seed))
    if check:
        module.set_attr("tt.check", ir.builder(module.context).get_int32_attr(check))
    if overlap:
        module.set_attr("tt.overlap", ir.builder(module.context).get_int32_attr(1))
    return module
