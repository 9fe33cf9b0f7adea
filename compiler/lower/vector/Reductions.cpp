//===- Reductions.cpp - lowers contractions and reductions ------------------===//
//   before: %d = vector.contract (matmul) %a, %b, %c
//                  : vector<2x3xf32>, vector<3x4xf32> into vector<2x4xf32>
//   after:  for each row i of the result, a vector<4xf32>, and each k in order
//           %row_i = math.fma (%a[i, k] in all four), %b[k], %row_i
//           (all rows inserted into one vector)
//
// Elements are combined in the order of the iteration space, for all operations. Only
// vector.reduction changes the order, if this makes no difference or is allowed.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/LowerVectors.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice::lower;

namespace {
/// A value that is read, with the map from points of the iteration space to its elements.
struct Input {
  Value value;
  AffineMap map;
};

/// Combines the products of `inputs` (one or two). An element of the result starts as the element
/// of `start`. Every point of `bounds` that the map of `start` maps to it is combined with it.
struct Contraction {
  Location loc;
  SmallVector<Input> inputs;
  Input start; // its value may be null if each element of the result has only one point
  SmallVector<int64_t> bounds;
  vector::CombiningKind kind;
  arith::FastMathFlagsAttr fastmath;
  Value mask; // over the iteration space, or null
  Type type;  // of the result
};

/// Builds the parts of a contraction for a point, or for a row of points along a dimension.
class RowBuilder {
public:
  RowBuilder(OpBuilder &builder, const Contraction &contraction)
      : builder(builder), contraction(contraction) {
    AffineMap result = contraction.start.map;
    if (result.getNumResults() == 0)
      return;
    dim = cast<AffineDimExpr>(result.getResults().back()).getPosition();
    size = contraction.bounds[*dim];
  }

  /// Returns the dimension of the iteration space along which rows run, or nothing if the result is
  /// a scalar.
  std::optional<unsigned> dimension() const { return dim; }

  Type typeOf(Type element) const { return dim ? VectorType::get({size}, element) : element; }

  /// Returns the element of `input` at `point`. For a row, returns the elements that start there.
  Value at(const Input &input, ArrayRef<int64_t> point) const {
    SmallVector<int64_t> position;
    std::optional<unsigned> along;
    for (auto [i, expr] : llvm::enumerate(input.map.getResults())) {
      unsigned from = cast<AffineDimExpr>(expr).getPosition();
      if (from == dim)
        along = i;
      position.push_back(point[from]);
    }
    Location loc = contraction.loc;
    Type row = typeOf(getElementTypeOrSelf(input.value.getType()));
    if (!along) {
      Value element = extract(builder, loc, input.value, position);
      return dim ? vector::BroadcastOp::create(builder, loc, row, element).getResult() : element;
    }
    if (*along + 1 == position.size())
      return extract(builder, loc, input.value, ArrayRef(position).drop_back());
    SmallVector<Value> elements;
    for (int64_t i = 0; i < size; ++i) {
      position[*along] = i;
      elements.push_back(extract(builder, loc, input.value, position));
    }
    return vector::FromElementsOp::create(builder, loc, cast<VectorType>(row), elements);
  }

  /// Converts `value` to the element type of the result: narrow operands are sign-extended first.
  Value widened(Value value) const {
    Type type = typeOf(getElementTypeOrSelf(contraction.type));
    if (value.getType() == type)
      return value;
    if (isa<FloatType>(getElementTypeOrSelf(type)))
      return arith::ExtFOp::create(builder, contraction.loc, type, value);
    return arith::ExtSIOp::create(builder, contraction.loc, type, value);
  }

  /// Combines `accumulator` (or null) with the inputs at `point`.
  Value step(ArrayRef<int64_t> point, Value accumulator) const {
    Location loc = contraction.loc;
    Value mask;
    if (contraction.mask)
      mask =
          at({contraction.mask, builder.getMultiDimIdentityMap(contraction.bounds.size())}, point);
    Value value = widened(at(contraction.inputs.front(), point));
    if (contraction.inputs.size() == 2) {
      Value factor = widened(at(contraction.inputs.back(), point));
      bool isFloat = isa<FloatType>(getElementTypeOrSelf(value.getType()));
      if (isFloat && accumulator && contraction.kind == vector::CombiningKind::ADD) {
        Value sum =
            math::FmaOp::create(builder, loc, value, factor, accumulator, contraction.fastmath);
        return mask ? arith::SelectOp::create(builder, loc, mask, sum, accumulator).getResult()
                    : sum;
      }
      value =
          isFloat
              ? arith::MulFOp::create(builder, loc, value, factor, contraction.fastmath).getResult()
              : arith::MulIOp::create(builder, loc, value, factor).getResult();
    }
    if (!accumulator)
      return value;
    return vector::makeArithReduction(builder, loc, contraction.kind, value, accumulator,
                                      contraction.fastmath, mask);
  }

private:
  OpBuilder &builder;
  const Contraction &contraction;
  std::optional<unsigned> dim;
  int64_t size = 1;
};

Value contract(OpBuilder &builder, const Contraction &contraction) {
  RowBuilder rows(builder, contraction);
  // Divides the dimensions of the iteration space into those that distinguish rows of the result,
  // and those that are combined.
  SmallVector<unsigned> outer, inner;
  SmallVector<int64_t> outerShape, innerShape;
  for (AffineExpr expr : contraction.start.map.getResults())
    outer.push_back(cast<AffineDimExpr>(expr).getPosition());
  for (unsigned dim = 0; dim < contraction.bounds.size(); ++dim)
    if (!llvm::is_contained(outer, dim))
      inner.push_back(dim);
  if (rows.dimension())
    outer.pop_back();
  for (unsigned dim : outer)
    outerShape.push_back(contraction.bounds[dim]);
  for (unsigned dim : inner)
    innerShape.push_back(contraction.bounds[dim]);

  Value result;
  if (!outer.empty())
    result =
        arith::ConstantOp::create(builder, contraction.loc, builder.getZeroAttr(contraction.type));
  forEach(outerShape, [&](ArrayRef<int64_t> at) {
    SmallVector<int64_t> point(contraction.bounds.size(), 0);
    for (auto [dim, index] : llvm::zip_equal(outer, at))
      point[dim] = index;
    Value row = contraction.start.value ? rows.at(contraction.start, point) : Value();
    forEach(innerShape, [&](ArrayRef<int64_t> at) {
      for (auto [dim, index] : llvm::zip_equal(inner, at))
        point[dim] = index;
      row = rows.step(point, row);
    });
    result = outer.empty()
                 ? row
                 : vector::InsertOp::create(builder, contraction.loc, row, result, at).getResult();
  });
  if (auto type = dyn_cast<VectorType>(contraction.type); type && type.getRank() == 0)
    result = vector::BroadcastOp::create(builder, contraction.loc, type, result);
  return result;
}

Value lowerContract(OpBuilder &builder, vector::ContractionOp op, Value mask) {
  SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> bounds;
  op.getIterationBounds(bounds);
  return contract(builder, {op.getLoc(),
                            {{op.getLhs(), maps[0]}, {op.getRhs(), maps[1]}},
                            {op.getAcc(), maps[2]},
                            bounds,
                            op.getKind(),
                            {},
                            mask,
                            op.getResultType()});
}

Value lowerOuterProduct(OpBuilder &builder, vector::OuterProductOp op, Value mask) {
  MLIRContext *context = op.getContext();
  VectorType type = op.getResultVectorType();
  unsigned rank = type.getRank(); // 1 if the right-hand side is a scalar
  auto dim = [&](unsigned i) { return AffineMap::get(rank, 0, getAffineDimExpr(i, context)); };
  Input rhs{op.getRhs(), rank == 1 ? AffineMap::get(1, 0, context) : dim(1)};
  return contract(builder, {op.getLoc(),
                            {{op.getLhs(), dim(0)}, rhs},
                            {op.getAcc(), AffineMap::getMultiDimIdentityMap(rank, context)},
                            llvm::to_vector(type.getShape()),
                            op.getKind(),
                            {},
                            mask,
                            type});
}

Value lowerMultiReduction(OpBuilder &builder, vector::MultiDimReductionOp op, Value mask) {
  MLIRContext *context = op.getContext();
  VectorType source = op.getSourceVectorType();
  SmallVector<AffineExpr> kept;
  for (int64_t i = 0; i < source.getRank(); ++i)
    if (!op.isReducedDim(i))
      kept.push_back(getAffineDimExpr(i, context));
  return contract(builder,
                  {op.getLoc(),
                   {{op.getSource(), AffineMap::getMultiDimIdentityMap(source.getRank(), context)}},
                   {op.getAcc(), AffineMap::get(source.getRank(), 0, kept, context)},
                   llvm::to_vector(source.getShape()),
                   op.getKind(),
                   {},
                   mask,
                   op.getDestType()});
}

/// Returns the neutral element of `kind`. The signed limits of index are unknown here, and
/// lowerReduction rejects reductions that need them.
TypedAttr neutral(Builder &builder, vector::CombiningKind kind, Type type) {
  using Kind = vector::CombiningKind;
  if (auto floating = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    auto infinity = [&](bool negative) { return llvm::APFloat::getInf(semantics, negative); };
    switch (kind) {
    case Kind::MUL:
      return builder.getFloatAttr(type, 1.0);
    case Kind::MINIMUMF:
      return builder.getFloatAttr(type, infinity(false));
    case Kind::MAXIMUMF:
      return builder.getFloatAttr(type, infinity(true));
    case Kind::MINNUMF:
    case Kind::MAXNUMF:
      return builder.getFloatAttr(type, llvm::APFloat::getQNaN(semantics));
    default: // the zero with the sign that leaves zeros of both signs unchanged
      return builder.getFloatAttr(type, llvm::APFloat::getZero(semantics, true));
    }
  }
  unsigned bits =
      type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  auto integer = [&](const llvm::APInt &value) { return builder.getIntegerAttr(type, value); };
  switch (kind) {
  case Kind::MUL:
    return integer(llvm::APInt(bits, 1));
  case Kind::AND:
  case Kind::MINUI:
    return integer(llvm::APInt::getAllOnes(bits));
  case Kind::MINSI:
    return integer(llvm::APInt::getSignedMaxValue(bits));
  case Kind::MAXSI:
    return integer(llvm::APInt::getSignedMinValue(bits));
  default:
    return integer(llvm::APInt::getZero(bits));
  }
}

/// Halves a vector as often as possible, then combines the remaining elements one by one.
Value lowerReductionOp(OpBuilder &builder, vector::ReductionOp op, Value mask) {
  Location loc = op.getLoc();
  Value vector = op.getVector();
  VectorType type = op.getSourceVectorType();
  vector::CombiningKind kind = op.getKind();
  if (mask) { // elements that are masked off become neutral elements
    Attribute element = neutral(builder, kind, type.getElementType());
    Value none = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, element));
    vector = arith::SelectOp::create(builder, loc, mask, vector, none);
  }
  auto combine = [&](Value a, Value b) {
    return vector::makeArithReduction(builder, loc, kind, a, b, op.getFastmathAttr());
  };
  bool isOrdered = isa<FloatType>(type.getElementType()) &&
                   (kind == vector::CombiningKind::ADD || kind == vector::CombiningKind::MUL) &&
                   !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::reassoc);
  int64_t size = type.getNumElements();
  for (; !isOrdered && size > 1 && size % 2 == 0; size /= 2) {
    auto half = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(builder, loc, vector, offset, size / 2, 1);
    };
    vector = combine(half(0), half(size / 2));
  }
  Value result = op.getAcc();
  forEach(cast<VectorType>(vector.getType()).getShape(), [&](ArrayRef<int64_t> at) {
    Value element = extract(builder, loc, vector, at);
    result = result ? combine(result, element) : element;
  });
  return result;
}

LogicalResult lowerScan(RewriterBase &rewriter, vector::ScanOp op) {
  Location loc = op.getLoc();
  VectorType type = op.getSourceType();
  int64_t dim = op.getReductionDim(), size = type.getDimSize(dim);
  SmallVector<int64_t> lines(type.getShape());
  lines.erase(lines.begin() + dim);

  SmallVector<Value> elements(type.getNumElements()), last;
  int64_t behind = 1; // the distance between neighbours along the dimension
  for (int64_t extent : type.getShape().drop_front(dim + 1))
    behind *= extent;
  forEach(lines, [&](ArrayRef<int64_t> line) {
    int64_t first = 0;
    SmallVector<int64_t> at(line);
    at.insert(at.begin() + dim, 0);
    for (auto [extent, index] : llvm::zip_equal(type.getShape(), at))
      first = first * extent + index;
    // An inclusive scan starts with the first element, an exclusive one with the initial value.
    Value sum = op.getInclusive() ? Value() : extract(rewriter, loc, op.getInitialValue(), line);
    for (int64_t i = 0; i < size; ++i) {
      at[dim] = op.getInclusive() ? i : i - 1;
      if (op.getInclusive() || i > 0) {
        Value element = extract(rewriter, loc, op.getSource(), at);
        sum = sum ? vector::makeArithReduction(rewriter, loc, op.getKind(), sum, element) : element;
      }
      elements[first + i * behind] = sum;
    }
    last.push_back(sum);
  });
  Value scanned = vector::FromElementsOp::create(rewriter, loc, type, elements);
  Value total = vector::FromElementsOp::create(rewriter, loc, op.getAccumulatorType(), last);
  rewriter.replaceOp(op, {scanned, total});
  return success();
}
} // namespace

LogicalResult pumice::lower::lowerReduction(RewriterBase &rewriter, Operation *op, Value mask) {
  if (auto scan = dyn_cast<vector::ScanOp>(op))
    return lowerScan(rewriter, scan);
  if (auto reduction = dyn_cast<vector::ReductionOp>(op);
      reduction && mask && reduction.getType().isIndex() &&
      (reduction.getKind() == vector::CombiningKind::MINSI ||
       reduction.getKind() == vector::CombiningKind::MAXSI))
    return op->emitError() << "'" << op->getName()
                           << "' of masked indices: the least and greatest index are not known "
                              "yet, cast them to i32 or i64 first";
  Value result =
      TypeSwitch<Operation *, Value>(op)
          .Case([&](vector::ContractionOp op) { return lowerContract(rewriter, op, mask); })
          .Case([&](vector::OuterProductOp op) { return lowerOuterProduct(rewriter, op, mask); })
          .Case([&](vector::ReductionOp op) { return lowerReductionOp(rewriter, op, mask); })
          .Case([&](vector::MultiDimReductionOp op) {
            return lowerMultiReduction(rewriter, op, mask);
          })
          .Case([&](vector::FMAOp op) -> Value {
            return math::FmaOp::create(rewriter, op.getLoc(), op.getLhs(), op.getRhs(),
                                       op.getAcc());
          });
  rewriter.replaceOp(op, result);
  return success();
}
