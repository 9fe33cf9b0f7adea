//===- Pipeline.h - START HERE: every pass from kernel to SPIR-V, in order --===//
// `buildKernelPipeline` is the whole lowering of gpu.modules for their targets, as one readable
// list. Triton's kernels go through `buildTritonPipeline` and `buildTilePipeline` first. A comment
// at each pass says why it must be at this place.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/Addressing.h"
#include "compiler/target/TargetEnv.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pumice {

//===-------------------------------------------------------------------------===//
// Triton kernels
//===-------------------------------------------------------------------------===//

/// The execution resources of one program of a kernel.
struct TritonOptions {
  unsigned lanes = 16, subgroups = 1;
  unsigned accessBytes = 0;  // bytes that a lane's access moves at once; 0: one element
  bool hasAddresses = false; // arguments may become addresses if nothing else works
  uint64_t layoutSeed = 0;   // for tests: the seed of random layouts; 0: good layouts
  bool reportsLoads = false; // numbers loads, to report later where their values are kept
};

/// Returns the options that suit the target's devices best, for a kernel whose programs request
/// `warps` warps. CPUs get one subgroup. GPUs get one for each warp, within their limits.
TritonOptions tritonOptionsFor(const target::TargetEnv &target, unsigned warps);

/// i32 attribute of a module of Triton kernels: the `num_warps` of their launches. The default is
/// one.
inline constexpr char warpsAttrName[] = "tt.num_warps";

/// Integer attribute of such a module, for tests: the seed of random layouts of tensors, or 0.
inline constexpr char layoutSeedAttrName[] = "tt.layout_seed";

/// Attribute of a module, with any value. It says that its launches pass arguments that share
/// memory, and that kernels write some of that memory.
inline constexpr char overlapAttrName[] = "tt.overlap";

/// Appends the passes that turn a module of tt.func into one gpu.module of kernels on tiles.
void buildTritonPipeline(mlir::OpPassManager &pm, const TritonOptions &options);

struct TileOptions {
  bool overlap = false;      // arguments may share memory that the kernel writes
  bool reportsLoads = false; // kernels get an attribute that lower::tiles::takeLoadPlaces reads
};

/// Appends the passes that lower kernels on tiles to lanes. The kernels are in gpu.modules that
/// carry this target.
void buildTilePipeline(mlir::OpPassManager &pm, const target::TargetEnv &target,
                       const TileOptions &options = {});

//===-------------------------------------------------------------------------===//
// All kernels
//===-------------------------------------------------------------------------===//

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
