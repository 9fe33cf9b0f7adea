//===- LlvmToSpirv.h - LLVM IR to SPIR-V for OpenCL -------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace pumice::opencl {

/// Says whether calls of OpenCL C's functions may remain that LLVM's backend does not compile. Some
/// OpenCL drivers link them. The CPU device does not.
enum class LeftCalls { Reject, Permit };

/// Returns whether a file holds LLVM IR: bitcode, or text whose name ends in ".ll".
bool looksLikeLlvm(llvm::StringRef bytes, llvm::StringRef name);

/// Reads and verifies LLVM IR for spirv64. Errors: InvalidArgument, with the place.
Result<std::unique_ptr<llvm::Module>> parseLlvm(llvm::LLVMContext &context, llvm::StringRef bytes,
                                                llvm::StringRef name);

/// Compiles a module for spirv64 by LLVM's SPIR-V backend. `module` is changed. The result has the
/// newest version of SPIR-V that `target` accepts, and may use the target's extensions.
Result<std::vector<uint8_t>> llvmToSpirv(llvm::Module &module, const target::TargetEnv &target);

/// Compiles LLVM IR, as text or bitcode, to a SPIR-V module of OpenCL's flavour, by LLVM's SPIR-V
/// backend. Errors: InvalidArgument, with the place, for IR that cannot be read, is not
/// valid, or is for another architecture than spirv64, and for calls that the backend leaves in the
/// code unless `leaves` permits them.
Result<std::vector<uint8_t>> llvmToSpirv(llvm::StringRef bytes, llvm::StringRef name,
                                         const target::TargetEnv &target, LeftCalls leaves);

} // namespace pumice::opencl
