//===- Frames.h - blocks of a tensor, and loops over them -------------------===//
// These functions only make code. FragmentLoops decides which blocks are computed where.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/loops/Slices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace pumice::lower::tiles {

/// A block of a tensor: its sizes, and the i32 coordinates of its start (null means 0).
struct Frame {
  Sizes sizes;
  llvm::SmallVector<mlir::Value> starts;
  bool operator==(const Frame &) const = default;
};

/// A nest of loops over the blocks of a shape.
struct Nest {
  Frame frame;
  llvm::SmallVector<mlir::scf::ForOp> loops; // outermost first; empty if there is only one block
};

/// Returns the frame of a whole tensor.
Frame wholeFrame(mlir::Value value);

/// Returns the type of a block of these sizes.
mlir::RankedTensorType sliceType(mlir::Type type, llvm::ArrayRef<uint64_t> sizes);

/// Makes loops over the blocks of a shape, and moves `b` into the innermost one, which carries
/// `carried`. `order` lists the dimensions, the outermost loop's first.
Nest makeNest(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<uint64_t> shape,
              llvm::ArrayRef<uint64_t> sizes, llvm::ArrayRef<unsigned> order,
              mlir::ValueRange carried = {});

/// Loads a block of a tensor of this type from the array that keeps it.
mlir::Value loadBlock(mlir::OpBuilder &b, mlir::Location loc, mlir::Value array,
                      mlir::RankedTensorType type, const Frame &frame);

/// Stores a block, `behind` registers after the start of the array.
void storeBlock(mlir::OpBuilder &b, mlir::Location loc, mlir::Value part, mlir::Value array,
                mlir::RankedTensorType type, const Frame &frame, uint64_t behind = 0);

} // namespace pumice::lower::tiles
