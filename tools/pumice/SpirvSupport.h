//===- SpirvSupport.h - SPIR-V that the CPU device supports -----------------===//
#pragma once

#include <string>

namespace pumice::tools {

/// Returns, as JSON, the tables of the reader and of the lowering: `instructions`, `glsl`,
/// `opencl`, `decorations` and `modes`. Each is a list of objects with `name`, `number` and the
/// support for it.
std::string spirvSupportJson();

} // namespace pumice::tools
