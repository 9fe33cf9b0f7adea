//===- SplitVectors.h - vectors as pieces for shaders -----------------------===//
// The files of pumice-split-vectors share this. A vector of any static shape becomes its elements
// in row-major order, cut into pieces of four. The last piece holds the remaining three, two or
// one. A single element is a scalar.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/DialectConversion.h"

namespace pumice::lower {

/// The number of elements of a whole piece, which is the widest vector of a SPIR-V shader.
constexpr int64_t pieceWidth = 4;

/// Returns whether a shader supports the type. Shaders have no vectors except those of rank 1 with
/// 2, 3 or 4 elements.
bool isShaderType(mlir::Type type);

/// Returns the type of `count` elements of `element`. A single element is a scalar.
mlir::Type pieceType(mlir::Type element, int64_t count);

/// Returns the types of the pieces of `type`. Returns `type` itself if it is not a vector.
llvm::SmallVector<mlir::Type> pieceTypes(mlir::Type type);

/// One element of a value, or the value itself if it is a scalar. Null means that any element will
/// do.
struct Element {
  mlir::Value source;
  int64_t index = 0;
  bool operator==(const Element &) const = default;
};

/// Returns the elements of all `pieces`, in order. Looks through operations that only move
/// elements, so that long chains of them cost nothing.
llvm::SmallVector<Element> elementsOf(mlir::ValueRange pieces);

/// Returns a value of the shader type `type` that holds `elements`. Reuses a value that already
/// holds them.
mlir::Value gather(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                   llvm::ArrayRef<Element> elements);

/// Returns `elements` as the pieces of a value of `type`.
llvm::SmallVector<mlir::Value> gatherPieces(mlir::OpBuilder &builder, mlir::Location loc,
                                            mlir::Type type, llvm::ArrayRef<Element> elements);

/// The origin of an element of a result: an operand, and the row-major position of an element in
/// it. A negative operand means poison.
struct Origin {
  int operand = -1;
  int64_t element = 0;
};

/// Returns the origin of each element of each result, for an operation that only moves elements
/// between places known at compile time. Returns nothing for other operations.
std::optional<llvm::SmallVector<llvm::SmallVector<Origin>>> originsOf(mlir::Operation *op);

/// Returns whether an operation treats all elements alike and keeps their positions. This is true
/// for element-wise operations, operations between the lanes of a subgroup, and poison.
bool isPiecewise(mlir::Operation *op);

/// Returns whether pumice-split-vectors has a pattern for the operation.
bool canSplit(mlir::Operation *op);

void populateSplitMovePatterns(const mlir::TypeConverter &converter,
                               mlir::RewritePatternSet &patterns);
void populateSplitDynamicPatterns(const mlir::TypeConverter &converter,
                                  mlir::RewritePatternSet &patterns);

} // namespace pumice::lower
