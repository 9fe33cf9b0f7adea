//===- TilePatterns.h - one tile operation as code of a lane ----------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/LaneCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace pumice::lower::tiles {

/// Makes lane code at an operation on tensors of this layout.
inline LaneCode laneCode(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                         const tile::LinearLayout &layout) {
  return LaneCode(rewriter, op->getLoc(), 1u << layout.input(tile::laneSpace).bits);
}

/// Returns the number of a lane's registers, which is one for a scalar.
inline unsigned registerCount(const tile::LinearLayout &layout) {
  return 1u << layout.input(tile::registerSpace).bits;
}

/// Returns the memory and the index in it of an element. The element is `offset` away from `base`,
/// or at the address `offset`.
std::pair<mlir::Value, mlir::Value> placeOf(mlir::OpBuilder &b, mlir::Location loc,
                                            mlir::Value base, mlir::Value offset,
                                            mlir::Type element);

/// Returns how many registers of a lane one access can cover. Starting at each multiple of this
/// number, they are contiguous in memory, aligned, and share their mask. This combines what the
/// access promises with what the layout preserves.
uint64_t registersAtOnce(mlir::Operation *access, const tile::LinearLayout &layout);

/// Returns the layout that a factor (0 or 1) needs if each lane makes the product by itself.
Result<tile::LinearLayout> factorLayout(tile::DotOp product, unsigned which);

/// Reports the failure of a plan as an error of the operation.
inline mlir::LogicalResult refuse(mlir::Operation *op, const Status &status) {
  return op->emitOpError() << status.message();
}

void addElementwisePatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
/// `asksForInterior`: a lane first tests whether all its masks hold. If so, it accesses all
/// elements without further branches.
void addMemoryPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                       bool asksForInterior);
void addArrayPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
/// Makes each lane print the elements that it combines itself, except in lanes that hold copies.
/// Runs before patterns take the combining regions apart.
void markEachLanesPrints(mlir::Operation *root);
void addDebugPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void addViewPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void addAtomicPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                       const tile::WorkgroupMemory &memory);
void addProductPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                        const tile::WorkgroupMemory &memory);
/// Lowers products whose results are held as fragments. `bytes` of workgroup memory are for their
/// factors.
void addFragmentPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                         uint64_t bytes);
void addMovementPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                         const tile::WorkgroupMemory &memory);

/// The base of patterns that move elements and plan with the target's workgroup memory.
template <typename Op> struct MovementPattern : mlir::OpConversionPattern<Op> {
  MovementPattern(const mlir::TypeConverter &types, mlir::MLIRContext *context,
                  const tile::WorkgroupMemory &memory)
      : mlir::OpConversionPattern<Op>(types, context), memory(memory) {}
  tile::WorkgroupMemory memory;
};

} // namespace pumice::lower::tiles
