//===- Capabilities.h - what SPIR-V needs for an operation of gen -----------===//
#pragma once

#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"

namespace pumice::gen {

/// Reports each operation of gen in `root` that needs a capability, an extension or a version which
/// `env` lacks. `extensions` are those of the device that MLIR has no name for. The type index has
/// `indexBits` bits.
mlir::LogicalResult checkCapabilities(mlir::Operation *root, const mlir::spirv::TargetEnv &env,
                                      mlir::ArrayRef<std::string> extensions, unsigned indexBits);

} // namespace pumice::gen
