//===- Passes.td - from SPIR-V to SIMD code ---------------------------------===//
// In alphabetical order; docs/cpu-compiler.md has them in the order in which they run.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"


def LanesToSimd : Pass<"pumice-lanes-to-simd", "::mlir::ModuleOp"> {
  let summary = "Execute structured lane kernels a subgroup at a time, on vectors";
  let description = [{
    Every `func.func` with `lane.kernel` becomes an `llvm.func` as executable/NativeCode.h calls it:
    loops over workgroups, the segments between barriers, and subgroups; uniform values as scalars,
    others as vectors with a lane each; divergent control flow by masks. docs/cpu-compiler.md has
    the attributes that the function carries for whoever makes an object of it.

    What remains are operations of llvm, arith and math on scalars and vectors.
  }];
  let options = [
    Option<"width", "width", "unsigned", "16",
           "lanes of a subgroup, where a kernel has no lane.subgroup_size">,
    Option<"annotateOnly", "annotate-only", "bool", "false",
           "write what the analysis finds into attributes, and change nothing else">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect"];
}
