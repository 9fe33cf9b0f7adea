//===- Spirv.h - SPIR-V modules for benchmarks ------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::bench {

/// Returns an empty text if the words are a valid Vulkan module, or else the message of
/// SPIRV-Tools.
std::string whyInvalid(std::span<const uint32_t> words);

/// Compiles with upstream's own pipeline from gpu.module to SPIR-V. Returns no words if that fails.
std::vector<uint32_t> compileUpstream(mlir::ModuleOp module);

} // namespace pumice::bench
