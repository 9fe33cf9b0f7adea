//===- Passes.td - from lane code to the SPIR-V dialect ---------------------===//
include "mlir/Pass/PassBase.td"

