//===- ImportSpirv.h - packs SPIR-V compute shaders as an executable --------===//
// The binary is validated, reflected and wrapped, but its words never change. A kernel's arguments
// are its buffers, ordered by set and binding, and then the members of its push-constant block.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"

#include <span>
#include <vector>

namespace pumice::package {

/// Returns whether bytes begin like SPIR-V, in either byte order.
bool looksLikeSpirv(llvm::StringRef bytes);

/// Makes one variant for each target, and the native variants that the target requests. Errors, and
/// parts that could not be checked, are diagnostics that name `sourceName`.
mlir::FailureOr<executable::Executable> importSpirv(mlir::MLIRContext *context,
                                                    std::span<const uint8_t> code,
                                                    llvm::StringRef sourceName,
                                                    const std::vector<target::TargetEnv> &targets);

} // namespace pumice::package
