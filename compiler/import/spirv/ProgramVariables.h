//===- ProgramVariables.h - what lives as long as the program ----------------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

namespace mlir {
class ModuleOp;
}

namespace pumice::spirv_import {

/// OpenCL's variables of program scope: those of class CrossWorkgroup, and
/// constants that hold addresses or whose address a variable begins with. Kernels of one module
/// share their memory, so that the reader gives all of them, and in the same order, whichever entry
/// point it reads.
llvm::SmallVector<mlir::spirv::GlobalVariableOp> programVariables(mlir::ModuleOp module);

} // namespace pumice::spirv_import
