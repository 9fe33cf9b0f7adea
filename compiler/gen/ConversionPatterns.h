//===- ConversionPatterns.h - patterns that lower the gen dialect -----------===//
// The passes of this folder use them. So can a conversion of several dialects at once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/gen/Builtins.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
class SPIRVTypeConverter;
} // namespace mlir

namespace pumice::gen {

/// Adds patterns that lower positions, barriers and exchange of values to calls of OpenCL's
/// built-in functions.
void populateGenToLlvmPatterns(const mlir::LLVMTypeConverter &converter, const CallStyle &style,
                               mlir::RewritePatternSet &patterns);

/// Adds patterns that lower matrices and blocks to calls of built-in functions.
void populateGenBlocksToLlvmPatterns(const mlir::LLVMTypeConverter &converter,
                                     const CallStyle &style, mlir::RewritePatternSet &patterns);

/// Adds patterns that lower positions, barriers and exchange of values to SPIR-V. The target
/// environment must have been checked: see `checkCapabilities`.
void populateGenToSpirvPatterns(const mlir::SPIRVTypeConverter &converter,
                                mlir::RewritePatternSet &patterns);

/// Adds patterns that lower matrices and blocks to SPIR-V. Instructions that MLIR lacks are calls
/// of imported functions: see `writeIntelInstructions`.
void populateGenBlocksToSpirvPatterns(const mlir::SPIRVTypeConverter &converter,
                                      mlir::RewritePatternSet &patterns);

} // namespace pumice::gen
