//===- WorkgroupMemory.h - the workgroup memory of a distributed kernel -----===//
// The first attributions of a kernel are its own, which hold data for a long time. The attributions
// of trips follow. Each of those is in use only for a moment.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/MemoryTrip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower::tiles {

/// The number of attributions at the beginning of a kernel that no trip may use.
inline constexpr llvm::StringLiteral ownAttributionsAttrName = "tile.own_attributions";

/// Returns these attributions.
llvm::ArrayRef<mlir::BlockArgument> ownAttributions(mlir::gpu::GPUFuncOp func);

/// Adds one more of them, for `count` elements.
void addOwnAttribution(mlir::gpu::GPUFuncOp func, mlir::Type element, uint64_t count);

/// Returns the memory that the target has, if the module names one.
tile::WorkgroupMemory workgroupMemory(mlir::gpu::GPUModuleOp module);

/// Returns the bytes of it that products of fragments may take: conversions go in pieces, if little
/// is left.
inline uint64_t bytesForFragments(const tile::WorkgroupMemory &all) { return all.bytes / 4 * 3; }

/// Lets the largest attribution of each type serve all trips, and removes the others. Returns the
/// bytes that the kernel takes.
uint64_t shareWorkgroupMemory(mlir::gpu::GPUFuncOp func);

} // namespace pumice::lower::tiles
