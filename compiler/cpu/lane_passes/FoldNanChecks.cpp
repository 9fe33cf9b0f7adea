//===- FoldNanChecks.cpp - folds minima and maxima that avoid NaN -----------===//
//   before: %m = arith.select (%a < %b), %b, %a      (GLSL's FMax leaves NaN open)
//           %n = arith.select (%a is NaN), %b, %m
//           %r = arith.select (%b is NaN), %a, %n
//   after:  %r = arith.maxnumf %a, %b
// MLIR expands arith.maxnumf to the first form, and shader compilers emit it. The second form has
// half the instructions. It also compiles faster, since LLVM analyzes comparisons at length. Needs:
// SpirvToLanes.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_FOLDNANCHECKS
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

namespace {
/// A selection `isChecked ? other : rest`. The condition isChecked is true if `checked` is NaN.
struct NanCheck {
  Value checked, other, rest;
};

/// The larger or the smaller of two numbers.
struct Extremum {
  Value a, b;
  bool largest;
};
} // namespace

static std::optional<NanCheck> nanCheck(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::UNO ||
      compare.getLhs() != compare.getRhs())
    return std::nullopt;
  return NanCheck{compare.getLhs(), select.getTrueValue(), select.getFalseValue()};
}

static std::optional<Extremum> extremum(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OLT)
    return std::nullopt;
  Value low = compare.getLhs(), high = compare.getRhs();
  if (select.getTrueValue() == high && select.getFalseValue() == low)
    return Extremum{low, high, /*largest=*/true};
  if (select.getTrueValue() == low && select.getFalseValue() == high)
    return Extremum{high, low, /*largest=*/false};
  return std::nullopt;
}

/// Finds an extremum with NaN checks of both operands.
static std::optional<Extremum> numberOf(arith::SelectOp op) {
  std::optional<NanCheck> outer = nanCheck(op.getResult());
  std::optional<NanCheck> inner = outer ? nanCheck(outer->rest) : std::nullopt;
  std::optional<Extremum> found = inner ? extremum(inner->rest) : std::nullopt;
  if (!found || outer->other != inner->checked || inner->other != outer->checked)
    return std::nullopt;
  bool same = (outer->checked == found->a && inner->checked == found->b) ||
              (outer->checked == found->b && inner->checked == found->a);
  return same ? found : std::nullopt;
}

namespace {
struct FoldNanChecks final : cpu::impl::FoldNanChecksBase<FoldNanChecks> {
  void runOnOperation() override {
    bool folded = false;
    getOperation().walk([&](arith::SelectOp op) {
      std::optional<Extremum> found = numberOf(op);
      if (!found)
        return;
      OpBuilder b(op);
      Value result = found->largest
                         ? arith::MaxNumFOp::create(b, op.getLoc(), found->a, found->b).getResult()
                         : arith::MinNumFOp::create(b, op.getLoc(), found->a, found->b).getResult();
      op.getResult().replaceAllUsesWith(result);
      op.erase();
      folded = true;
    });
    // Removes unused operations, users first. CSE would need several runs.
    if (folded)
      getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
        if (isOpTriviallyDead(op))
          op->erase();
      });
  }
};
} // namespace
