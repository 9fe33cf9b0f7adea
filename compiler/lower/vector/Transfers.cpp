//===- Transfers.cpp - lowers transfers to rows and elements ----------------===//
//   before: %v = vector.transfer_read %m[%i, %j], %pad {in_bounds = [true, true]}
//                  : memref<?x?xf32>, vector<2x4xf32>
//   after:  %a = vector.load %m[%i, %j] : memref<?x?xf32>, vector<4xf32>
//           %b = vector.load %m[%i + 1, %j] : memref<?x?xf32>, vector<4xf32>
//           (both inserted into one vector)
//
// If all of a row is in bounds, it is loaded at once. Otherwise it is loaded element by element.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/LowerVectors.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::lower;

namespace {
/// Describes an access to a slice of a memref. Every dimension of `shape` runs along one dimension
/// of the memref, except for a broadcast dimension, which has size 1.
struct Slice {
  Location loc;
  Value memref;
  SmallVector<Value> indices;
  SmallVector<int64_t> shape; // the accessed shape, in which broadcast dimensions have size 1
  SmallVector<std::optional<unsigned>> dims; // the memref's dimension for each dimension of `shape`
  SmallVector<bool> inBounds;
  Value mask; // may be null; has the memref's dimensions that are used, in their order
  BoolAttr nontemporal;
  IntegerAttr alignment;

  MemRefType type() const { return cast<MemRefType>(memref.getType()); }
  bool isScalar() const { return !isa<VectorType>(type().getElementType()); }

  /// Returns whether the elements along the last dimension of `shape` are neighbours in memory.
  bool hasRows() const {
    return isScalar() && !shape.empty() && shape.back() > 1 && dims.back() &&
           *dims.back() + 1 == type().getRank() && type().isLastDimUnitStride();
  }

  SmallVector<Value> indicesAt(OpBuilder &builder, ArrayRef<int64_t> at) const {
    SmallVector<Value> result(indices);
    for (auto [dim, offset] : llvm::zip(dims, at))
      if (dim)
        result[*dim] = addConstant(builder, loc, result[*dim], offset);
    return result;
  }

  /// Returns whether dimension `i` of the slice is in bounds at `offset` elements after its start.
  /// Null means always. Negative indices fail the test, since they are compared as unsigned
  /// numbers.
  Value isInBounds(OpBuilder &builder, unsigned i, int64_t offset) const {
    if (!dims[i] || inBounds[i])
      return nullptr;
    Value index = addConstant(builder, loc, indices[*dims[i]], offset);
    Value size = builder.createOrFold<memref::DimOp>(loc, memref, *dims[i]);
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, index, size);
  }

  /// Returns whether the first `at.size()` dimensions are in bounds.
  Value isInBounds(OpBuilder &builder, ArrayRef<int64_t> at) const {
    Value result;
    for (auto [i, offset] : llvm::enumerate(at))
      result = both(builder, loc, result, isInBounds(builder, i, offset));
    return result;
  }

  Value bitAt(OpBuilder &builder, ArrayRef<int64_t> at) const {
    if (!mask)
      return nullptr;
    SmallVector<std::pair<unsigned, int64_t>> used; // sorted by the memref's dimension
    for (auto [dim, offset] : llvm::zip(dims, at))
      if (dim)
        used.push_back({*dim, offset});
    llvm::sort(used);
    SmallVector<int64_t> position =
        llvm::map_to_vector(used, [](auto pair) { return pair.second; });
    position.resize(cast<VectorType>(mask.getType()).getRank(), 0);
    return maskBit(builder, loc, mask, position);
  }

  IntegerAttr alignmentAt(ArrayRef<int64_t> at) const {
    SmallVector<int64_t> strides;
    int64_t offset, distance = 0;
    if (!alignment || failed(type().getStridesAndOffset(strides, offset)))
      return nullptr;
    for (auto [dim, index] : llvm::zip(dims, at)) {
      if (!dim || index == 0)
        continue;
      if (ShapedType::isDynamic(strides[*dim]))
        return nullptr;
      distance += strides[*dim] * index;
    }
    return alignmentAfter(alignment, type().getElementType(), distance);
  }

  /// Loads or stores a row or an element. If `value` is null, loads a value of `type`.
  Value access(OpBuilder &builder, ArrayRef<int64_t> at, Type type, Value value) const {
    SmallVector<Value> where = indicesAt(builder, at);
    bool isRow = isScalar() && isa<VectorType>(type);
    if (value && isRow)
      vector::StoreOp::create(builder, loc, value, memref, where, nontemporal, alignmentAt(at));
    else if (value)
      memref::StoreOp::create(builder, loc, value, memref, where, nontemporal, alignmentAt(at));
    else if (isRow)
      return vector::LoadOp::create(builder, loc, type, memref, where, nontemporal,
                                    alignmentAt(at));
    else
      return memref::LoadOp::create(builder, loc, type, memref, where, nontemporal,
                                    alignmentAt(at));
    return nullptr;
  }
};

/// A row of the slice. It is accessed at once if all of it is in bounds.
struct Row {
  SmallVector<int64_t> start; // the position of its first element
  int64_t size;
  VectorType type;

  SmallVector<int64_t> at(int64_t i) const {
    SmallVector<int64_t> position(start);
    position.back() += i;
    return position;
  }
};

/// Returns the condition that all elements of a row can be accessed. Null means always. Returns
/// nothing if a mask decides this for each element.
std::optional<Value> wholeRow(OpBuilder &builder, const Slice &slice, const Row &row) {
  unsigned last = slice.shape.size() - 1;
  Value first = slice.isInBounds(builder, last, 0);
  Value end = slice.isInBounds(builder, last, row.size - 1);
  Value leading = slice.isInBounds(builder, ArrayRef(row.start).drop_back());
  for (int64_t i = 0; i < row.size; ++i)
    if (slice.bitAt(builder, row.at(i)))
      return std::nullopt;
  return both(builder, slice.loc, leading, both(builder, slice.loc, first, end));
}

Value elementCondition(OpBuilder &builder, const Slice &slice, ArrayRef<int64_t> at) {
  return both(builder, slice.loc, slice.isInBounds(builder, at), slice.bitAt(builder, at));
}

Value readElement(OpBuilder &builder, const Slice &slice, ArrayRef<int64_t> at, Value padding) {
  return valueIf(
      builder, slice.loc, elementCondition(builder, slice, at),
      [&](OpBuilder &builder) {
        return slice.access(builder, at, slice.type().getElementType(), nullptr);
      },
      [&](OpBuilder &) { return padding; });
}

Value readRow(OpBuilder &builder, const Slice &slice, const Row &row, Value padding) {
  auto elements = [&](OpBuilder &builder) -> Value {
    SmallVector<Value> values;
    for (int64_t i = 0; i < row.size; ++i)
      values.push_back(readElement(builder, slice, row.at(i), padding));
    return vector::FromElementsOp::create(builder, slice.loc, row.type, values);
  };
  std::optional<Value> whole = wholeRow(builder, slice, row);
  if (!whole)
    return elements(builder);
  auto all = [&](OpBuilder &builder) {
    return slice.access(builder, row.start, row.type, nullptr);
  };
  // If only the leading dimensions decide, either all or no elements of the row are in bounds.
  if (slice.inBounds.back())
    return valueIf(builder, slice.loc, *whole, all, [&](OpBuilder &builder) -> Value {
      return vector::BroadcastOp::create(builder, slice.loc, row.type, padding);
    });
  return valueIf(builder, slice.loc, *whole, all, elements);
}

/// Reads the whole slice as a vector of shape `slice.shape`. If elements are vectors, their shape
/// comes after it.
Value readSlice(OpBuilder &builder, const Slice &slice, Value padding) {
  Location loc = slice.loc;
  Type element = slice.type().getElementType();
  SmallVector<int64_t> shape(slice.shape);
  if (auto vector = dyn_cast<VectorType>(element))
    llvm::append_range(shape, vector.getShape());
  auto type = VectorType::get(shape, getElementTypeOrSelf(element));
  if (slice.shape.empty()) {
    Value value = readElement(builder, slice, {}, padding);
    return value.getType() == type
               ? value
               : vector::BroadcastOp::create(builder, loc, type, value).getResult();
  }
  ArrayRef<int64_t> outer(slice.shape);
  bool hasRows = slice.hasRows();
  if (hasRows)
    outer = outer.drop_back();
  Value result;
  if (!outer.empty())
    result = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  forEach(outer, [&](ArrayRef<int64_t> at) {
    Value part;
    if (hasRows) {
      Row row{llvm::to_vector(at), slice.shape.back(),
              VectorType::get(slice.shape.back(), element)};
      row.start.push_back(0);
      part = readRow(builder, slice, row, padding);
    } else {
      part = readElement(builder, slice, at, padding);
    }
    result = outer.empty() ? part : vector::InsertOp::create(builder, loc, part, result, at);
  });
  return result;
}

void writeElement(OpBuilder &builder, const Slice &slice, ArrayRef<int64_t> at, Value vector) {
  Value value = extract(builder, slice.loc, vector, at);
  doIf(builder, slice.loc, elementCondition(builder, slice, at),
       [&](OpBuilder &builder) { slice.access(builder, at, value.getType(), value); });
}

void writeRow(OpBuilder &builder, const Slice &slice, const Row &row, Value vector) {
  auto elements = [&](OpBuilder &builder) {
    for (int64_t i = 0; i < row.size; ++i)
      writeElement(builder, slice, row.at(i), vector);
  };
  std::optional<Value> whole = wholeRow(builder, slice, row);
  if (!whole)
    return elements(builder);
  auto all = [&](OpBuilder &builder) {
    Value part = extract(builder, slice.loc, vector, ArrayRef(row.start).drop_back());
    slice.access(builder, row.start, row.type, part);
  };
  if (!*whole || slice.inBounds.back())
    return doIf(builder, slice.loc, *whole, all);
  auto yields = [](llvm::function_ref<void(OpBuilder &)> make) {
    return [make](OpBuilder &builder, Location loc) {
      make(builder);
      scf::YieldOp::create(builder, loc);
    };
  };
  scf::IfOp::create(builder, slice.loc, *whole, yields(all), yields(elements));
}

void writeSlice(OpBuilder &builder, const Slice &slice, Value vector) {
  if (!slice.hasRows())
    return forEach(slice.shape,
                   [&](ArrayRef<int64_t> at) { writeElement(builder, slice, at, vector); });
  forEach(ArrayRef(slice.shape).drop_back(), [&](ArrayRef<int64_t> at) {
    Row row{llvm::to_vector(at), slice.shape.back(),
            VectorType::get(slice.shape.back(), slice.type().getElementType())};
    row.start.push_back(0);
    writeRow(builder, slice, row, vector);
  });
}

Slice sliceOf(VectorTransferOpInterface op, Value mask) {
  Slice slice{op.getLoc(), op.getBase(), llvm::to_vector(op.getIndices()), {}, {}, {}, mask, {},
              {}};
  if (!mask)
    slice.mask = op.getMask();
  AffineMap map = op.getPermutationMap();
  for (unsigned i = 0; i < map.getNumResults(); ++i) {
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(i));
    slice.shape.push_back(dim ? op.getVectorType().getDimSize(i) : 1);
    slice.dims.push_back(dim ? std::optional(dim.getPosition()) : std::nullopt);
    slice.inBounds.push_back(!dim || op.isDimInBounds(i));
  }
  return slice;
}

/// Returns the slice of a vector.load or store. It runs along the last dimensions of the memref,
/// and is in bounds.
template <typename Op> Slice sliceOf(Op op) {
  VectorType vector = op.getVectorType();
  Slice slice{op.getLoc(),
              op.getBase(),
              llvm::to_vector(op.getIndices()),
              {},
              {},
              {},
              {},
              op.getNontemporalAttr(),
              op.getAlignmentAttr()};
  if (!slice.isScalar())
    return slice; // one element of the memref is the whole vector
  int64_t leading = op.getMemRefType().getRank() - vector.getRank();
  for (int64_t i = 0; i < vector.getRank(); ++i) {
    slice.shape.push_back(vector.getDimSize(i));
    slice.dims.push_back(leading + i);
    slice.inBounds.push_back(true);
  }
  return slice;
}

/// Returns whether a load or store stays as it is.
template <typename Op> bool isElementary(Op op) {
  return op.getVectorType().getRank() == 1 && !isa<VectorType>(op.getMemRefType().getElementType());
}

LogicalResult lowerRead(RewriterBase &rewriter, vector::TransferReadOp op, Value mask) {
  Value read =
      readSlice(rewriter, sliceOf(cast<VectorTransferOpInterface>(*op), mask), op.getPadding());
  if (read.getType() != op.getVectorType())
    read = vector::BroadcastOp::create(rewriter, op.getLoc(), op.getVectorType(), read);
  rewriter.replaceOp(op, read);
  return success();
}
} // namespace

LogicalResult pumice::lower::lowerTransfer(RewriterBase &rewriter, Operation *op, Value mask) {
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](vector::TransferReadOp op) { return lowerRead(rewriter, op, mask); })
      .Case([&](vector::TransferWriteOp op) {
        writeSlice(rewriter, sliceOf(cast<VectorTransferOpInterface>(*op), mask), op.getVector());
        rewriter.eraseOp(op);
        return success();
      })
      .Case([&](vector::LoadOp op) {
        if (!isElementary(op))
          rewriter.replaceOp(op, readSlice(rewriter, sliceOf(op), nullptr));
        return success();
      })
      .Case([&](vector::StoreOp op) {
        if (isElementary(op))
          return success();
        writeSlice(rewriter, sliceOf(op), op.getValueToStore());
        rewriter.eraseOp(op);
        return success();
      });
}

LogicalResult pumice::lower::lowerTypeCast(RewriterBase &rewriter, vector::TypeCastOp op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    rewriter.setInsertionPoint(user);
    MemRefType type = op.getMemRefType();
    Value zero = arith::ConstantIndexOp::create(rewriter, op.getLoc(), 0);
    Slice slice{user->getLoc(),
                op.getMemref(),
                SmallVector<Value>(type.getRank(), zero),
                llvm::to_vector(type.getShape()),
                {},
                SmallVector<bool>(type.getRank(), true),
                {},
                {},
                {}};
    for (int64_t i = 0; i < type.getRank(); ++i)
      slice.dims.push_back(i);
    if (auto load = dyn_cast<memref::LoadOp>(user)) {
      rewriter.replaceOp(load, readSlice(rewriter, slice, nullptr));
    } else if (auto store = dyn_cast<memref::StoreOp>(user)) {
      writeSlice(rewriter, slice, store.getValue());
      rewriter.eraseOp(store);
    } else {
      return user->emitError() << "'" << user->getName() << "' uses a '" << op->getName()
                               << "': only loads, stores and transfers may";
    }
  }
  rewriter.eraseOp(op);
  return success();
}
