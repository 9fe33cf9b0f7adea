//===- FloatPatterns.cpp - float arithmetic that keeps its rounding ---------===//
//   before: %0 = arith.mulf %a, %b : f32        %1 = arith.mulf %a, %b fastmath<contract> : f32
//   after:  %0 = spirv.FMul %a, %b {no_contraction}   %1 = spirv.FMul %a, %b : f32
// SPIR-V lets a driver fuse a multiplication and an addition unless a decoration forbids this.
// arith forbids it unless a flag allows it.
//===-------------------------------------------------------------------------===//
#include "compiler/spirv/KernelConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::spirv;

namespace {

template <typename ArithOp, typename SpirvOp>
struct ConvertFloat final : OpConversionPattern<ArithOp> {
  using OpConversionPattern<ArithOp>::OpConversionPattern;
  LogicalResult matchAndRewrite(ArithOp op, typename ArithOp::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (!type || !(isa<FloatType>(type) || isa<VectorType>(type)))
      return rewriter.notifyMatchFailure(op, "not a float of SPIR-V");
    auto converted =
        rewriter.replaceOpWithNewOp<SpirvOp>(op, type, adaptor.getLhs(), adaptor.getRhs());
    // OpenCL has an execution mode instead, which FinalizeSpirv sets if an operation needs it.
    if (!arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::contract))
      converted->setAttr("no_contraction", rewriter.getUnitAttr());
    return success();
  }
};

} // namespace

void pumice::spirv::populateFloatPatterns(const KernelTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<ConvertFloat<arith::AddFOp, spv::FAddOp>, ConvertFloat<arith::SubFOp, spv::FSubOp>,
               ConvertFloat<arith::MulFOp, spv::FMulOp>>(converter, patterns.getContext(),
                                                         PatternBenefit(10));
}
