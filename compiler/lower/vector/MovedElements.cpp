//===- MovedElements.cpp - finds the origin of moved elements ---------------===//
// A table describes an operation that only moves elements. It maps the elements of results to those
// of operands. One function for each operation fills the table, and one pattern rewrites all of
// these operations.
//
//   before: %t = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
//   after:  %v is (%a : vector<4xf32>, %b : vector<2xf32>), and %t is
//             vector.shuffle %a, %b [0, 3, 1, 4] : vector<4xf32>
//             vector.shuffle %a, %b [2, 5] : vector<2xf32>
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/SplitVectors.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::lower;

namespace {
using Origins = SmallVector<Origin>;
using Results = SmallVector<Origins>;

/// Returns the shape of a type. A scalar counts as a vector of rank 0.
ArrayRef<int64_t> shapeOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getShape() : ArrayRef<int64_t>();
}

int64_t sizeOf(Type type) { return computeProduct(shapeOf(type)); }

SmallVector<int64_t> coordinates(int64_t linear, ArrayRef<int64_t> shape) {
  return delinearize(linear, computeSuffixProduct(shape));
}

int64_t linearIndex(ArrayRef<int64_t> coordinates, ArrayRef<int64_t> shape) {
  return linearize(coordinates, computeSuffixProduct(shape));
}

/// Returns the table of one result. `origin` is called with the coordinates of each element.
Results fill(Type result, llvm::function_ref<Origin(ArrayRef<int64_t>)> origin) {
  Origins origins;
  ArrayRef<int64_t> shape = shapeOf(result);
  for (int64_t i = 0, end = sizeOf(result); i < end; ++i)
    origins.push_back(origin(coordinates(i, shape)));
  return {origins};
}

/// Returns the table of one result that consists of `count` consecutive elements of operand 0.
Results slice(int64_t first, int64_t count) {
  Origins origins;
  for (int64_t i = 0; i < count; ++i)
    origins.push_back({0, first + i});
  return {origins};
}

Results broadcastOrigins(vector::BroadcastOp op) {
  ArrayRef<int64_t> source = shapeOf(op.getSourceType());
  return fill(op.getType(), [&](ArrayRef<int64_t> at) -> Origin {
    SmallVector<int64_t> from(at.take_back(source.size()));
    for (auto [coordinate, size] : llvm::zip_equal(from, source))
      coordinate = size == 1 ? 0 : coordinate; // a dimension of size 1 is repeated
    return {0, linearIndex(from, source)};
  });
}

Results transposeOrigins(vector::TransposeOp op) {
  ArrayRef<int64_t> source = op.getSourceVectorType().getShape();
  return fill(op.getType(), [&](ArrayRef<int64_t> at) -> Origin {
    SmallVector<int64_t> from(at.size());
    for (auto [dim, sourceDim] : llvm::enumerate(op.getPermutation()))
      from[sourceDim] = at[dim];
    return {0, linearIndex(from, source)};
  });
}

Results shuffleOrigins(vector::ShuffleOp op) {
  // Whole rows move. A row consists of all dimensions after the first.
  int64_t firstRows = op.getV1VectorType().getRank() == 0 ? 1 : op.getV1VectorType().getDimSize(0);
  int64_t rowSize = sizeOf(op.getV1VectorType()) / firstRows;
  Origins origins;
  for (int64_t row : op.getMask()) {
    int operand = row < 0 ? -1 : row < firstRows ? 0 : 1;
    int64_t first = (operand == 1 ? row - firstRows : row) * rowSize;
    for (int64_t i = 0; i < rowSize; ++i)
      origins.push_back({operand, first + i});
  }
  return {origins};
}

/// Returns the first element at a static `position`, or nothing if the position is poison.
std::optional<int64_t> firstElement(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> start(position);
  if (llvm::any_of(start, [](int64_t index) { return index < 0; }))
    return std::nullopt;
  start.resize(shape.size(), 0);
  return linearIndex(start, shape);
}

std::optional<Results> extractOrigins(vector::ExtractOp op) {
  if (op.hasDynamicPosition())
    return std::nullopt;
  auto first = firstElement(op.getStaticPosition(), op.getSourceVectorType().getShape());
  int64_t count = sizeOf(op.getType());
  return first ? slice(*first, count) : Results{Origins(count)};
}

std::optional<Results> insertOrigins(vector::InsertOp op) {
  if (op.hasDynamicPosition())
    return std::nullopt;
  int64_t size = sizeOf(op.getType()), count = sizeOf(op.getValueToStoreType());
  auto first = firstElement(op.getStaticPosition(), op.getType().getShape());
  if (!first)
    return Results{Origins(size)};
  Origins origins;
  for (int64_t i = 0; i < size; ++i)
    origins.push_back(i >= *first && i < *first + count ? Origin{0, i - *first} : Origin{1, i});
  return Results{origins};
}

Results extractStridedOrigins(vector::ExtractStridedSliceOp op) {
  ArrayRef<int64_t> source = op.getSourceVectorType().getShape();
  return fill(op.getType(), [&](ArrayRef<int64_t> at) -> Origin {
    SmallVector<int64_t> from(at);
    for (auto [dim, offset, stride] : llvm::enumerate(op.getOffsets().getAsRange<IntegerAttr>(),
                                                      op.getStrides().getAsRange<IntegerAttr>()))
      from[dim] = offset.getInt() + from[dim] * stride.getInt();
    return {0, linearIndex(from, source)};
  });
}

Results insertStridedOrigins(vector::InsertStridedSliceOp op) {
  ArrayRef<int64_t> target = op.getDestVectorType().getShape();
  ArrayRef<int64_t> source = op.getSourceVectorType().getShape();
  Origins origins;
  for (int64_t i = 0, end = sizeOf(op.getType()); i < end; ++i)
    origins.push_back({1, i});
  int64_t leading = target.size() - source.size();
  for (int64_t i = 0, end = sizeOf(op.getSourceVectorType()); i < end; ++i) {
    SmallVector<int64_t> to(leading, 0);
    llvm::append_range(to, coordinates(i, source));
    for (auto [dim, offset] : llvm::enumerate(op.getOffsets().getAsRange<IntegerAttr>())) {
      int64_t inSource = static_cast<int64_t>(dim) - leading;
      int64_t stride = inSource < 0 ? 1 : cast<IntegerAttr>(op.getStrides()[inSource]).getInt();
      to[dim] = offset.getInt() + to[dim] * stride;
    }
    origins[linearIndex(to, target)] = {0, i};
  }
  return {origins};
}

Results interleaveOrigins(vector::InterleaveOp op) {
  Origins origins;
  for (int64_t i = 0, end = sizeOf(op.getResultVectorType()); i < end; ++i)
    origins.push_back({static_cast<int>(i % 2), i / 2});
  return {origins};
}

Results deinterleaveOrigins(vector::DeinterleaveOp op) {
  Results results(2);
  for (int64_t i = 0, end = sizeOf(op.getSourceVectorType()); i < end; ++i)
    results[i % 2].push_back({0, i});
  return results;
}

Results fromElementsOrigins(vector::FromElementsOp op) {
  Origins origins;
  for (unsigned i = 0; i < op.getNumOperands(); ++i)
    origins.push_back({static_cast<int>(i), 0});
  return {origins};
}

Results toElementsOrigins(vector::ToElementsOp op) {
  Results results;
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    results.push_back({{0, i}});
  return results;
}

/// Rewrites all operations above.
struct SplitMove final : ConversionPattern {
  SplitMove(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Results> origins = originsOf(op);
    if (!origins)
      return rewriter.notifyMatchFailure(op, "does not only move elements");
    SmallVector<SmallVector<Element>> sources;
    for (ValueRange pieces : operands)
      sources.push_back(elementsOf(pieces));
    SmallVector<SmallVector<Value>> replacements;
    for (auto [result, table] : llvm::zip_equal(op->getResults(), *origins)) {
      SmallVector<Element> elements;
      for (Origin origin : table)
        elements.push_back(origin.operand < 0 ? Element()
                                              : sources[origin.operand][origin.element]);
      replacements.push_back(gatherPieces(rewriter, op->getLoc(), result.getType(), elements));
    }
    rewriter.replaceOpWithMultiple(op, std::move(replacements));
    return success();
  }
};
} // namespace

std::optional<Results> pumice::lower::originsOf(Operation *op) {
  using Maybe = std::optional<Results>;
  return TypeSwitch<Operation *, Maybe>(op)
      .Case([](vector::BroadcastOp op) -> Maybe { return broadcastOrigins(op); })
      .Case([](vector::TransposeOp op) -> Maybe { return transposeOrigins(op); })
      .Case([](vector::ShapeCastOp op) -> Maybe { return slice(0, sizeOf(op.getType())); })
      .Case([](vector::ShuffleOp op) -> Maybe { return shuffleOrigins(op); })
      .Case([](vector::ExtractOp op) -> Maybe { return extractOrigins(op); })
      .Case([](vector::InsertOp op) -> Maybe { return insertOrigins(op); })
      .Case([](vector::ExtractStridedSliceOp op) -> Maybe { return extractStridedOrigins(op); })
      .Case([](vector::InsertStridedSliceOp op) -> Maybe { return insertStridedOrigins(op); })
      .Case([](vector::InterleaveOp op) -> Maybe { return interleaveOrigins(op); })
      .Case([](vector::DeinterleaveOp op) -> Maybe { return deinterleaveOrigins(op); })
      .Case([](vector::FromElementsOp op) -> Maybe { return fromElementsOrigins(op); })
      .Case([](vector::ToElementsOp op) -> Maybe { return toElementsOrigins(op); })
      .Default([](Operation *) -> Maybe { return std::nullopt; });
}

void pumice::lower::populateSplitMovePatterns(const TypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<SplitMove>(converter, patterns.getContext());
}
