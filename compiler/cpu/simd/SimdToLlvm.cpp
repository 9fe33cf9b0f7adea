//===- SimdToLlvm.cpp - arith, math and vector in an llvm.func → llvm -------===//
//   before: %r = arith.addf %a, %b : vector<16xf32>
//   after:  %r = llvm.fadd %a, %b : vector<16xf32>
// Needs: pumice-lanes-to-simd. Leaves: the llvm dialect only.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/simd/Avx512Math.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/DialectConversion.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_SIMDTOLLVM
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;

namespace {
struct SimdToLlvm final : pumice::cpu::impl::SimdToLlvmBase<SimdToLlvm> {
  using SimdToLlvmBase::SimdToLlvmBase;
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter types(context, options);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    if (avx512)
      pumice::cpu::populateAvx512MathPatterns(types, patterns);
    populateVectorToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
