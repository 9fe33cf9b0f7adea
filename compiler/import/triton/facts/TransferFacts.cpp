//===- TransferFacts.cpp - facts of an operation's results ------------------===//
#include "compiler/import/triton/facts/TransferFacts.h"

#include "compiler/dialect/triton/TritonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;

using Operands = ArrayRef<BitFacts>;

static ArrayRef<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

BitFacts triton::unknownOf(Type type) { return BitFacts::unknown(shapeOf(type)); }

int64_t triton::unitOf(Type type) {
  auto pointer = dyn_cast<triton::PointerType>(scalarOf(type));
  if (!pointer)
    return 1;
  Type pointee = pointer.getPointee();
  return isa<triton::PointerType>(pointee) ? 8 : (pointee.getIntOrFloatBitWidth() + 7) / 8;
}

/// Returns the width of an integer. Pointers and all other types have the maximum width.
static unsigned widthOf(Type type) {
  auto integer = dyn_cast<IntegerType>(scalarOf(type));
  return integer ? integer.getWidth() : 64;
}

/// Returns the facts of a tensor whose elements all equal a scalar.
static BitFacts spread(const BitFacts &a, ArrayRef<int64_t> shape) {
  if (!a.shape.empty())
    return a;
  SmallVector<int64_t> ones(shape.size(), 1);
  return broadcast(reshaped(a, ones), shape);
}

//===-------------------------------------------------------------------------===//
// Operations of arith
//===-------------------------------------------------------------------------===//

static BitFacts ofConstant(arith::ConstantOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getType());
  auto number = [&](const APInt &value) {
    return widthOf(op.getType()) == 1 ? static_cast<int64_t>(value.getZExtValue())
                                      : value.getSExtValue();
  };
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return BitFacts::constant(number(integer.getValue()));
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense || dense.isSplat()) {
    if (dense && dense.getElementType().isInteger())
      return BitFacts::constant(number(dense.getSplatValue<APInt>()), shape);
    return ofEqualElements({}, shape); // a float
  }
  if (!dense.getElementType().isInteger())
    return BitFacts::unknown(shape);
  SmallVector<int64_t> values;
  for (const APInt &value : dense.getValues<APInt>())
    values.push_back(number(value));
  return BitFacts::ofValues(values, shape);
}

static BitFacts ofComparison(arith::CmpIOp op, const BitFacts &a, const BitFacts &b) {
  using Predicate = arith::CmpIPredicate;
  auto inverted = [](const BitFacts &x) {
    return x.isConstant() ? BitFacts::constant(1 - *x.base, x.shape) : x;
  };
  bool sameSign = a.isNonNegative && b.isNonNegative;
  switch (op.getPredicate()) {
  case Predicate::ult:
    if (!sameSign)
      break;
    [[fallthrough]];
  case Predicate::slt:
    return isLess(a, b);
  case Predicate::uge:
    if (!sameSign)
      break;
    [[fallthrough]];
  case Predicate::sge:
    return inverted(isLess(a, b));
  case Predicate::ugt:
    if (!sameSign)
      break;
    [[fallthrough]];
  case Predicate::sgt:
    return isLess(b, a);
  case Predicate::ule:
    if (!sameSign)
      break;
    [[fallthrough]];
  case Predicate::sle:
    return inverted(isLess(b, a));
  case Predicate::eq:
  case Predicate::ne:
    break;
  }
  return ofEqualElements({a, b}, a.shape);
}

/// Computes a shift by a constant below 62. Any other shift counts as an arbitrary function of both
/// operands.
static BitFacts ofShift(Operation *op, const BitFacts &a, const BitFacts &b) {
  if (!b.isConstant() || *b.base < 0 || *b.base >= 62)
    return ofEqualElements({a, b}, a.shape);
  int64_t power = int64_t(1) << *b.base;
  if (isa<arith::ShLIOp>(op))
    return times(a, BitFacts::constant(power, a.shape));
  if (isa<arith::ShRSIOp>(op) || a.isNonNegative)
    return floorQuotient(a, power);
  return ofEqualElements({a, b}, a.shape);
}

static BitFacts ofAnd(const BitFacts &a, const BitFacts &b) {
  const BitFacts &mask = b.isConstant() ? b : a, &value = b.isConstant() ? a : b;
  if (mask.isConstant() && *mask.base > 0 && llvm::isMask_64(*mask.base) && *mask.base < 1ll << 61)
    return floorRemainder(value, *mask.base + 1);
  BitFacts result = ofEqualElements({a, b}, a.shape);
  result.isNonNegative = a.isNonNegative || b.isNonNegative;
  return result;
}

static BitFacts ofExtension(Operation *op, const BitFacts &a) {
  unsigned width = widthOf(op->getOperand(0).getType());
  if (isa<arith::ExtSIOp>(op)) // booleans are 0 and 1 here, but become 0 and -1
    return width == 1 ? times(a, BitFacts::constant(-1, a.shape)) : a;
  return a.isNonNegative || width == 1 || width > 32 ? a : floorRemainder(a, int64_t(1) << width);
}

/// Returns the facts of indices that wrap at a size (`% M`). As in Triton's own analysis, the
/// indices are assumed to count up from zero. The few negative indices that a kernel may compute
/// refer to memory before the tensor. The facts about signs stay correct.
static BitFacts wrapped(const BitFacts &a, const BitFacts &b) {
  if (b.isConstant())
    return remainder(a, b);
  BitFacts counted = a;
  counted.isNonNegative = true;
  BitFacts result = remainder(counted, b);
  result.isNonNegative = a.isNonNegative;
  return result;
}

/// Returns the facts, or nullopt if only generic rules apply.
static std::optional<BitFacts> ofArith(Operation *op, Operands in) {
  // The facts treat booleans as 0 and 1, but arithmetic treats them as 0 and -1.
  bool ofBooleans = op->getNumOperands() > 0 && widthOf(op->getOperand(0).getType()) == 1;
  if (ofBooleans && !isa<arith::AndIOp, arith::ExtSIOp, arith::ExtUIOp, arith::SelectOp>(op))
    return std::nullopt;
  auto unsignedOnly = [&](BitFacts (*f)(const BitFacts &, const BitFacts &)) {
    return in[0].isNonNegative && in[1].isNonNegative ? std::optional(f(in[0], in[1]))
                                                      : std::nullopt;
  };
  return TypeSwitch<Operation *, std::optional<BitFacts>>(op)
      .Case([&](arith::ConstantOp constant) { return ofConstant(constant); })
      .Case([&](arith::AddIOp) { return plus(in[0], in[1]); })
      .Case([&](arith::SubIOp) { return minus(in[0], in[1]); })
      .Case([&](arith::MulIOp) { return times(in[0], in[1]); })
      .Case([&](arith::DivSIOp) { return quotient(in[0], in[1]); })
      .Case([&](arith::RemSIOp) { return wrapped(in[0], in[1]); })
      .Case([&](arith::DivUIOp) { return unsignedOnly(quotient); })
      .Case([&](arith::RemUIOp) { return unsignedOnly(remainder); })
      .Case([&](arith::MinSIOp) { return least(in[0], in[1]); })
      .Case([&](arith::MaxSIOp) { return greatest(in[0], in[1]); })
      .Case([&](arith::MinUIOp) { return unsignedOnly(least); })
      .Case([&](arith::MaxUIOp) { return unsignedOnly(greatest); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](Operation *shift) { return ofShift(shift, in[0], in[1]); })
      .Case([&](arith::AndIOp) { return ofAnd(in[0], in[1]); })
      .Case([&](arith::CmpIOp compare) { return ofComparison(compare, in[0], in[1]); })
      .Case([&](arith::SelectOp) { return selected(spread(in[0], in[1].shape), in[1], in[2]); })
      .Case<arith::ExtSIOp, arith::ExtUIOp>(
          [&](Operation *extension) { return ofExtension(extension, in[0]); })
      .Case(
          [&](arith::TruncIOp truncation) { return wrapped(in[0], widthOf(truncation.getType())); })
      .Default([](Operation *) { return std::nullopt; });
}

//===-------------------------------------------------------------------------===//
// Operations of tt
//===-------------------------------------------------------------------------===//

static BitFacts ofRange(MakeRangeOp op) {
  BitFacts result = BitFacts::constant(op.getStart(), op.getType().getShape());
  for (unsigned bit = 0; bit < result.steps.size(); ++bit)
    result.steps[bit] = Step(int64_t(1) << bit);
  return result;
}

/// Returns the facts of a tensor with the same elements in an arbitrary order.
static BitFacts inAnyOrder(const BitFacts &a, Type type) {
  if (a.isConstant())
    return BitFacts::constant(*a.base, shapeOf(type));
  BitFacts result = unknownOf(type);
  result.divisor = a.elementDivisor();
  result.isNonNegative = a.isNonNegative;
  return result;
}

/// Keeps steps of zero, but not along dimension `axis`. `gone` removes that dimension.
static BitFacts alongOthers(Operands operands, unsigned axis, bool gone) {
  BitFacts result = ofEqualElements(operands, operands[0].shape);
  unsigned first = result.firstBit(axis), count = result.bitCount(axis);
  if (gone) {
    result.steps.erase(result.steps.begin() + first, result.steps.begin() + first + count);
    result.shape.erase(result.shape.begin() + axis);
  } else {
    std::fill_n(result.steps.begin() + first, count, Step());
  }
  return result;
}

static BitFacts ofMapped(MapElementwiseOp op, Operands in) {
  BitFacts result = ofEqualElements(in, in[0].shape);
  std::fill_n(result.steps.begin(), llvm::Log2_64(op.getPack()), Step());
  return result;
}

static BitFacts ofGather(GatherOp op, Operands in) {
  BitFacts result = inAnyOrder(in[0], op.getType());
  for (unsigned d = 0; d < result.shape.size(); ++d)
    for (unsigned bit = result.firstBit(d), i = 0; i < result.bitCount(d); ++bit, ++i)
      if (in[1].steps[bit] == 0 &&
          (static_cast<int64_t>(d) == op.getAxis() || in[0].steps[in[0].firstBit(d) + i] == 0))
        result.steps[bit] = Step(0);
  return result;
}

static BitFacts nonNegativeScalar() {
  BitFacts result = BitFacts::unknown({});
  result.isNonNegative = true;
  return result;
}

static std::optional<BitFacts> ofTriton(Operation *op, Operands in) {
  Type type = op->getResult(0).getType();
  return TypeSwitch<Operation *, std::optional<BitFacts>>(op)
      .Case<GetProgramIdOp, GetNumProgramsOp>([&](Operation *) { return nonNegativeScalar(); })
      .Case([&](MakeRangeOp range) { return ofRange(range); })
      .Case([&](SplatOp) { return spread(in[0], shapeOf(type)); })
      .Case<UnsplatOp, ExpandDimsOp>([&](Operation *) { return reshaped(in[0], shapeOf(type)); })
      .Case([&](ReshapeOp reshape) {
        return reshape.getAllowReorder() ? inAnyOrder(in[0], type) : reshaped(in[0], shapeOf(type));
      })
      .Case([&](BroadcastOp) { return broadcast(in[0], shapeOf(type)); })
      .Case([&](TransOp trans) { return transposed(in[0], trans.getOrder()); })
      .Case([&](JoinOp) { return joined(in[0], in[1]); })
      .Case([&](CatOp) { return inAnyOrder(either(in[0], in[1]), type); })
      .Case([&](GatherOp gather) { return ofGather(gather, in); })
      .Case([&](AddPtrOp) {
        return plus(in[0], times(in[1], BitFacts::constant(unitOf(type), in[1].shape)));
      })
      .Case<IntToPtrOp, PtrToIntOp>([&](Operation *) { return in[0]; })
      .Case([&](BitcastOp cast) -> std::optional<BitFacts> {
        bool alike = isa<triton::PointerType>(scalarOf(type)) || type == cast.getSource().getType();
        return alike ? std::optional(in[0]) : std::nullopt;
      })
      .Case([&](LoadOp load) {
        return load.getIsVolatile() ? unknownOf(type) : ofEqualElements(in, in[0].shape);
      })
      .Case([&](ScanOp scan) { return alongOthers(in, scan.getAxis(), /*gone=*/false); })
      .Case([&](ReduceOp reduce) { return alongOthers(in, reduce.getAxis(), /*gone=*/true); })
      .Case([&](MapElementwiseOp map) { return ofMapped(map, in); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns whether an operation computes each element with a function that gives equal results for
/// equal operands.
static bool isFunctionOfElements(Operation *op) {
  if (auto call = dyn_cast<ExternElementwiseOp>(op))
    return call.getPure();
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<BitcastOp, FpToFpOp, ClampfOp, PreciseSqrtOp, PreciseDivFOp, MulhiUIOp>(op);
}

SmallVector<BitFacts> triton::transferFacts(Operation *op, ArrayRef<BitFacts> operands) {
  SmallVector<BitFacts> results;
  if (isa<SplitOp>(op))
    return {splitOff(operands[0], /*second=*/false), splitOff(operands[0], /*second=*/true)};
  if (op->getNumResults() == 0)
    return results;
  std::optional<BitFacts> facts = ofArith(op, operands);
  unsigned width = widthOf(op->getResult(0).getType());
  // Narrow integers wrap on purpose. Wider integers are assumed not to overflow (BitFacts.h).
  if (facts && width < 32 && width > 1 && !isa<arith::ConstantOp>(op))
    facts = wrapped(*facts, width);
  if (!facts)
    facts = ofTriton(op, operands);
  if (!facts && isFunctionOfElements(op)) {
    SmallVector<BitFacts> elements;
    for (const BitFacts &operand : operands)
      elements.push_back(spread(operand, shapeOf(op->getResult(0).getType())));
    facts = ofEqualElements(elements, shapeOf(op->getResult(0).getType()));
  }
  for (Type type : op->getResultTypes())
    results.push_back(facts ? *facts : unknownOf(type));
  return results;
}
