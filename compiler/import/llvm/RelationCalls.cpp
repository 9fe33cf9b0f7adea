//===- RelationCalls.cpp - OpenCL's comparisons and selections --------------===//
#include "compiler/import/llvm/Builtins.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::llvm_import;

using Made = std::optional<FailureOr<Value>>;
using F = arith::CmpFPredicate;
using P = arith::CmpIPredicate;

/// Returns whether the highest bit of each lane is set.
static Value highBits(Call &c, Value x) {
  x = c.toBits(x);
  return c.compare(P::slt, x, c.constant(x.getType(), int64_t(0)));
}

/// Combines lanes of conditions.
static Value reduceConditions(Call &c, Value condition, bool all) {
  if (auto vector = dyn_cast<VectorType>(condition.getType()))
    return c.op<vector::ReductionOp>(all ? vector::CombiningKind::AND : vector::CombiningKind::OR,
                                     condition);
  return condition;
}

/// Chooses the second argument where the third one is true: for vectors its highest bit, and for
/// numbers whether it is not zero.
static Value selectByBits(Call &c) {
  Value mask = c.x[2];
  Value condition = isa<VectorType>(mask.getType())
                        ? highBits(c, mask)
                        : c.compare(P::ne, mask, c.constant(mask.getType(), int64_t(0)));
  return c.select(condition, c.x[1], c.x[0]);
}

static Value bitSelect(Call &c) {
  Value x = c.toBits(c.x[0]), y = c.toBits(c.x[1]), mask = c.toBits(c.x[2]);
  Value all = c.constant(mask.getType(), int64_t(-1));
  Value kept = c.op<arith::AndIOp>(x, c.op<arith::XOrIOp>(mask, all));
  return c.fromBits(c.op<arith::OrIOp>(kept, c.op<arith::AndIOp>(y, mask)), c.result);
}

Made llvm_import::translateRelation(Call &c) {
  if (c.name == "select")
    return selectByBits(c);
  if (c.name == "bitselect")
    return bitSelect(c);
  if (c.name == "any" || c.name == "all") {
    Value whole = reduceConditions(c, highBits(c, c.x[0]), c.name == "all");
    return c.op<arith::ExtUIOp>(c.result, whole);
  }
  static const llvm::StringMap<F> comparisons = {
      {"isequal", F::OEQ},       {"isnotequal", F::UNE},     {"isgreater", F::OGT},
      {"isless", F::OLT},        {"isgreaterequal", F::OGE}, {"islessequal", F::OLE},
      {"islessgreater", F::ONE}, {"isordered", F::ORD},      {"isunordered", F::UNO}};
  if (auto found = comparisons.find(c.name); found != comparisons.end())
    return c.truth(c.compare(found->second, c.x[0], c.x[1]), c.result);
  if (c.name == "signbit")
    return c.truth(highBits(c, c.x[0]), c.result);
  if (c.name == "isnan")
    return c.truth(c.op<math::IsNaNOp>(c.x[0]), c.result);
  if (c.name == "isinf")
    return c.truth(c.op<math::IsInfOp>(c.x[0]), c.result);
  if (c.name == "isfinite")
    return c.truth(c.op<math::IsFiniteOp>(c.x[0]), c.result);
  if (c.name == "isnormal")
    return c.truth(c.op<math::IsNormalOp>(c.x[0]), c.result);
  return std::nullopt;
}
