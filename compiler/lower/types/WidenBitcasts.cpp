//===- WidenBitcasts.cpp - the bits of widened types ------------------------===//
//   before: %h = arith.bitcast %i : i16 to f16               (neither is native)
//   after:  the f32 with the value of the f16 that has the low 16 bits of %wide
//
//   before: %w = vector.bitcast %b : vector<4xi8> to vector<2xi16>
//   after:  %w0 = %b0 & 255 | (%b1 & 255) << 8, ...
//===-------------------------------------------------------------------------===//
#include "compiler/lower/types/StorageTypes.h"
#include "compiler/lower/types/WidenTypes.h"

using namespace mlir;
using namespace pumice::lower;

namespace {

/// Applies `convert` to a scalar, or to each element of a vector.
Value perElement(OpBuilder &b, Location loc, Value value, Type to,
                 llvm::function_ref<Value(Value)> convert) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return convert(value);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < vector.getNumElements(); ++i)
    elements.push_back(convert(vector::ExtractOp::create(b, loc, value, i)));
  return vector::FromElementsOp::create(b, loc, vector.clone(to), elements);
}

/// Converts between the values of one type of the program and their bits. `widener` says which type
/// holds the values. The bits are the low bits of integers.
struct BitsOf {
  WideBuilder w;
  const Widener &widener;
  Type element; // the program's type

  unsigned width() const { return element.getIntOrFloatBitWidth(); }
  Type held() const { return widener.held(element); }
  VectorType pairOfHalves() { return VectorType::get(2, w.b.getF16Type()); }
  bool hasIntegerOfWidth() const {
    Type integer = widener.held(IntegerType::get(element.getContext(), width()));
    return integer && integer.isInteger(width());
  }

  /// Returns the bits of a value, with zeros above the element's width.
  Value take(Value value) {
    if (isa<IntegerType>(held()))
      return w.extended(value, element, Extend::Zero);
    if (held() != element)
      return w.floatToBits(value, cast<FloatType>(element));
    if (hasIntegerOfWidth())
      return arith::BitcastOp::create(
          w.b, w.loc, withShapeOf(value.getType(), w.b.getIntegerType(width())), value);
    // The value is an f16, but there are no 16-bit integers. SPIR-V can cast two f16 to a word.
    return perElement(w.b, w.loc, value, w.b.getI32Type(), [&](Value half) -> Value {
      Value zero = arith::ConstantOp::create(w.b, w.loc, w.b.getF16FloatAttr(0));
      Value both = vector::FromElementsOp::create(w.b, w.loc, pairOfHalves(), {half, zero});
      return mlir::spirv::BitcastOp::create(w.b, w.loc, w.b.getI32Type(), both);
    });
  }

  /// Returns the value with these bits. Bits above the element's width are ignored.
  Value give(Value bits) {
    if (isa<IntegerType>(held()))
      return w.resized(bits, held(), Extend::Zero);
    if (held() != element)
      return w.bitsToFloat(w.resized(bits, w.b.getI32Type(), Extend::Zero),
                           cast<FloatType>(element));
    if (hasIntegerOfWidth()) {
      Value narrow = w.resized(bits, w.b.getIntegerType(width()), Extend::Zero);
      return arith::BitcastOp::create(w.b, w.loc, withShapeOf(bits.getType(), element), narrow);
    }
    return perElement(w.b, w.loc, bits, element, [&](Value word) -> Value {
      word = w.resized(word, w.b.getI32Type(), Extend::Zero);
      Value both = mlir::spirv::BitcastOp::create(w.b, w.loc, pairOfHalves(), word);
      return vector::ExtractOp::create(w.b, w.loc, both, int64_t(0));
    });
  }
};

template <typename Op> struct WidenBits : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  BitsOf bitsOf(OpBuilder &b, Op op, Type type) const {
    auto &widener = *static_cast<const Widener *>(this->getTypeConverter());
    return {{b, op.getLoc()}, widener, getElementTypeOrSelf(type)};
  }
};

struct WidenBitcast final : WidenBits<arith::BitcastOp> {
  using WidenBits::WidenBits;
  LogicalResult matchAndRewrite(arith::BitcastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value bits = bitsOf(rewriter, op, op.getIn().getType()).take(adaptor.getIn());
    rewriter.replaceOp(op, bitsOf(rewriter, op, op.getType()).give(bits));
    return success();
  }
};

/// Splits large elements into small ones, or joins small elements to large ones, in integers of the
/// larger size.
struct WidenVectorBitcast final : WidenBits<vector::BitCastOp> {
  using WidenBits::WidenBits;
  LogicalResult matchAndRewrite(vector::BitCastOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    VectorType to = op.getResultVectorType();
    if (op.getSourceVectorType().getRank() != 1)
      return rewriter.notifyMatchFailure(op, "not a vector of one dimension");
    BitsOf source = bitsOf(rewriter, op, op.getSource().getType());
    BitsOf target = bitsOf(rewriter, op, op.getType());
    if (source.width() > 32 || target.width() > 32)
      if (!source.widener.held(rewriter.getI64Type()))
        return rewriter.notifyMatchFailure(op, "64-bit elements without 64-bit integers");
    WideBuilder &w = source.w;
    unsigned from = source.width(), into = target.width();
    Type whole = rewriter.getIntegerType(std::max({from, into, 32u}));
    auto shift = [&](unsigned bits) {
      return arith::ConstantOp::create(rewriter, op.getLoc(), rewriter.getIntegerAttr(whole, bits));
    };
    Value all = w.resized(source.take(adaptor.getSource()), whole, Extend::Zero);
    auto element = [&](int64_t i) -> Value {
      return vector::ExtractOp::create(rewriter, op.getLoc(), all, i);
    };
    SmallVector<Value> results;
    for (int64_t i = 0; i < to.getNumElements(); ++i) {
      Value bits;
      if (from >= into) {
        int64_t parts = from / into;
        bits = w.op<arith::ShRUIOp>(element(i / parts), shift(into * (i % parts)));
      } else {
        int64_t parts = into / from;
        for (int64_t part = 0; part < parts; ++part) {
          Value piece = w.op<arith::ShLIOp>(element(i * parts + part), shift(from * part));
          bits = bits ? w.op<arith::OrIOp>(bits, piece) : piece;
        }
      }
      results.push_back(target.give(bits));
    }
    Type type = getTypeConverter()->convertType(to);
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, results);
    return success();
  }
};

} // namespace

void pumice::lower::populateWidenBitcastPatterns(const Widener &widener,
                                                 RewritePatternSet &patterns) {
  patterns.add<WidenBitcast, WidenVectorBitcast>(widener, patterns.getContext());
}
