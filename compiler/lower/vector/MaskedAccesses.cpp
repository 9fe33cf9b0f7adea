//===- MaskedAccesses.cpp - lowers masked accesses --------------------------===//
//   before: %v = vector.gather %m[%i] [%at], %mask, %else : … into vector<4xf32>
//   after:  for each of the four elements
//           %e = scf.if %mask[k] { memref.load %m[%i + %at[k]] } else { %else[k] }
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/LowerVectors.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::lower;

namespace {
/// Returns `indices` with the numbers in `at` added to the last of them.
SmallVector<Value> indicesAt(OpBuilder &builder, Location loc, ValueRange indices,
                             ArrayRef<int64_t> at) {
  SmallVector<Value> result(indices);
  size_t leading = result.size() - at.size();
  for (auto [i, offset] : llvm::enumerate(at))
    result[leading + i] = addConstant(builder, loc, result[leading + i], offset);
  return result;
}

/// Returns the known alignment of an element at position `at` after an aligned element.
IntegerAttr alignmentAt(IntegerAttr alignment, Type element, ArrayRef<int64_t> at) {
  bool inFirstRow = llvm::all_of(at.drop_back(), [](int64_t index) { return index == 0; });
  return inFirstRow ? alignmentAfter(alignment, element, at.back()) : nullptr;
}

Value fromElements(OpBuilder &builder, Location loc, VectorType type, ValueRange elements) {
  return vector::FromElementsOp::create(builder, loc, type, elements);
}

/// Returns whether every bit of `mask` is known to be set.
bool isAllSet(Value mask) {
  DenseElementsAttr bits;
  return matchPattern(mask, m_Constant(&bits)) && bits.isSplat() && bits.getSplatValue<bool>();
}

LogicalResult lowerMaskedLoad(RewriterBase &rewriter, vector::MaskedLoadOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  if (type.getRank() == 1 && isAllSet(op.getMask())) {
    rewriter.replaceOpWithNewOp<vector::LoadOp>(op, type, op.getBase(), op.getIndices(), BoolAttr(),
                                                op.getAlignmentAttr());
    return success();
  }
  SmallVector<Value> elements;
  forEach(type.getShape(), [&](ArrayRef<int64_t> at) {
    elements.push_back(valueIf(
        rewriter, loc, maskBit(rewriter, loc, op.getMask(), at),
        [&](OpBuilder &builder) -> Value {
          return memref::LoadOp::create(
              builder, loc, type.getElementType(), op.getBase(),
              indicesAt(builder, loc, op.getIndices(), at), BoolAttr(),
              alignmentAt(op.getAlignmentAttr(), type.getElementType(), at));
        },
        [&](OpBuilder &builder) { return extract(builder, loc, op.getPassThru(), at); }));
  });
  rewriter.replaceOp(op, fromElements(rewriter, loc, type, elements));
  return success();
}

LogicalResult lowerMaskedStore(RewriterBase &rewriter, vector::MaskedStoreOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  if (type.getRank() == 1 && isAllSet(op.getMask())) {
    rewriter.replaceOpWithNewOp<vector::StoreOp>(
        op, op.getValueToStore(), op.getBase(), op.getIndices(), BoolAttr(), op.getAlignmentAttr());
    return success();
  }
  forEach(type.getShape(), [&](ArrayRef<int64_t> at) {
    Value value = extract(rewriter, loc, op.getValueToStore(), at);
    doIf(rewriter, loc, maskBit(rewriter, loc, op.getMask(), at), [&](OpBuilder &builder) {
      memref::StoreOp::create(builder, loc, value, op.getBase(),
                              indicesAt(builder, loc, op.getIndices(), at), BoolAttr(),
                              alignmentAt(op.getAlignmentAttr(), type.getElementType(), at));
    });
  });
  rewriter.eraseOp(op);
  return success();
}

/// The place of the next element in memory, if elements that are masked off take no place.
class Compressed {
public:
  Compressed(ValueRange indices) : indices(indices) {}

  ValueRange next() const { return indices; }

  /// Moves to the next place if `condition` holds.
  void advance(OpBuilder &builder, Location loc, Value condition) {
    Value on = addConstant(builder, loc, indices.back(), 1);
    indices.back() =
        condition ? builder.createOrFold<arith::SelectOp>(loc, condition, on, indices.back()) : on;
  }

private:
  SmallVector<Value> indices;
};

LogicalResult checkOneRow(Operation *op, VectorType type) {
  if (type.getRank() == 1)
    return success();
  return op->emitError() << "'" << op->getName() << "' of a " << type
                         << ": the position of a second row is not defined; use one row at a time";
}

LogicalResult lowerExpandLoad(RewriterBase &rewriter, vector::ExpandLoadOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  if (failed(checkOneRow(op, type)))
    return failure();
  Compressed place(op.getIndices());
  SmallVector<Value> elements;
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value bit = maskBit(rewriter, loc, op.getMask(), i);
    elements.push_back(valueIf(
        rewriter, loc, bit,
        [&](OpBuilder &builder) -> Value {
          return memref::LoadOp::create(builder, loc, op.getBase(), place.next());
        },
        [&](OpBuilder &builder) { return extract(builder, loc, op.getPassThru(), i); }));
    place.advance(rewriter, loc, bit);
  }
  rewriter.replaceOp(op, fromElements(rewriter, loc, type, elements));
  return success();
}

LogicalResult lowerCompressStore(RewriterBase &rewriter, vector::CompressStoreOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  if (failed(checkOneRow(op, type)))
    return failure();
  Compressed place(op.getIndices());
  for (int64_t i = 0; i < type.getDimSize(0); ++i) {
    Value value = extract(rewriter, loc, op.getValueToStore(), i);
    Value bit = maskBit(rewriter, loc, op.getMask(), i);
    doIf(rewriter, loc, bit, [&](OpBuilder &builder) {
      memref::StoreOp::create(builder, loc, value, op.getBase(), place.next());
    });
    place.advance(rewriter, loc, bit);
  }
  rewriter.eraseOp(op);
  return success();
}

/// Returns `indices` with the element of `vector` at position `at` added to the last index.
SmallVector<Value> indicesFrom(OpBuilder &builder, Location loc, ValueRange indices, Value vector,
                               ArrayRef<int64_t> at) {
  SmallVector<Value> result(indices);
  Value offset = extract(builder, loc, vector, at);
  if (!offset.getType().isIndex())
    offset = builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), offset);
  result.back() = builder.createOrFold<arith::AddIOp>(loc, result.back(), offset);
  return result;
}

LogicalResult lowerGather(RewriterBase &rewriter, vector::GatherOp op, Value mask) {
  Location loc = op.getLoc();
  VectorType type = op.getVectorType();
  SmallVector<Value> elements;
  forEach(type.getShape(), [&](ArrayRef<int64_t> at) {
    Value bit = both(rewriter, loc, maskBit(rewriter, loc, op.getMask(), at),
                     maskBit(rewriter, loc, mask, at));
    elements.push_back(valueIf(
        rewriter, loc, bit,
        [&](OpBuilder &builder) -> Value {
          return memref::LoadOp::create(
              builder, loc, type.getElementType(), op.getBase(),
              indicesFrom(builder, loc, op.getOffsets(), op.getIndices(), at), BoolAttr(),
              op.getAlignmentAttr());
        },
        [&](OpBuilder &builder) { return extract(builder, loc, op.getPassThru(), at); }));
  });
  rewriter.replaceOp(op, fromElements(rewriter, loc, type, elements));
  return success();
}

/// Stores the elements in order. If two elements have the same place, the later one remains.
LogicalResult lowerScatter(RewriterBase &rewriter, vector::ScatterOp op) {
  Location loc = op.getLoc();
  forEach(op.getVectorType().getShape(), [&](ArrayRef<int64_t> at) {
    Value value = extract(rewriter, loc, op.getValueToStore(), at);
    doIf(rewriter, loc, maskBit(rewriter, loc, op.getMask(), at), [&](OpBuilder &builder) {
      memref::StoreOp::create(builder, loc, value, op.getBase(),
                              indicesFrom(builder, loc, op.getOffsets(), op.getIndices(), at),
                              BoolAttr(), op.getAlignmentAttr());
    });
  });
  rewriter.eraseOp(op);
  return success();
}
} // namespace

LogicalResult pumice::lower::lowerMaskedAccess(RewriterBase &rewriter, Operation *op, Value mask) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::MaskedLoadOp op) { return lowerMaskedLoad(rewriter, op); })
      .Case([&](vector::MaskedStoreOp op) { return lowerMaskedStore(rewriter, op); })
      .Case([&](vector::ExpandLoadOp op) { return lowerExpandLoad(rewriter, op); })
      .Case([&](vector::CompressStoreOp op) { return lowerCompressStore(rewriter, op); })
      .Case([&](vector::GatherOp op) { return lowerGather(rewriter, op, mask); })
      .Case([&](vector::ScatterOp op) { return lowerScatter(rewriter, op); });
}
