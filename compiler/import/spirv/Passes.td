//===- Passes.td - passes on functions read from SPIR-V ---------------------===//
include "mlir/Pass/PassBase.td"

def FlattenSpirv : Pass<"pumice-flatten-spirv", "::mlir::ModuleOp"> {
  let summary = "Turn spirv.modules with structured control flow into flat functions";
  let description = [{
    The blocks in `spirv.mlir.selection` and `spirv.mlir.loop` become blocks of the function. The
    terminator of a header names its merge block, and a loop's continue block, by the number of
    their `lane.label`. Results of the regions become arguments of the merge block. Functions and
    variables move from `spirv.module` to the builtin module. Entry points and execution modes
    become attributes of their functions, and specialization constants become ordinary constants.
    The reader of binaries creates the same form (docs/cpu-compiler.md).
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::mlir::spirv::SPIRVDialect",
                           "::pumice::lane::LaneDialect", "::pumice::spvx::SpvxDialect"];
}

def InlineSpirvCalls : Pass<"pumice-inline-spirv-calls", "::mlir::ModuleOp"> {
  let summary = "Inline all calls, so that each entry point is one function";
  let description = [{
    A call becomes a branch to the callee's blocks. The branch has only `lane.merge`, whose merge
    block is the code after the call. The callee's returns become branches to that block, with the
    result as its argument. Recursive calls are rejected. Functions that are not entry points are
    erased, and so are unused variables.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect", "::pumice::lane::LaneDialect"];
}
