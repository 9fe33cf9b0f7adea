//===- MatrixOperands.cpp - how the matrix instruction reads its operands ---===//
#include "compiler/gen/MatrixOperands.h"

#include "mlir/IR/TypeUtilities.h"

using namespace pumice::gen;

/// Returns the bits for the first factor. Those for the second are one place higher.
static uint32_t factorBits(Precision precision) {
  constexpr uint32_t isSigned = 0x1, int8 = 0x10, tf32 = 0x100, float16 = 0x400, bfloat16 = 0x1000;
  switch (precision) {
  case Precision::F16:
    return float16;
  case Precision::BF16:
    return bfloat16;
  case Precision::TF32:
    return tf32;
  case Precision::S8:
    return int8 | isSigned;
  case Precision::U8:
    return int8;
  }
  llvm_unreachable("five precisions");
}

uint32_t pumice::gen::matrixOperands(MatrixMadOp op) {
  constexpr uint32_t accumulatorBf16 = 0x4, resultBf16 = 0x8;
  uint32_t bits = factorBits(op.getAType()) | factorBits(op.getBType()) << 1;
  if (mlir::getElementTypeOrSelf(op.getC().getType()).isBF16())
    bits |= accumulatorBf16 | resultBf16;
  return bits;
}
