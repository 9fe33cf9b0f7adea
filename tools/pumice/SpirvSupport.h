//===- SpirvSupport.h - what the CPU device makes of SPIR-V -----------------===//
#pragma once

#include "llvm/Support/JSON.h"

namespace pumice::tools {

/// Returns the tables of the reader and of the lowering: `instructions`, `glsl`, `opencl`,
/// `decorations` and `modes`. Each is a list of objects with `name`, `number` and what becomes of
/// it.
llvm::json::Value spirvSupport();

} // namespace pumice::tools
