//===- TilePatterns.h - patterns that turn tile operations into lane code ---===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/LaneCode.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace pumice::lower::tiles {

/// Returns an emitter of lane code at an operation on tensors of this layout.
inline LaneCode laneCode(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op,
                         const tile::LinearLayout &layout) {
  return LaneCode(rewriter, op->getLoc(), 1u << layout.input(tile::laneSpace).bits);
}

/// Returns the number of registers that each lane has for a tensor.
inline unsigned registerCount(const tile::LinearLayout &layout) {
  return 1u << layout.input(tile::registerSpace).bits;
}

/// Returns the memory of an element, and its index there. The element is `offset` elements after
/// `base`, or at the address `offset` if `base` is null.
std::pair<mlir::Value, mlir::Value> placeOf(mlir::OpBuilder &b, mlir::Location loc,
                                            mlir::Value base, mlir::Value offset,
                                            mlir::Type element);

/// Returns the number n of a lane's registers that one access can cover. The n registers from each
/// multiple of n on are contiguous in memory, aligned, and share their mask. An attribute of the
/// access promises this, as far as the layout preserves it.
uint64_t registersAtOnce(mlir::Operation *access, const tile::LinearLayout &layout);

/// Returns the layout that a factor (0 or 1) needs if each lane computes its results by itself.
Result<tile::LinearLayout> factorLayout(tile::DotOp product, unsigned which);

/// Reports a plan's failure as an error of the operation.
inline mlir::LogicalResult refuse(mlir::Operation *op, const Status &status) {
  return op->emitOpError() << status.message();
}

void addElementwisePatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
/// Adds patterns for ranges, loads and stores. With `asksForInterior`, each lane first tests
/// whether all its masks hold. If so, it accesses all elements without further branches.
void addMemoryPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                       bool asksForInterior);
void addArrayPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
/// Marks prints in combining regions: each lane prints its own combinations, unless it holds copies
/// of other lanes' elements. This runs before patterns replace the regions.
void markEachLanesPrints(mlir::Operation *root);
void addDebugPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void addViewPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void addAtomicPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                       const tile::WorkgroupMemory &memory);
void addProductPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                        const tile::WorkgroupMemory &memory);
/// Adds the pattern for products whose results are held as fragments. Their factors may take
/// `bytes` of workgroup memory.
void addFragmentPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                         uint64_t bytes);
/// Adds patterns for the parts of pipelined products.
void addStagePatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
void addMovementPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns,
                         const tile::WorkgroupMemory &memory);

/// The base of patterns whose plans depend on the target's workgroup memory.
template <typename Op> struct MovementPattern : mlir::OpConversionPattern<Op> {
  MovementPattern(const mlir::TypeConverter &types, mlir::MLIRContext *context,
                  const tile::WorkgroupMemory &memory)
      : mlir::OpConversionPattern<Op>(types, context), memory(memory) {}
  tile::WorkgroupMemory memory;
};

} // namespace pumice::lower::tiles
