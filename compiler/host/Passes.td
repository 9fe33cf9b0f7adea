//===- Passes.td - host programs and the kernels that they launch -----------===//
include "mlir/Pass/PassBase.td"

def LowerHostGpu : Pass<"pumice-lower-host-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn host code and its gpu operations into the LLVM dialect and calls of the runtime";
  let description = [{
    Every host operation of the gpu dialect becomes one call

        llvm.call @pumice_host_launch(%site, %operands, %tokens, %count) : (i64, ptr, ptr, i64) -> ptr

    of a function named after it. `operands` is an array of pointers, each to a scalar or to the
    descriptor of a memref. `tokens` are the async dependencies. The call returns the token, or null
    if the operation is not async. The module's attribute `pumice.sites` has the constant facts, at
    index `site`. They are the operation, its source location, whether it is async, and the rank and
    bytes of each operand (`compiler/host/HostSites.h`).

    A `cf.assert` that fails calls `@pumice_host_fail`, which does not return.

    Modules of kernels (`gpu.module`, `spirv.module`) are erased, since they reach the device
    separately. Upstream's patterns convert all other operations for their dialects. Memory spaces
    mean nothing on the host: every pointer is in address space 0. The runtime finds out from a
    pointer's value what it points to.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
