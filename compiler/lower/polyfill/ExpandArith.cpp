//===- ExpandArith.cpp - expands arith, index and ub operations -------------===//
//   before: %q = arith.floordivsi %a, %b : i32
//   after:  %d = arith.divsi %a, %b : i32, and a correction if signs differ and the rest is not 0
//
// Expands operations that SPIR-V lacks. Afterwards, values of 4 to 8-bit float types are only
// loaded, stored, selected and bit-cast.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/polyfill/ExpandArith.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/Passes.h"

#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace pumice::lower {
#define GEN_PASS_DEF_EXPANDARITH
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

void pumice::lower::populateExpandArithPatterns(RewritePatternSet &patterns, unsigned indexBits) {
  populateExpandIntegerPatterns(patterns);
  populateExpandComparisonPatterns(patterns, indexBits);
  populateExpandBooleanPatterns(patterns);
  populateExpandFloatPatterns(patterns);
  populateExpandFloatConversionPatterns(patterns);
  populateExpandIndexPatterns(patterns, indexBits);
}

/// Returns whether `op` belongs to a kind that this pass always expands. If one remains after the
/// rewrite, its type is unsupported.
static bool isLeftOver(Operation *op) {
  if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    return !getElementTypeOrSelf(op->getOperand(0).getType()).isInteger(32);
  if (auto remainder = dyn_cast<arith::RemFOp>(op))
    return !arith::bitEnumContainsAny(remainder.getFastmath(), arith::FastMathFlags::afn);
  return isa<index::IndexDialect>(op->getDialect()) ||
         isa<ub::PoisonOp, arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::RemSIOp, arith::AddUIExtendedOp, arith::ScalingExtFOp, arith::ScalingTruncFOp>(
             op);
}

namespace {
struct ExpandArith final : pumice::lower::impl::ExpandArithBase<ExpandArith> {
  using ExpandArithBase::ExpandArithBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry
        .insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandArithPatterns(patterns, indexBits);
    auto target = getOperation()->getAttrOfType<vk::TargetEnvAttr>(vk::targetEnvAttrName);
    if (target && vk::toTargetEnv(target).needs(target::Workaround::noSignedLongOrders))
      populateOrderUnsignedPatterns(patterns, indexBits);
    if (target && vk::toTargetEnv(target).needs(target::Workaround::noLongDivisions))
      populateExpandLongDivisionPatterns(patterns, indexBits);
    if (target && vk::toTargetEnv(target).needs(target::Workaround::noOrderedNotEqual))
      populateSplitNotEqualPatterns(patterns);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    WalkResult result = getOperation().walk([](Operation *op) -> WalkResult {
      if (!op->getDialect() || !isLeftOver(op))
        return WalkResult::advance();
      Type type = op->getNumOperands() ? op->getOperand(0).getType() : op->getResult(0).getType();
      return op->emitOpError("cannot be computed on ") << type << ": use a type of at most 64 bits";
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
