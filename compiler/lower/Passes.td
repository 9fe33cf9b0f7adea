//===- Passes.td - passes that stay within gpu, arith, math, scf, memref ----===//
// Each lowers one thing for the target that its gpu.module carries. In alphabetical order; the
// order in which they run stands in compiler/Pipeline.cpp.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

def InlineCalls : Pass<"pumice-inline-calls", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Inline every call between device functions";
  let description = [{
    A kernel becomes one function. Recursion, which neither SPIR-V shaders nor this pass can
    express, is refused at the call. Functions that no kernel needs are gone afterwards.
  }];
}
