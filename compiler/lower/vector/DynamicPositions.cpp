//===- DynamicPositions.cpp - positions known only at run time --------------===//
// The position of an element may be known only at run time. The element is then selected from a few
// candidates, or read through an array in private memory.
//
//   before: %e = vector.extract %v[%i] : f32 from vector<16xf32>
//   after:  %array = memref.alloca() : memref<16xf32, #gpu.address_space<private>>
//           vector.store (the pieces of %v), %array
//           %e = memref.load %array[%i]
//===-------------------------------------------------------------------------===//
#include "compiler/lower/vector/SplitVectors.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace pumice::lower;

namespace {
/// The most candidates for a chain of selects. With more, going through memory takes fewer
/// instructions.
constexpr int64_t maxCandidates = 8;

/// A position in a vector. Some of its indices are known only at run time. A slice starts at the
/// row-major element `fixed + sum(index * stride)`.
struct Position {
  int64_t fixed = 0;
  SmallVector<Value> indices;
  SmallVector<int64_t> sizes, strides;

  Position(ArrayRef<int64_t> shape, ArrayRef<int64_t> statics, ValueRange dynamics) {
    SmallVector<int64_t> all = computeSuffixProduct(shape);
    for (auto [dim, index] : llvm::enumerate(statics)) {
      if (!ShapedType::isDynamic(index)) {
        fixed += index * all[dim];
        continue;
      }
      indices.push_back(dynamics[indices.size()]);
      sizes.push_back(shape[dim]);
      strides.push_back(all[dim]);
    }
  }

  int64_t candidates() const { return computeProduct(sizes); }

  /// Returns the first element of the slice if the run-time indices are those of `candidate`.
  int64_t start(int64_t candidate) const {
    SmallVector<int64_t> at = delinearize(candidate, computeSuffixProduct(sizes));
    return linearize(at, strides) + fixed;
  }

  /// Returns sum(index * scale) + offset as an index.
  Value combine(OpBuilder &builder, Location loc, ArrayRef<int64_t> scales, int64_t offset) const {
    Value sum = arith::ConstantIndexOp::create(builder, loc, offset);
    for (auto [index, scale] : llvm::zip_equal(indices, scales)) {
      Value factor = arith::ConstantIndexOp::create(builder, loc, scale);
      Value term = builder.createOrFold<arith::MulIOp>(loc, index, factor);
      sum = builder.createOrFold<arith::AddIOp>(loc, term, sum);
    }
    return sum;
  }

  /// Returns whether the run-time indices, which together form `number`, are those of `candidate`.
  static Value is(OpBuilder &builder, Location loc, Value number, int64_t candidate) {
    Value constant = arith::ConstantIndexOp::create(builder, loc, candidate);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number, constant);
  }

  Value number(OpBuilder &builder, Location loc) const {
    return combine(builder, loc, computeSuffixProduct(sizes), 0);
  }
};

/// An array in private memory that holds a vector. A boolean takes a whole word in it.
class PrivateArray {
public:
  PrivateArray(OpBuilder &builder, Operation *user, VectorType vector)
      : builder(builder), loc(user->getLoc()), element(vector.getElementType()),
        stored(element.isInteger(1) ? builder.getI32Type() : element) {
    OpBuilder::InsertionGuard guard(builder);
    // Each use has one array at the start of the function, even if the use is in a loop.
    builder.setInsertionPointToStart(
        &user->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(), gpu::AddressSpace::Private);
    array = memref::AllocaOp::create(
        builder, loc, MemRefType::get({vector.getNumElements()}, stored, AffineMap(), space));
  }

  void store(ValueRange pieces, Value start) {
    for (Value piece : pieces) {
      Type type = withElement(piece.getType(), stored);
      Value value = type == piece.getType()
                        ? piece
                        : arith::ExtUIOp::create(builder, loc, type, piece).getResult();
      if (isa<VectorType>(type))
        vector::StoreOp::create(builder, loc, value, array, start);
      else
        memref::StoreOp::create(builder, loc, value, array, start);
      start = after(start, type);
    }
  }

  SmallVector<Value> load(Type type, Value start) {
    SmallVector<Value> pieces;
    for (Type piece : pieceTypes(type)) {
      Type loaded = withElement(piece, stored);
      Value value = isa<VectorType>(loaded)
                        ? vector::LoadOp::create(builder, loc, loaded, array, start).getResult()
                        : memref::LoadOp::create(builder, loc, array, start).getResult();
      pieces.push_back(loaded == piece
                           ? value
                           : arith::TruncIOp::create(builder, loc, piece, value).getResult());
      start = after(start, piece);
    }
    return pieces;
  }

private:
  static Type withElement(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(element) : element;
  }

  Value after(Value start, Type piece) {
    auto vector = dyn_cast<VectorType>(piece);
    Value size = arith::ConstantIndexOp::create(builder, loc, vector ? vector.getNumElements() : 1);
    return builder.createOrFold<arith::AddIOp>(loc, start, size);
  }

  OpBuilder &builder;
  Location loc;
  Type element, stored;
  Value array;
};

struct SplitDynamicExtract final : OpConversionPattern<vector::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::ExtractOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.hasDynamicPosition())
      return rewriter.notifyMatchFailure(op, "static position");
    Location loc = op.getLoc();
    VectorType source = op.getSourceVectorType();
    Position position(source.getShape(), op.getStaticPosition(), op.getDynamicPosition());
    if (position.candidates() > maxCandidates) {
      PrivateArray array(rewriter, op, source);
      array.store(adaptor.getSource(), arith::ConstantIndexOp::create(rewriter, loc, 0));
      Value start = position.combine(rewriter, loc, position.strides, position.fixed);
      rewriter.replaceOpWithMultiple(op, {array.load(op.getType(), start)});
      return success();
    }
    SmallVector<Element> elements = elementsOf(adaptor.getSource());
    auto vector = dyn_cast<VectorType>(op.getType());
    int64_t count = vector ? vector.getNumElements() : 1;
    auto candidate = [&](int64_t number) {
      return gatherPieces(rewriter, loc, op.getType(),
                          ArrayRef(elements).slice(position.start(number), count));
    };
    Value number = position.number(rewriter, loc);
    SmallVector<Value> chosen = candidate(0);
    for (int64_t i = 1, end = position.candidates(); i < end; ++i) {
      Value isIt = Position::is(rewriter, loc, number, i);
      for (auto [value, other] : llvm::zip_equal(chosen, candidate(i)))
        value = arith::SelectOp::create(rewriter, loc, isIt, other, value);
    }
    rewriter.replaceOpWithMultiple(op, {chosen});
    return success();
  }
};

struct SplitDynamicInsert final : OpConversionPattern<vector::InsertOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::InsertOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.hasDynamicPosition())
      return rewriter.notifyMatchFailure(op, "static position");
    Location loc = op.getLoc();
    VectorType type = op.getType();
    Position position(type.getShape(), op.getStaticPosition(), op.getDynamicPosition());
    if (position.candidates() > maxCandidates) {
      PrivateArray array(rewriter, op, type);
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      array.store(adaptor.getDest(), zero);
      array.store(adaptor.getValueToStore(),
                  position.combine(rewriter, loc, position.strides, position.fixed));
      rewriter.replaceOpWithMultiple(op, {array.load(type, zero)});
      return success();
    }
    SmallVector<Element> inserted = elementsOf(adaptor.getValueToStore());
    SmallVector<Element> before = elementsOf(adaptor.getDest());
    SmallVector<Value> chosen(adaptor.getDest());
    Value number = position.number(rewriter, loc);
    for (int64_t i = 0, end = position.candidates(); i < end; ++i) {
      Value isIt = Position::is(rewriter, loc, number, i);
      SmallVector<Element> after = before;
      llvm::copy(inserted, after.begin() + position.start(i));
      SmallVector<Value> pieces = gatherPieces(rewriter, loc, type, after);
      for (auto [value, old, piece] : llvm::zip_equal(chosen, adaptor.getDest(), pieces))
        if (piece != old)
          value = arith::SelectOp::create(rewriter, loc, isIt, piece, value);
    }
    rewriter.replaceOpWithMultiple(op, {chosen});
    return success();
  }
};

/// Splits a bit cast to elements of another width. Casts between two elements and four take one
/// instruction. Other casts need shifts.
struct SplitBitCast final : OpConversionPattern<vector::BitCastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(vector::BitCastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type from = op.getSourceVectorType().getElementType();
    Type to = op.getResultVectorType().getElementType();
    if (!from.isIntOrFloat() || !to.isIntOrFloat())
      return rewriter.notifyMatchFailure(op, "elements without a known width");
    int64_t fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
    if (fromBits == toBits) {
      SmallVector<Value> pieces;
      for (auto [piece, type] :
           llvm::zip_equal(adaptor.getSource(), pieceTypes(op.getResultVectorType())))
        pieces.push_back(cast(rewriter, loc, type, piece));
      rewriter.replaceOpWithMultiple(op, {pieces});
      return success();
    }

    SmallVector<Element> sources = elementsOf(adaptor.getSource()), results;
    int64_t count = op.getResultVectorType().getNumElements();
    while (static_cast<int64_t>(results.size()) < count) {
      int64_t done = results.size(), firstBit = done * toBits;
      if (std::max(fromBits, toBits) == 2 * std::min(fromBits, toBits) &&
          firstBit % (4 * std::min(fromBits, toBits)) == 0 &&
          (count - done) * toBits >= 4 * std::min(fromBits, toBits)) {
        int64_t width = toBits < fromBits ? 4 : 2;
        Value source = gather(rewriter, loc, VectorType::get({6 - width}, from),
                              ArrayRef(sources).slice(firstBit / fromBits, 6 - width));
        Value cast = vector::BitCastOp::create(rewriter, loc, VectorType::get({width}, to), source);
        llvm::append_range(results, elementsOf(cast));
      } else {
        results.push_back({fromBitsOf(rewriter, loc, sources, fromBits, to, done), 0});
      }
    }
    rewriter.replaceOpWithMultiple(
        op, {gatherPieces(rewriter, loc, op.getResultVectorType(), results)});
    return success();
  }

private:
  static Value cast(OpBuilder &builder, Location loc, Type type, Value value) {
    if (type == value.getType())
      return value;
    if (isa<VectorType>(type))
      return vector::BitCastOp::create(builder, loc, type, value);
    return arith::BitcastOp::create(builder, loc, type, value);
  }

  /// Builds element `index` of type `to` from the bits of `sources`. The first source has the
  /// lowest bits.
  static Value fromBitsOf(OpBuilder &builder, Location loc, ArrayRef<Element> sources,
                          int64_t fromBits, Type to, int64_t index) {
    int64_t toBits = to.getIntOrFloatBitWidth();
    Type fromInt = builder.getIntegerType(fromBits), toInt = builder.getIntegerType(toBits);
    auto shifted = [&]<typename Shift>(Value value, int64_t amount) -> Value {
      if (amount == 0)
        return value;
      auto by =
          arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(value.getType(), amount));
      return Shift::create(builder, loc, value, by);
    };
    Value result;
    for (int64_t bit = index * toBits, end = bit + toBits; bit < end;) {
      int64_t source = bit / fromBits;
      Value part = gather(builder, loc, sourceType(sources[source]), sources.slice(source, 1));
      part = cast(builder, loc, fromInt, part);
      part = shifted.operator()<arith::ShRUIOp>(part, bit - source * fromBits);
      if (fromBits < toBits)
        part = arith::ExtUIOp::create(builder, loc, toInt, part);
      else
        part = arith::TruncIOp::create(builder, loc, toInt, part);
      part = shifted.operator()<arith::ShLIOp>(part, bit - index * toBits);
      result = result ? arith::OrIOp::create(builder, loc, result, part).getResult() : part;
      bit = std::min(end, (source + 1) * fromBits);
    }
    return cast(builder, loc, to, result);
  }

  static Type sourceType(const Element &element) {
    return getElementTypeOrSelf(element.source.getType());
  }
};
} // namespace

void pumice::lower::populateSplitDynamicPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<SplitDynamicExtract, SplitDynamicInsert, SplitBitCast>(converter,
                                                                      patterns.getContext());
}
