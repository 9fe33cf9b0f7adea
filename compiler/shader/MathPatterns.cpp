//===- MathPatterns.cpp - functions of OpenCL C instead of the math dialect -===//
//   before: %y = math.sin %x : f32           %q = arith.divui %a, %b : i32
//   after:  %y = llvm.call @_Z3sinf(%x)      %q = llvm.udiv %a, (%b == 0 ? 1 : %b)
//===-------------------------------------------------------------------------===//
#include "compiler/shader/LanePatterns.h"

#include "compiler/opencl/MangledCalls.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace pumice;

namespace {

template <typename OpTy> struct ConvertFunction final : OpConversionPattern<OpTy> {
  ConvertFunction(const LLVMTypeConverter &converter, MLIRContext *context, const char *name)
      : OpConversionPattern<OpTy>(converter, context, PatternBenefit(10)), name(name) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    b.replaceOp(op, opencl::callOpenCl(b, op.getLoc(), SymbolTable::getNearestSymbolTable(op), name,
                                       op.getType(), adaptor.getOperands()));
    return success();
  }
  const char *name;
};

/// The results of divisions that would trap are open, but the invocation must go on.
template <typename OpTy, typename LlvmOp, bool isSigned, bool isRemainder>
struct ConvertDivision final : OpConversionPattern<OpTy> {
  ConvertDivision(const LLVMTypeConverter &converter, MLIRContext *context)
      : OpConversionPattern<OpTy>(converter, context, PatternBenefit(10)) {}
  LogicalResult matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                                ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Value a = adaptor.getLhs(), c = adaptor.getRhs();
    APInt constant;
    if (matchPattern(op.getRhs(), m_ConstantInt(&constant)) && !constant.isZero() &&
        !constant.isAllOnes()) {
      b.replaceOpWithNewOp<LlvmOp>(op, a, c);
      return success();
    }
    Type type = a.getType();
    unsigned width = type.getIntOrFloatBitWidth();
    auto number = [&](const APInt &value) -> Value {
      return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
    };
    auto equal = [&](Value x, Value y) -> Value {
      return LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, x, y);
    };
    Value isZero = equal(c, number(APInt::getZero(width))), bad = isZero;
    if (isSigned) {
      Value negates = equal(c, number(APInt::getAllOnes(width)));
      Value overflows = equal(a, number(APInt::getSignedMinValue(width)));
      bad = LLVM::OrOp::create(b, loc, bad, LLVM::AndOp::create(b, loc, negates, overflows));
    }
    Value divisor = LLVM::SelectOp::create(b, loc, bad, number(APInt(width, 1)), c);
    Value result = LlvmOp::create(b, loc, a, divisor);
    // As on the CPU device: all bits for a quotient by 0, and the dividend for a remainder.
    Value byZero = isRemainder ? a : number(APInt::getAllOnes(width));
    b.replaceOpWithNewOp<LLVM::SelectOp>(op, isZero, byZero, result);
    return success();
  }
};

} // namespace

void shader::populateMathPatterns(const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  auto add = [&]<typename OpTy>(OpTy *, const char *name) {
    patterns.add<ConvertFunction<OpTy>>(converter, context, name);
  };
#define PUMICE_MATH(op, name) add(static_cast<math::op *>(nullptr), name)
  PUMICE_MATH(AbsFOp, "fabs");
  PUMICE_MATH(AbsIOp, "abs");
  PUMICE_MATH(AcosOp, "acos");
  PUMICE_MATH(AcoshOp, "acosh");
  PUMICE_MATH(AsinOp, "asin");
  PUMICE_MATH(AsinhOp, "asinh");
  PUMICE_MATH(Atan2Op, "atan2");
  PUMICE_MATH(AtanOp, "atan");
  PUMICE_MATH(AtanhOp, "atanh");
  PUMICE_MATH(CbrtOp, "cbrt");
  PUMICE_MATH(CeilOp, "ceil");
  PUMICE_MATH(CopySignOp, "copysign");
  PUMICE_MATH(CosOp, "cos");
  PUMICE_MATH(CoshOp, "cosh");
  PUMICE_MATH(CountLeadingZerosOp, "clz");
  PUMICE_MATH(CountTrailingZerosOp, "ctz");
  PUMICE_MATH(CtPopOp, "popcount");
  PUMICE_MATH(ErfOp, "erf");
  PUMICE_MATH(ErfcOp, "erfc");
  PUMICE_MATH(Exp2Op, "exp2");
  PUMICE_MATH(ExpM1Op, "expm1");
  PUMICE_MATH(ExpOp, "exp");
  PUMICE_MATH(FPowIOp, "pown");
  PUMICE_MATH(FloorOp, "floor");
  PUMICE_MATH(FmaOp, "fma");
  PUMICE_MATH(Log10Op, "log10");
  PUMICE_MATH(Log1pOp, "log1p");
  PUMICE_MATH(Log2Op, "log2");
  PUMICE_MATH(LogOp, "log");
  PUMICE_MATH(PowFOp, "pow");
  PUMICE_MATH(RoundEvenOp, "rint");
  PUMICE_MATH(RoundOp, "round");
  PUMICE_MATH(RsqrtOp, "rsqrt");
  PUMICE_MATH(SinOp, "sin");
  PUMICE_MATH(SinhOp, "sinh");
  PUMICE_MATH(SqrtOp, "sqrt");
  PUMICE_MATH(TanOp, "tan");
  PUMICE_MATH(TanhOp, "tanh");
  PUMICE_MATH(TruncOp, "trunc");
#undef PUMICE_MATH
  patterns.add<ConvertDivision<arith::DivSIOp, LLVM::SDivOp, true, false>,
               ConvertDivision<arith::DivUIOp, LLVM::UDivOp, false, false>,
               ConvertDivision<arith::RemSIOp, LLVM::SRemOp, true, true>,
               ConvertDivision<arith::RemUIOp, LLVM::URemOp, false, true>>(converter, context);
}
