//===- SpirvSupport.h - SPIR-V that the CPU device supports -----------------===//
#pragma once

#include "llvm/Support/JSON.h"

namespace pumice::tools {

/// Returns the tables of the reader and of the lowering: `instructions`, `glsl`, `opencl`,
/// `decorations` and `modes`. Each is a list of objects with `name`, `number` and the support for
/// it.
llvm::json::Value spirvSupport();

} // namespace pumice::tools
