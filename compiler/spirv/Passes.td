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

def AddOffsets : Pass<"pumice-add-offsets", "::mlir::spirv::ModuleOp"> {
  let summary = "Compute addresses as sums, for targets with noNegativeIndices";
  let description = [{
    Of elements by address, whose index is not known to be positive.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def FinalizeSpirv : Pass<"pumice-finalize-spirv", "::mlir::spirv::ModuleOp"> {
  let summary = "Declare entry points and exactly the capabilities that a module needs";
  let description = [{
    Every operation and type says what it needs; what the target lacks is an error at its source
    location, named as Vulkan names it. Float controls are declared where the target has them.
    The module's needs stand in `pumice.requirements` afterwards, in Vulkan's names.
  }];
}

def JoinHalves : Pass<"pumice-join-halves", "::mlir::spirv::ModuleOp"> {
  let summary = "Make one access of two neighbouring halves of 16 bytes";
  let description = [{
    Of narrow elements, by address, aligned to 16 bytes: eight of f16 are two vectors of four, which
    drivers access one by one. As four words they are one access.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def SplitIntegers : Pass<"pumice-split-integers", "::mlir::spirv::ModuleOp"> {
  let summary = "Compute with vectors of integers number by number, for targets with noIntegerVectors";
  let description = [{
    In modules with cooperative matrices.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}
