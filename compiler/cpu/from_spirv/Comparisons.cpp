//===- Comparisons.cpp - comparisons and logic ------------------------------===//
#include "compiler/cpu/from_spirv/MemoryBackedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

template <arith::CmpIPredicate how>
static Value compareIntegers(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::CmpIOp::create(l.b, how, x[0], x[1]);
}

template <arith::CmpFPredicate how>
static Value compareFloats(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::CmpFOp::create(l.b, how, x[0], x[1]);
}

template <typename Op> static Value logical(Lowering &l, Type, ArrayRef<Value> x) {
  return Op::create(l.b, x[0], x[1]);
}

static Value logicalNot(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::XOrIOp::create(l.b, x[0], l.integer(1, 1));
}

static Value selectEach(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::SelectOp::create(l.b, x[0], x[1], x[2]);
}

/// Lowers OpSelect. One scalar condition may select between whole composites. A selection between
/// pointers selects between their addresses.
static LogicalResult lowerSelect(Lowering &l, Operation *op) {
  if (memory_backed::isLong(l.types, op->getResult(0).getType()))
    return memory_backed::select(l, op);
  Scalars condition = l.get(op->getOperand(0)), yes = l.get(op->getOperand(1)),
          no = l.get(op->getOperand(2)), results;
  for (size_t i = 0; i < yes.size(); ++i)
    results.push_back(
        selectEach(l, {}, {condition.size() == 1 ? condition[0] : condition[i], yes[i], no[i]}));
  return l.finish(op, results);
}

template <typename Op> static LogicalResult reduceBooleans(Lowering &l, Operation *op) {
  Scalars x = l.get(op->getOperand(0));
  Value result = x[0];
  for (Value next : ArrayRef<Value>(x).drop_front())
    result = Op::create(l.b, result, next);
  return l.finish(op, {result});
}

//===-------------------------------------------------------------------------===//
// Classification of numbers
//===-------------------------------------------------------------------------===//

static Value isNan(Lowering &l, Type, ArrayRef<Value> x) {
  return arith::CmpFOp::create(l.b, arith::CmpFPredicate::UNO, x[0], x[0]);
}

template <arith::CmpFPredicate how>
static Value againstInfinity(Lowering &l, Type, ArrayRef<Value> x) {
  Value magnitude = math::AbsFOp::create(l.b, x[0]);
  Value infinity = l.real(x[0].getType(), std::numeric_limits<double>::infinity());
  return arith::CmpFOp::create(l.b, how, magnitude, infinity);
}

static Value bitsOf(Lowering &l, Value x) {
  return arith::BitcastOp::create(l.b, l.b.getIntegerType(x.getType().getIntOrFloatBitWidth()), x);
}

static Value signBit(Lowering &l, Type, ArrayRef<Value> x) {
  unsigned width = x[0].getType().getIntOrFloatBitWidth();
  return arith::CmpIOp::create(l.b, arith::CmpIPredicate::slt, bitsOf(l, x[0]),
                               l.integer(0, width));
}

/// Returns whether a number is neither zero nor subnormal, infinite or NaN.
static Value isNormal(Lowering &l, Type, ArrayRef<Value> x) {
  Value magnitude = math::AbsFOp::create(l.b, x[0]);
  auto type = cast<FloatType>(x[0].getType());
  Value smallest = arith::ConstantOp::create(
      l.b, l.b.getFloatAttr(type, APFloat::getSmallestNormalized(type.getFloatSemantics())));
  Value large = arith::CmpFOp::create(l.b, arith::CmpFPredicate::OGE, magnitude, smallest);
  return arith::AndIOp::create(l.b, large, againstInfinity<arith::CmpFPredicate::OLT>(l, {}, x));
}

using F = arith::CmpFPredicate;
using I = arith::CmpIPredicate;
static constexpr Rule rulesOfComparison[] = {
    {"All", reduceBooleans<arith::AndIOp>},
    {"Any", reduceBooleans<arith::OrIOp>},
    {"FOrdEqual", compareFloats<F::OEQ>},
    {"FOrdGreaterThan", compareFloats<F::OGT>},
    {"FOrdGreaterThanEqual", compareFloats<F::OGE>},
    {"FOrdLessThan", compareFloats<F::OLT>},
    {"FOrdLessThanEqual", compareFloats<F::OLE>},
    {"FOrdNotEqual", compareFloats<F::ONE>},
    {"FUnordEqual", compareFloats<F::UEQ>},
    {"FUnordGreaterThan", compareFloats<F::UGT>},
    {"FUnordGreaterThanEqual", compareFloats<F::UGE>},
    {"FUnordLessThan", compareFloats<F::ULT>},
    {"FUnordLessThanEqual", compareFloats<F::ULE>},
    {"FUnordNotEqual", compareFloats<F::UNE>},
    {"IEqual", compareIntegers<I::eq>},
    {"INotEqual", compareIntegers<I::ne>},
    {"IsFinite", againstInfinity<F::OLT>},
    {"IsInf", againstInfinity<F::OEQ>},
    {"IsNan", isNan},
    {"IsNormal", isNormal},
    {"LessOrGreater", compareFloats<F::ONE>},
    {"LogicalAnd", logical<arith::AndIOp>},
    {"LogicalEqual", compareIntegers<I::eq>},
    {"LogicalNot", logicalNot},
    {"LogicalNotEqual", logical<arith::XOrIOp>},
    {"LogicalOr", logical<arith::OrIOp>},
    {"Ordered", compareFloats<F::ORD>},
    {"SGreaterThan", compareIntegers<I::sgt>},
    {"SGreaterThanEqual", compareIntegers<I::sge>},
    {"SLessThan", compareIntegers<I::slt>},
    {"SLessThanEqual", compareIntegers<I::sle>},
    {"Select", lowerSelect},
    {"SignBitSet", signBit},
    {"UGreaterThan", compareIntegers<I::ugt>},
    {"UGreaterThanEqual", compareIntegers<I::uge>},
    {"ULessThan", compareIntegers<I::ult>},
    {"ULessThanEqual", compareIntegers<I::ule>},
    {"Unordered", compareFloats<F::UNO>},
};

ArrayRef<Rule> pumice::cpu::comparisonRules() { return rulesOfComparison; }
