//===- Passes.td - host programs and the kernels that they launch -----------===//
include "mlir/Pass/PassBase.td"

def LowerHostGpu : Pass<"pumice-lower-host-gpu", "::mlir::ModuleOp"> {
  let summary = "Turn host code and its gpu operations into LLVM's dialect and calls of the runtime";
  let description = [{
    Every host operation of the gpu dialect becomes one call

        llvm.call @pumice_host_launch(%site, %operands, %tokens, %count) : (i64, ptr, ptr, i64) -> ptr

    of a function named after it. `operands` is an array of pointers: to a scalar, or to the
    descriptor of a memref. `tokens` are the async dependencies; what comes back is the token, or
    null from an operation that is not async. What is known beforehand stands in the module's
    attribute `pumice.sites`, at place `site`: the operation, where it stands in the source, whether
    it is async, and rank and bytes of each operand (`compiler/host/HostSites.h`).

    So does a `cf.assert` that does not hold: `@pumice_host_fail` does not come back.

    Modules of kernels (`gpu.module`, `spirv.module`) are erased: they go to the device another way.
    All other operations are converted by upstream's patterns for their dialects. Memory spaces mean
    nothing on the host: every pointer is in address space 0, and the runtime knows by its value what
    a pointer belongs to.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
