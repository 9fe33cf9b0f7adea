//===- WorkgroupMemory.h - the workgroup memory of a distributed kernel -----===//
// Workgroup memory consists of attributions of the kernel. The first ones are the kernel's own, and
// hold data for a long time. The others are for trips through memory. Each trip uses its
// attribution only briefly.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/MemoryTrip.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace pumice::lower::tiles {

/// The number of attributions at the beginning of a kernel that no trip may use.
inline constexpr llvm::StringLiteral ownAttributionsAttrName = "tile.own_attributions";

/// Returns the kernel's own attributions.
llvm::ArrayRef<mlir::BlockArgument> ownAttributions(mlir::gpu::GPUFuncOp func);

/// Returns the bytes of the kernel's own attributions.
uint64_t ownBytes(mlir::gpu::GPUFuncOp func);

/// Adds an attribution of the kernel's own for `count` elements.
void addOwnAttribution(mlir::gpu::GPUFuncOp func, mlir::Type element, uint64_t count);

/// Returns the workgroup memory of the module's target, or a default if it has none.
tile::WorkgroupMemory workgroupMemory(mlir::gpu::GPUModuleOp module);

/// Returns the bytes that products of fragments may take. Conversions use the rest. If it is small,
/// they move tensors in more pieces.
inline uint64_t bytesForFragments(const tile::WorkgroupMemory &all) { return all.bytes / 4 * 3; }

/// Makes all trips of a type share its largest attribution, and removes the others. Returns the
/// bytes of workgroup memory that the kernel takes.
uint64_t shareWorkgroupMemory(mlir::gpu::GPUFuncOp func);

} // namespace pumice::lower::tiles
