//===- Passes.td - from lane code to the SPIR-V dialect ---------------------===//
include "mlir/Pass/PassBase.td"

def ConvertToSpirv : Pass<"pumice-convert-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Convert every gpu.module of flattened kernels to a spirv.module";
  let description = [{
    Arithmetic goes through MLIR's own patterns; memory, interface, ids, barriers, subgroup
    operations, atomics and matrices are ours. No type changes without a word: whatever a target
    lacks was legalized before, or is refused by `pumice-finalize-spirv`.
  }];
  let options = [Option<"indexBits", "index-bits", "unsigned", "32",
                        "width of index values: 32 or 64">];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}
