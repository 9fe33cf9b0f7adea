//===- LlvmPatterns.h - modules for OpenCL to the llvm dialect --------------===//
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace pumice::opencl {

/// The attribute of a spirv.Undef that stands for a read of a built-in variable. It names the
/// function of OpenCL C that returns the value.
inline constexpr llvm::StringLiteral builtInName = "pumice.builtin";

/// An integer attribute of such an operation: the component of a vector that it stands for.
inline constexpr llvm::StringLiteral dimensionName = "pumice.dimension";

/// Adds patterns for everything in a module for OpenCL that upstream's patterns do not convert.
void populateLlvmPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

} // namespace pumice::opencl
