//===- TritonPipeline.h - every pass from a Triton kernel to lanes, in order -===//
// The list of passes is in Pipeline.cpp, before the list for all kernels.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace pumice {

/// The execution resources of one program of a kernel.
struct TritonOptions {
  unsigned lanes = 16, subgroups = 1;
  unsigned accessBytes = 0;  // bytes that a lane's access moves at once; 0: one element
  bool hasAddresses = false; // arguments may become addresses if that is the only way
  uint64_t layoutSeed = 0;   // for tests: the seed of random layouts; 0: good layouts
  bool reportsLoads = false; // loads are numbered, to report later where their values are kept
};

/// Returns the options that suit the target's devices best, for a kernel that hints at `warps`
/// warps for a program. CPUs have one subgroup. GPUs have as many as there are warps, within their
/// limits.
TritonOptions tritonOptionsFor(const target::TargetEnv &target, unsigned warps);

/// An i32 of a module of Triton kernels: `num_warps` of their launches. The default is one.
inline constexpr char warpsAttrName[] = "tt.num_warps";

/// An integer of such a module, for tests: the seed of random layouts of tensors, or 0.
inline constexpr char layoutSeedAttrName[] = "tt.layout_seed";

/// Attribute of a module, with any value. Its launches pass arguments that share memory, and some
/// of that memory is written.
inline constexpr char overlapAttrName[] = "tt.overlap";

/// Appends the passes that take a module of tt.func to one gpu.module of kernels on tiles.
void buildTritonPipeline(mlir::OpPassManager &pm, const TritonOptions &options);

struct TileOptions {
  bool overlap = false;      // arguments may share memory that the kernel writes
  bool reportsLoads = false; // kernels get an attribute that lower::tiles::takeLoadPlaces reads
};

/// Appends the passes that lower kernels on tiles to lanes. The kernels are in gpu.modules that
/// carry this target.
void buildTilePipeline(mlir::OpPassManager &pm, const target::TargetEnv &target,
                       const TileOptions &options = {});

} // namespace pumice
