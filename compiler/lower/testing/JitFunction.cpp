//===- JitFunction.cpp - runs expanded operations on this machine -----------===//
#include "compiler/lower/testing/JitFunction.h"

#include "compiler/lower/polyfill/ExpandArith.h"
#include "compiler/lower/polyfill/ExpandMath.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/Support/TargetSelect.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace pumice::lower;
using namespace pumice::lower::testing;

struct JitModule::State {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::unique_ptr<ExecutionEngine> engine;
};

static void loadDialects(MLIRContext &context) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                  index::IndexDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                  ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

namespace {
struct SplitFma final : OpRewritePattern<math::FmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FmaOp op, PatternRewriter &rewriter) const override {
    Value product = arith::MulFOp::create(rewriter, op.getLoc(), op.getA(), op.getB());
    rewriter.replaceOpWithNewOp<arith::AddFOp>(op, product, op.getC());
    return success();
  }
};
} // namespace

static LogicalResult expand(ModuleOp module, FmaKind fma, LongDivisions divisions) {
  RewritePatternSet patterns(module.getContext());
  unsigned indexBits = divisions == LongDivisions::Expanded ? 64 : 32;
  populateExpandArithPatterns(patterns, indexBits);
  populateExpandMathPatterns(patterns);
  if (divisions == LongDivisions::Expanded)
    populateExpandLongDivisionPatterns(patterns, indexBits);
  if (fma == FmaKind::Unfused)
    patterns.add<SplitFma>(module.getContext());
  return applyPatternsGreedily(module, std::move(patterns));
}

static LogicalResult lowerToLlvm(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(createCanonicalizerPass()); // removes bit casts of tiny floats to integers and back
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

static void compile(const std::string &functions, FmaKind fma, LongDivisions divisions,
                    MLIRContext &context, std::unique_ptr<ExecutionEngine> &result) {
  static const bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  ASSERT_TRUE(initialized) << "no native target";
  loadDialects(context);
  auto module = parseSourceString<ModuleOp>(functions, &context);
  ASSERT_TRUE(module) << functions;
  ASSERT_TRUE(succeeded(expand(*module, fma, divisions))) << functions;
  ASSERT_TRUE(succeeded(lowerToLlvm(*module))) << functions;
  ExecutionEngineOptions options;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Default;
  auto engine = ExecutionEngine::create(*module, options);
  ASSERT_TRUE(bool(engine)) << llvm::toString(engine.takeError());
  result = std::move(*engine);
}

JitModule::JitModule(const std::string &functions, FmaKind fma, LongDivisions divisions)
    : state(std::make_unique<State>()) {
  compile(functions, fma, divisions, state->context, state->engine);
}

JitModule::~JitModule() = default;

void *JitModule::address(const std::string &name) const {
  if (!state->engine)
    return nullptr;
  auto found = state->engine->lookup(name);
  if (found)
    return *found;
  ADD_FAILURE() << llvm::toString(found.takeError());
  return nullptr;
}
