//===- Passes.td - passes from lane code to the SPIR-V dialect --------------===//
include "mlir/Pass/PassBase.td"

def ConvertToSpirv : Pass<"pumice-convert-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Convert every gpu.module of flattened kernels to a spirv.module";
  let description = [{
    MLIR's own patterns convert arithmetic. Pumice's patterns convert memory, the interface, ids,
    barriers, subgroup operations, atomics and matrices. No type changes silently: earlier passes
    legalize types that a target lacks, or `pumice-finalize-spirv` rejects them.
  }];
  let options = [Option<"indexBits", "index-bits", "unsigned", "32",
                        "width of index values: 32 or 64">];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def AddOffsets : Pass<"pumice-add-offsets", "::mlir::spirv::ModuleOp"> {
  let summary = "Compute addresses as sums, for targets with noNegativeIndices";
  let description = [{
    This applies to elements by address, unless their index is known to be positive.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def FinalizeSpirv : Pass<"pumice-finalize-spirv", "::mlir::spirv::ModuleOp"> {
  let summary = "Declare entry points and exactly the capabilities that a module needs";
  let description = [{
    Collects the requirements of every operation and type. If the target lacks one, the error is at
    the source location, and gives Vulkan's name of the feature. Float controls are declared if the
    target supports them. Afterwards `pumice.requirements` holds the module's requirements, by
    Vulkan's names.
  }];
}

def JoinHalves : Pass<"pumice-join-halves", "::mlir::spirv::ModuleOp"> {
  let summary = "Join two neighbouring halves of 16 bytes into one access";
  let description = [{
    This applies to narrow elements by address that are aligned to 16 bytes. Eight f16 are two
    vectors of four, which drivers access one by one. As four words, they are one access.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def SplitIntegers : Pass<"pumice-split-integers", "::mlir::spirv::ModuleOp"> {
  let summary = "Compute with vectors of integers number by number, for targets with noIntegerVectors";
  let description = [{
    This applies to modules with cooperative matrices.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def JoinWords : Pass<"pumice-join-words", "::mlir::spirv::ModuleOp"> {
  let summary = "Make workgroup memory of words an array of vectors of 16 bytes";
  let description = [{
    This applies to arrays of words that are stored and loaded as factors of matrices, if all indices
    show which word of a vector they mean. Four stores in a row become one, which drivers do not find
    out by themselves, since they do not know that the address is aligned.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}
