//===- ExpandLaneMath.cpp - expands functions that a CPU lacks --------------===//
//   before: %r = math.exp %x : f32
//   after:  arith and math.fma operations: a range reduction and a polynomial
// Runs on scalars, before they become vectors, so that each function is expanded once. Leaves: math
// operations that a CPU computes in one or a few instructions.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/lane_passes/RegionValues.h"
#include "compiler/lower/polyfill/ExpandMath.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_EXPANDLANEMATH
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

/// Converts the conditionals of polyfills, which branch around rare and long paths.
///   before: %r = scf.if %c -> (f32) { scf.yield %a } else { scf.yield %b }
///   after:  lane.if %c { lane.set %v, %a  lane.end } else { lane.set %v, %b  lane.end }
///           %r = lane.get %v
static void makeLaneConditional(scf::IfOp op, Block &top) {
  Location loc = op.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&top);
  SmallVector<Value> variables;
  for (Type type : op.getResultTypes())
    variables.push_back(cpu::makeVariable(builder, loc, type));
  builder.setInsertionPoint(op);
  for (Value variable : variables)
    lane::ResetOp::create(builder, loc, variable);
  auto made =
      lane::IfOp::create(builder, loc, op.getCondition(), DenseI32ArrayAttr(), IntegerAttr());
  for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions())) {
    if (from.empty()) {
      builder.createBlock(&to);
    } else {
      to.takeBody(from);
      Operation *yield = to.front().getTerminator();
      builder.setInsertionPoint(yield);
      for (auto [variable, value] : llvm::zip(variables, yield->getOperands()))
        lane::SetOp::create(builder, loc, variable, value, /*overwrite=*/false);
      yield->erase();
      builder.setInsertionPointToEnd(&to.front());
    }
    lane::EndOp::create(builder, loc);
  }
  builder.setInsertionPointAfter(made);
  for (auto [result, variable] : llvm::zip(op.getResults(), variables))
    result.replaceAllUsesWith(lane::GetOp::create(builder, loc, result.getType(), variable));
  op.erase();
}

/// Splits an fma into two operations, because LLVM would call a function for each lane.
static void splitFma(math::FmaOp op) {
  OpBuilder builder(op);
  Value product = arith::MulFOp::create(builder, op.getLoc(), op.getA(), op.getB());
  op->replaceAllUsesWith(arith::AddFOp::create(builder, op.getLoc(), product, op.getC()));
  op.erase();
}

/// Computes an fma of f16 numbers in f32, because LLVM would call an f64 function. The product is
/// exact in f32. The sum is rounded to odd, with the help of its rounding error, so that rounding
/// it again to f16 is correct.
static void fuseHalves(math::FmaOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type single = b.getF32Type(), word = b.getI32Type();
  auto wide = [&](Value x) { return arith::ExtFOp::create(b, single, x).getResult(); };
  auto sub = [&](Value x, Value y) { return arith::SubFOp::create(b, x, y).getResult(); };
  auto integer = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)))
        .getResult();
  };
  Value product = arith::MulFOp::create(b, wide(op.getA()), wide(op.getB()));
  Value addend = wide(op.getC());
  Value sum = arith::AddFOp::create(b, product, addend);
  Value part = sub(sum, product);
  Value lost = arith::AddFOp::create(b, sub(product, sub(sum, part)), sub(addend, part));
  Value none = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
  Value isInexact = arith::CmpFOp::create(b, arith::CmpFPredicate::ONE, lost, none);
  Value bits = arith::BitcastOp::create(b, word, sum);
  Value isEven =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            arith::AndIOp::create(b, bits, integer(1)).getResult(), integer(0));
  Value signs = arith::XOrIOp::create(b, bits, arith::BitcastOp::create(b, word, lost));
  Value isMore = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, signs, integer(0));
  Value step = arith::SelectOp::create(b, isMore, integer(1), integer(-1));
  Value odd = arith::SelectOp::create(b, arith::AndIOp::create(b, isInexact, isEven).getResult(),
                                      arith::AddIOp::create(b, bits, step).getResult(), bits);
  Value rounded = arith::BitcastOp::create(b, single, odd);
  op->replaceAllUsesWith(arith::TruncFOp::create(b, b.getF16Type(), rounded));
  op.erase();
}

namespace {
struct ExpandLaneMath final : cpu::impl::ExpandLaneMathBase<ExpandLaneMath> {
  using ExpandLaneMathBase::ExpandLaneMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet made(context);
    lower::populateExpandMathPatterns(
        made, {.nativeFloat16 = true, .shaderFunctions = false, .nativeExponentials = avx512});
    patterns = std::move(made);
    return success();
  }

  void runOnOperation() override {
    if (!halves)
      getOperation().walk([](math::FmaOp op) {
        if (op.getType().isF16())
          fuseHalves(op);
      });
    SmallVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
        functions.push_back(op);
    });
    llvm::SmallPtrSet<Operation *, 8> asked; // the kernel's own fma operations must round once
    getOperation().walk([&](math::FmaOp op) { asked.insert(op); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (!functions.empty() && failed(applyOpPatternsGreedily(functions, patterns, config)))
      return signalPassFailure();
    if (!fused)
      getOperation().walk([&](math::FmaOp op) {
        if (!asked.contains(op))
          splitFma(op);
      });
    // Inner conditionals come first. All conditionals come from polyfills.
    getOperation().walk(
        [&](scf::IfOp op) { makeLaneConditional(op, getOperation().getBody().front()); });
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
