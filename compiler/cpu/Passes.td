//===- Passes.td - from SPIR-V to SIMD code ---------------------------------===//
// In alphabetical order; docs/cpu-compiler.md has them in the order in which they run.
//===-------------------------------------------------------------------------===//
include "mlir/Pass/PassBase.td"

