//===- Passes.td - passes to and from the gen dialect -----------------------===//
// house-allow(pass-description): the three conversions have the names of MLIR's own conversions,
// which the proposal of the dialect uses in its pipelines.
include "mlir/Pass/PassBase.td"

def ConvertGenToLlvm : Pass<"convert-gen-to-llvm"> {
  let summary = "Convert the gen dialect to calls of OpenCL's built-in functions";
  let description = [{
    LLVM's SPIR-V backend turns the calls into instructions. Names are mangled as clang mangles
    those of OpenCL C. A function is declared in the module that calls it. Only constants are passed
    as dimensions: if a dimension is known only at run time, all three are queried, and one is
    selected. The results for other dimensions are those that OpenCL specifies.

    An index has the width that the module's data layout states, or 64 bits.
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of index: 32 or 64; 0 takes the data layout's">,
    Option<"spirCalls", "spir-calls", "bool", /*default=*/"false",
           "Call built-in functions with their own convention, spir_funccc, as is needed if their "
           "definitions are linked">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}
