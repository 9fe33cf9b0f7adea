//===- Pipeline.h - START HERE: every pass from kernel to SPIR-V, in order --===//
// `buildKernelPipeline` is the whole lowering of gpu.modules for the targets they carry, as one
// readable list; each ordering rule stands beside the pass it concerns.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace pumice {

/// How kernels reach their buffers: two ways to address memory, one IR.
enum class Addressing {
  Automatic,   // physical where the target has buffer device addresses, else descriptors
  Physical,    // 64-bit device addresses in one parameter block
  Descriptors, // one storage-buffer binding a buffer
};

/// MLIR's verifier takes as long as half of the passes together: where assertions are on it runs
/// after each of them (pumice-opt's tests of each pass have it in any build), else after the last
/// of a list.
#ifdef NDEBUG
inline constexpr bool verifiesEachPass = false;
#else
inline constexpr bool verifiesEachPass = true;
#endif

/// What a user may choose beyond the target; everything else follows from the target environment.
struct KernelOptions {
  Addressing addressing = Addressing::Automatic;
  unsigned indexBits = 32;
  /// Refuse cooperative-matrix operations that the target lacks, instead of emulating them.
  bool requireNativeMatrices = false;
};

/// Appends the passes that take a module whose gpu.modules carry a target to spirv.modules.
void buildKernelPipeline(mlir::OpPassManager &pm, const KernelOptions &options);

/// Every dialect that a kernel, or a step of its lowering, may hold.
void registerDialects(mlir::DialectRegistry &registry);

/// Every pass and pipeline of ours, for pumice-opt.
void registerPasses();

} // namespace pumice
