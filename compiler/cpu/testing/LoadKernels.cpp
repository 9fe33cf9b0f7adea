//===- LoadKernels.cpp - parses lane kernels --------------------------------===//
#include "compiler/cpu/testing/LoadKernels.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

OwningOpRef<ModuleOp> pumice::cpu::testing::loadKernels(const std::string &text,
                                                        MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                      LLVM::LLVMDialect, math::MathDialect, ub::UBDialect, lane::LaneDialect>();
  return parseSourceString<ModuleOp>(text, &context);
}
