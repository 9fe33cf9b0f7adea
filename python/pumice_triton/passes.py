"""Triton's own passes that a kernel goes through before Pumice's compiler has it."""
from . import versions

_MOST_WARPS = 64  # that the compiler takes: no device has workgroups of more


def make_ttir(module, num_warps=None, layout_seed=0, overlap=False, check=0):
    """`num_warps`: what launches say, which GPUs follow as far as they go. It stands in the text, as the others do."""
    from triton._C.libtriton import ir, passes
    manager = ir.pass_manager(module.context)
    manager.enable_debug()
    passes.common.add_inliner(manager)
    versions.add_rewrite_tensor_pointer(passes, manager)
    # Descriptors stay: Pumice lowers them itself, with what is known of them.
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
