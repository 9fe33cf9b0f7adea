//===- Passes.td - passes on what Triton's text becomes ---------------------===//
include "mlir/Pass/PassBase.td"

def PrintIndexFacts : Pass<"pumice-print-index-facts", "::mlir::ModuleOp"> {
  let summary = "Say what is known of each integer and pointer: contiguity, constancy, divisibility";
  let description = [{
    A remark at each operation that has such a result, and at each loop for its variables. Runs of
    equal or consecutive elements, and what divides the first of each, stand for each dimension; then
    what setting each bit of the index adds to the value, from the lowest bit on (`?`: it depends). Of
    pointers, runs are in elements, all else in bytes. The module stays as it is.
  }];
}
