//===- Passes.td - SPIR-V's functions, made flat and whole ------------------===//
include "mlir/Pass/PassBase.td"

def FlattenSpirv : Pass<"pumice-flatten-spirv", "::mlir::ModuleOp"> {
  let summary = "Turn spirv.modules with structured control flow into flat functions";
  let description = [{
    What `spirv.mlir.selection` and `spirv.mlir.loop` enclose becomes blocks of the function: a
    header's terminator names its merge block, and a loop's continue block, by the number of their
    `lane.label`. Results of the regions become arguments of the merge block. `spirv.module` gives
    its functions and variables to the builtin module, entry points and execution modes become
    attributes of their functions, specialization constants ordinary constants: the form that the
    reader of binaries makes (docs/cpu-compiler.md).
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::spirv::SPIRVDialect",
                           "::pumice::lane::LaneDialect", "::pumice::spvx::SpvxDialect"];
}

def InlineSpirvCalls : Pass<"pumice-inline-spirv-calls", "::mlir::ModuleOp"> {
  let summary = "Make one function of every entry point";
  let description = [{
    A call becomes a branch to the callee's blocks, with `lane.merge` alone: a scope, whose merge
    block is what followed the call. The callee's returns are branches to it, which pass the result
    as its argument. Functions that call each other in a circle are refused. Functions that are no
    entry points, and variables that nothing uses, are erased.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::pumice::lane::LaneDialect"];
}
