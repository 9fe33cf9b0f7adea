//===- ExpandArithComparisons.cpp - comparisons of extended values ----------===//
//   before: %w = arith.extsi %a : i32 to i64, %v = vector.broadcast %w : i64 to vector<2xi64>
//           %p = arith.cmpi slt, %v, dense<[7, 8]> : vector<2xi64>
//   after:  %v = vector.broadcast %a : i32 to vector<2xi32>
//           %p = arith.cmpi slt, %v, dense<[7, 8]> : vector<2xi32>
//
// A constant counts as extended if the extension of its low bits gives the constant. If no extended
// value can equal it, the result is a constant too. Narrow comparisons are cheaper, and drivers of
// Mesa 22 compare wide integers with constants incorrectly.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandArith.h"
#include "compiler/lower/vector/Moves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pumice::lower;

namespace {

constexpr unsigned narrowBits = 32; // every target computes with this width

/// Describes how a wider integer extends its low bits. Both flags are set if the low bits are not
/// negative.
struct Extension {
  bool bySign = false;
  bool byZeros = false;
  explicit operator bool() const { return bySign || byZeros; }
  Extension operator&(Extension other) const {
    return {bySign && other.bySign, byZeros && other.byZeros};
  }
};

Extension extensionOf(const APInt &number) {
  return {number.isSignedIntN(narrowBits), number.isIntN(narrowBits)};
}

bool isExtension(Operation *op) {
  return isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op);
}

bool isByZeros(Operation *op) { return isa<arith::ExtUIOp, arith::IndexCastUIOp>(op); }

/// Returns whether `op` only moves elements of its operands, to and from known positions.
bool isMove(Operation *op) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return !extract.hasDynamicPosition();
  if (auto insert = dyn_cast<vector::InsertOp>(op))
    return !insert.hasDynamicPosition();
  return movesElements(op) || isa<arith::SelectOp>(op);
}

/// The operands of one comparison, and their narrow values.
class Operands {
public:
  Operands(RewriterBase &rewriter, unsigned indexBits) : b(rewriter), indexBits(indexBits) {}

  unsigned bitsOf(Type type) const;
  bool isWide(Value value) const { return bitsOf(value.getType()) > narrowBits; }
  /// Returns a constant's elements, or one element if all are equal. Returns nothing if `value` is
  /// not a constant.
  SmallVector<APInt> constantElements(Value value) const;
  Extension extensionOf(Value value);
  /// Returns the narrow value that was extended to `value`.
  Value low(Value value);

private:
  Extension find(Value value);
  void makeLow(Value value);
  Type narrowed(Type type) const;

  RewriterBase &b;
  unsigned indexBits;
  llvm::DenseMap<Value, Extension> known;
  IRMapping lows;
};

unsigned Operands::bitsOf(Type type) const {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return indexBits;
  return element.isInteger() ? element.getIntOrFloatBitWidth() : 0;
}

Type Operands::narrowed(Type type) const {
  Type integer = b.getIntegerType(narrowBits);
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.clone(integer) : integer;
}

SmallVector<APInt> Operands::constantElements(Value value) const {
  Attribute constant;
  SmallVector<APInt> elements;
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  auto numbers = dyn_cast<DenseIntElementsAttr>(constant);
  if (auto number = dyn_cast<IntegerAttr>(constant))
    elements = {number.getValue()};
  else if (numbers && numbers.isSplat())
    elements = {numbers.getSplatValue<APInt>()};
  else if (numbers)
    elements = llvm::to_vector(numbers.getValues<APInt>());
  for (APInt &element : elements) // index constants have 64 bits here, at any width of index
    element = element.sextOrTrunc(bitsOf(value.getType()));
  return elements;
}

Extension Operands::extensionOf(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Extension made = find(value);
  return known[value] = made;
}

Extension Operands::find(Value value) {
  Extension all{true, true};
  SmallVector<APInt> numbers = constantElements(value);
  for (const APInt &number : numbers)
    all = all & ::extensionOf(number);
  Operation *op = value.getDefiningOp();
  if (!numbers.empty() || !op)
    return numbers.empty() ? Extension() : all;
  if (isExtension(op)) {
    unsigned bits = bitsOf(op->getOperand(0).getType());
    bool zeros = isByZeros(op);
    return {zeros ? bits < narrowBits : bits <= narrowBits, zeros && bits <= narrowBits};
  }
  if (!isMove(op))
    return {};
  for (Value operand : op->getOperands())
    if (isWide(operand)) // the operand is a selected value, not a condition
      all = all & extensionOf(operand);
  return all;
}

Value Operands::low(Value value) {
  if (!lows.contains(value))
    makeLow(value);
  return lows.lookup(value);
}

/// Creates the narrow value next to the wide one, so that it does not move into further loops.
void Operands::makeLow(Value value) {
  OpBuilder::InsertionGuard guard(b);
  Operation *op = value.getDefiningOp();
  b.setInsertionPoint(op);
  Type type = narrowed(value.getType());
  if (SmallVector<APInt> numbers = constantElements(value); !numbers.empty()) {
    for (APInt &number : numbers)
      number = number.trunc(narrowBits);
    TypedAttr all = b.getIntegerAttr(b.getI32Type(), numbers.front());
    if (auto vector = dyn_cast<VectorType>(type))
      all = DenseElementsAttr::get(vector, numbers);
    lows.map(value, arith::ConstantOp::create(b, op->getLoc(), all).getResult());
  } else if (isExtension(op)) {
    Value from = op->getOperand(0);
    if (from.getType() == type)
      lows.map(value, from);
    else if (getElementTypeOrSelf(from).isIndex())
      lows.map(value, arith::IndexCastOp::create(b, op->getLoc(), type, from).getResult());
    else if (isByZeros(op))
      lows.map(value, arith::ExtUIOp::create(b, op->getLoc(), type, from).getResult());
    else
      lows.map(value, arith::ExtSIOp::create(b, op->getLoc(), type, from).getResult());
  } else {
    for (Value operand : op->getOperands())
      if (isWide(operand))
        (void)low(operand);
    Operation *copy = b.clone(*op, lows);
    for (auto [from, to] : llvm::zip_equal(op->getResults(), copy->getResults()))
      to.setType(narrowed(to.getType()));
  }
}

arith::CmpIPredicate withoutSign(arith::CmpIPredicate predicate) {
  using enum arith::CmpIPredicate;
  switch (predicate) {
  case slt:
    return ult;
  case sle:
    return ule;
  case sgt:
    return ugt;
  case sge:
    return uge;
  default:
    return predicate;
  }
}

/// Returns the predicate for the narrow values. Zero-extended numbers are not negative, although
/// their low bits may look negative, so their order is unsigned. Unsigned comparisons of
/// sign-extended numbers stay the same, since negative ones are the greatest in 32 bits as well.
arith::CmpIPredicate narrowPredicate(arith::CmpIPredicate predicate, Extension both) {
  return both.bySign ? predicate : withoutSign(predicate);
}

/// Returns the result of comparing an extended value with a constant that the value can never
/// equal. In unsigned order, the constant may lie between two sign-extended values. In that case,
/// returns nothing.
TypedAttr compareBeyond(arith::CmpIOp cmp, unsigned side, Operands &operands) {
  SmallVector<APInt> numbers = operands.constantElements(cmp->getOperand(side));
  Extension other = operands.extensionOf(cmp->getOperand(1 - side));
  if (numbers.empty() || !other)
    return {};
  unsigned bits = numbers.front().getBitWidth();
  APInt least =
      other.byZeros ? APInt::getZero(bits) : APInt::getSignedMinValue(narrowBits).sext(bits);
  APInt most = other.byZeros ? APInt::getMaxValue(narrowBits).zext(bits)
                             : APInt::getSignedMaxValue(narrowBits).sext(bits);
  auto holds = [&](const APInt &extended, const APInt &number) {
    return arith::applyCmpPredicate(cmp.getPredicate(), side ? extended : number,
                                    side ? number : extended);
  };
  SmallVector<bool> said;
  for (const APInt &number : numbers) {
    bool fits = other.byZeros ? extensionOf(number).byZeros : extensionOf(number).bySign;
    if (fits || holds(least, number) != holds(most, number))
      return {};
    said.push_back(holds(least, number));
  }
  if (auto vector = dyn_cast<VectorType>(cmp.getType()))
    return DenseElementsAttr::get(vector, said);
  return BoolAttr::get(cmp.getContext(), said.front());
}

struct NarrowCompare final : OpRewritePattern<arith::CmpIOp> {
  NarrowCompare(MLIRContext *context, unsigned indexBits)
      : OpRewritePattern(context, /*benefit=*/2), indexBits(indexBits) {
  } // this pattern applies before OrderUnsigned

  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    Operands operands(rewriter, indexBits);
    if (!operands.isWide(op.getLhs()))
      return rewriter.notifyMatchFailure(op, "32 bits at most");
    if (Extension both = operands.extensionOf(op.getLhs()) & operands.extensionOf(op.getRhs())) {
      Value left = operands.low(op.getLhs()), right = operands.low(op.getRhs());
      rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, narrowPredicate(op.getPredicate(), both), left,
                                                 right);
      return success();
    }
    for (unsigned side : {1, 0})
      if (TypedAttr said = compareBeyond(op, side, operands)) {
        rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, said);
        return success();
      }
    return rewriter.notifyMatchFailure(op, "not extended, or from more than 32 bits");
  }
  unsigned indexBits;
};

/// Rewrites the remaining signed comparisons, for targets with noSignedLongOrders.
///
/// before: %p = arith.cmpi slt, %a, %b : i64
/// after:  %0 = arith.xori %a, %least : i64, %1 = arith.xori %b, %least : i64
///         %p = arith.cmpi ult, %0, %1 : i64
struct OrderUnsigned final : OpRewritePattern<arith::CmpIOp> {
  OrderUnsigned(MLIRContext *context, unsigned indexBits)
      : OpRewritePattern(context), indexBits(indexBits) {}

  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const override {
    arith::CmpIPredicate without = withoutSign(op.getPredicate());
    Operands operands(rewriter, indexBits);
    if (!operands.isWide(op.getLhs()) || without == op.getPredicate())
      return rewriter.notifyMatchFailure(op, "no signed order of wide integers");
    Type type = op.getLhs().getType(), element = getElementTypeOrSelf(type);
    APInt least = APInt::getSignedMinValue(operands.bitsOf(type));
    if (element.isIndex()) // index constants have 64 bits
      least = least.sext(IndexType::kInternalStorageBitWidth);
    TypedAttr flips = rewriter.getIntegerAttr(element, least);
    if (auto vector = dyn_cast<VectorType>(type))
      flips = DenseElementsAttr::get(vector, Attribute(flips));
    Value flip = arith::ConstantOp::create(rewriter, op.getLoc(), flips);
    Value left = rewriter.createOrFold<arith::XOrIOp>(op.getLoc(), op.getLhs(), flip);
    Value right = rewriter.createOrFold<arith::XOrIOp>(op.getLoc(), op.getRhs(), flip);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, without, left, right);
    return success();
  }
  unsigned indexBits;
};

/// For targets with noOrderedNotEqual.
///
/// before: %p = arith.cmpf one, %a, %b : f32
/// after:  %0 = arith.cmpf olt, %a, %b : f32, %1 = arith.cmpf ogt, %a, %b : f32
///         %p = arith.ori %0, %1 : i1
struct SplitOrderedNotEqual final : OpRewritePattern<arith::CmpFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpFOp op, PatternRewriter &rewriter) const override {
    if (op.getPredicate() != arith::CmpFPredicate::ONE)
      return rewriter.notifyMatchFailure(op, "not an ordered inequality");
    auto compare = [&](arith::CmpFPredicate predicate) -> Value {
      auto made = arith::CmpFOp::create(rewriter, op.getLoc(), predicate, op.getLhs(), op.getRhs());
      made.setFastmathAttr(op.getFastmathAttr());
      return made;
    };
    Value less = compare(arith::CmpFPredicate::OLT), greater = compare(arith::CmpFPredicate::OGT);
    rewriter.replaceOpWithNewOp<arith::OrIOp>(op, less, greater);
    return success();
  }
};

} // namespace

void pumice::lower::populateSplitNotEqualPatterns(RewritePatternSet &patterns) {
  patterns.add<SplitOrderedNotEqual>(patterns.getContext());
}

void pumice::lower::populateOrderUnsignedPatterns(RewritePatternSet &patterns, unsigned indexBits) {
  patterns.add<OrderUnsigned>(patterns.getContext(), indexBits);
}

void pumice::lower::populateExpandComparisonPatterns(RewritePatternSet &patterns,
                                                     unsigned indexBits) {
  patterns.add<NarrowCompare>(patterns.getContext(), indexBits);
}
