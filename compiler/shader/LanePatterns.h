//===- LanePatterns.h - operations of kernels to the llvm dialect -----------===//
#pragma once

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/PatternMatch.h"

#include <array>
#include <map>

namespace pumice::shader {

/// The address spaces of LLVM's SPIR-V backend.
enum AddressSpace : unsigned { Private = 0, Global = 1, Constant = 2, Workgroup = 3, Generic = 4 };

/// Values at the beginning of a kernel. All addresses are generic.
struct KernelValues {
  std::map<std::array<int64_t, 3>, std::pair<mlir::Value, mlir::Value>> slots; // address, length
  mlir::Value pushConstants, shared;
  mlir::Block *entry = nullptr;
};

/// Adds patterns for memory, numbers of the launch, barriers and atomics.
void populateLanePatterns(const mlir::LLVMTypeConverter &converter, const KernelValues &values,
                          mlir::RewritePatternSet &patterns);

/// Adds patterns for the exchange between the lanes of a subgroup.
void populateExchangePatterns(const mlir::LLVMTypeConverter &converter,
                              mlir::RewritePatternSet &patterns);

/// Adds patterns for the math dialect, and for integer divisions, which never trap.
void populateMathPatterns(const mlir::LLVMTypeConverter &converter,
                          mlir::RewritePatternSet &patterns);

} // namespace pumice::shader
