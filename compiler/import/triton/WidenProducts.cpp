//===- WidenProducts.cpp - products of narrow floats, rounded once ----------===//
//   before: %r = tt.dot %a, %b, %c : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf16>
//   after:  %w = arith.extf %c : tensor<16x16xf16> to tensor<16x16xf32>
//           %s = tt.dot %a, %b, %w : tensor<16x64xf16> * tensor<64x16xf16> -> tensor<16x16xf32>
//           %r = arith.truncf %s : tensor<16x16xf32> to tensor<16x16xf16>
// Needs: nothing. Leaves: no tt.dot whose sums are f16 or bf16.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::triton {
#define GEN_PASS_DEF_WIDENPRODUCTS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;

static void widen(DotOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  if (!isa<Float16Type, BFloat16Type>(type.getElementType()))
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type wide = type.clone(b.getF32Type());
  Value sum =
      DotOp::create(b, wide, op.getA(), op.getB(), arith::ExtFOp::create(b, wide, op.getC()),
                    op.getInputPrecision(), op.getMaxNumImpreciseAcc());
  op.replaceAllUsesWith(arith::TruncFOp::create(b, type, sum).getResult());
  op.erase();
}

namespace {

struct WidenProducts final : triton::impl::WidenProductsBase<WidenProducts> {
  void runOnOperation() override {
    getOperation().walk([](DotOp op) { widen(op); });
  }
};

} // namespace
