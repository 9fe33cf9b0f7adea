//===- Avx512Math.h - functions that AVX-512 has instructions for -----------===//
#pragma once

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace pumice::cpu {

/// Lowers math.rsqrt of 16 f32 numbers, and math.exp and math.exp2 of at most 16.
void populateAvx512MathPatterns(const mlir::LLVMTypeConverter &types,
                                mlir::RewritePatternSet &patterns);

} // namespace pumice::cpu
