//===- Pipeline.h - START HERE: every pass from kernel to SPIR-V, in order --===//
// `buildKernelPipeline` is the whole lowering of gpu.modules for their targets, as one readable
// list. A comment at each pass says why it must be at this place.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/Addressing.h"
#include "compiler/target/TargetEnv.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pumice {

/// Options that a user may choose in addition to the target. The target environment determines
/// everything else.
struct KernelOptions {
  Addressing addressing = Addressing::Automatic;
  unsigned indexBits = 32;
  /// Reject cooperative-matrix operations that the target lacks, instead of emulating them.
  bool requireNativeMatrices = false;
};

/// Appends the passes that turn gpu.modules with a target into spirv.modules.
void buildKernelPipeline(mlir::OpPassManager &pm, const KernelOptions &options);

} // namespace pumice
