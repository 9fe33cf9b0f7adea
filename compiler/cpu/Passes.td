//===- Passes.td - from SPIR-V to SIMD code ---------------------------------===//
// In alphabetical order; docs/cpu-compiler.md has them in the order in which they run.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"


def SpirvToLanes : Pass<"pumice-spirv-to-lanes", "::mlir::ModuleOp"> {
  let summary = "Turn each entry point into one invocation's work on scalars and addresses";
  let description = [{
    Every compute entry point of a spirv module (flat functions without calls) becomes a `func.func`
    of its name with the attribute `lane.kernel`: composite values are their scalars, pointers are
    addresses or paths into variables, instructions are arith, math and lane operations. Blocks and
    the marks of their headers stay. An instruction without a rule is refused by its name.

    What SPIR-V leaves undefined has a value here, never poison: integers divided by zero give all
    ones, and the dividend as remainder; the smallest integer by -1 wraps; shifts take their amount
    modulo the width; conversions from float to integer saturate, NaN gives 0; OpUndef and variables
    that were never set are 0.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::pumice::lane::LaneDialect"];
}
