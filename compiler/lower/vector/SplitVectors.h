//===- SplitVectors.h - vectors as pieces that a shader can hold ------------===//
// Shared by the files of pumice-split-vectors. A vector of any static shape is its elements in
// row-major order, cut into pieces of four. The last piece holds the remaining three, two or one; a
// single element is a scalar.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace pumice::lower {

/// Elements in a whole piece: the widest vector of a SPIR-V shader.
constexpr int64_t pieceWidth = 4;

/// True for types that a shader can hold: no vectors but those of rank 1 with 2, 3 or 4 elements.
bool isShaderType(mlir::Type type);

/// The type of `count` elements of `element`: the element itself when there is one.
mlir::Type pieceType(mlir::Type element, int64_t count);

/// Returns the types of the pieces of `type`. Returns `type` itself if it is not a vector.
llvm::SmallVector<mlir::Type> pieceTypes(mlir::Type type);

/// One element of a value: the value itself when that is a scalar. No value: any element will do.
struct Element {
  mlir::Value source;
  int64_t index = 0;
  bool operator==(const Element &) const = default;
};

/// The elements of all `pieces`, in order. Looks through what only moves elements, so that long
/// chains of movements cost nothing.
llvm::SmallVector<Element> elementsOf(mlir::ValueRange pieces);

/// A value of shader type `type` that holds `elements`; reuses a value that holds them already.
mlir::Value gather(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                   llvm::ArrayRef<Element> elements);

/// `elements` as the pieces that stand for a value of `type`.
llvm::SmallVector<mlir::Value> gatherPieces(mlir::OpBuilder &builder, mlir::Location loc,
                                            mlir::Type type, llvm::ArrayRef<Element> elements);

/// Where an element of a result comes from: an operand and its row-major element. A negative
/// operand: from nowhere (poison).
struct Origin {
  int operand = -1;
  int64_t element = 0;
};

/// For an operation that only moves elements between places known now: the origin of each element
/// of each result. Nothing for any other operation.
std::optional<llvm::SmallVector<llvm::SmallVector<Origin>>> originsOf(mlir::Operation *op);

/// Returns whether an operation treats each element alike and keeps its position. These are
/// element-wise operations, operations between the lanes of a subgroup, and poison.
bool isPiecewise(mlir::Operation *op);

/// True for operations that pumice-split-vectors has a pattern for.
bool canSplit(mlir::Operation *op);

void populateSplitMovePatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateSplitDynamicPatterns(const mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

} // namespace pumice::lower
