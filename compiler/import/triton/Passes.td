//===- Passes.td - passes on what Triton's text becomes ---------------------===//
include "mlir/Pass/PassBase.td"

def InlineTritonCalls : Pass<"pumice-inline-triton-calls", "::mlir::ModuleOp"> {
  let summary = "Make one function of every kernel";
  let description = [{
    Also of functions that their author wants kept (`noinline`), and of those that a reduction's region
    calls. Functions that call each other in a circle are refused, and calls that would make more than
    a million operations of a kernel. What is copied keeps its line, called at the caller's line.
  }];
}

def LowerDescriptors : Pass<"pumice-lower-descriptors", "::mlir::ModuleOp"> {
  let summary = "Turn tensor descriptors into pointers and masks";
  let description = [{
    Triton's own pass for this makes every offset an i64 and forgets that the last stride is one. Here
    a block's first element is found in scalars, and offsets along the last dimension stay i32 and
    consecutive. What lies beyond the edges is masked, and read as zero or NaN.

    A descriptor that is a kernel's argument becomes a pointer, which 16 divides, and for floats an
    i1 after it, with the attribute `pumice.pads_with_nan`; its shape and strides follow, as they did.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::ub::UBDialect"];
}

def PrintIndexFacts : Pass<"pumice-print-index-facts", "::mlir::ModuleOp"> {
  let summary = "Say what is known of each integer and pointer: contiguity, constancy, divisibility";
  let description = [{
    A remark at each operation that has such a result, and at each loop for its variables. Runs of
    equal or consecutive elements, and what divides the first of each, stand for each dimension; then
    what setting each bit of the index adds to the value, from the lowest bit on (`?`: it depends). Of
    pointers, runs are in elements, all else in bytes. The module stays as it is.
  }];
}

def StructureTriton : Pass<"pumice-structure-triton", "::mlir::ModuleOp"> {
  let summary = "Turn branches into scf: what early returns leave";
  let description = [{
    Of every region in functions, those of `tt.reduce`, `tt.scan` and `tt.map_elementwise` too. Each
    then has one block. What a branch skips becomes the other side of an `scf.if`; values that one
    side alone has are `ub.poison` on the other.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}
