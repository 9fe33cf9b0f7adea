//===- Spirv.h - SPIR-V modules that a benchmark looks at -------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::bench {

/// Empty where the words are a valid Vulkan module; else what SPIRV-Tools says.
std::string whyInvalid(std::span<const uint32_t> words);

/// Upstream's own way from gpu.module to SPIR-V, and its words; none where it fails.
std::vector<uint32_t> compileUpstream(mlir::ModuleOp module);

} // namespace pumice::bench
