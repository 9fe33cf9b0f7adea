//===- KernelsToLlvm.h - OpenCL kernels in SPIR-V as LLVM IR ----------------===//
// The steps up to scalar code are those of the CPU device, as for shaders.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::shader {

/// Returns whether the bytes are SPIR-V with OpenCL's memory model.
bool isOpenClModule(std::span<const uint8_t> code);

/// Translates a module for OpenCL to LLVM IR (bitcode), from which code for Vulkan is made. The
/// result has all kernels, or the one that `kernel` names. Prints the reasons for errors.
Result<std::string> kernelsToLlvm(std::span<const uint8_t> code, const std::string &name,
                                  const std::string &kernel = "");

} // namespace pumice::shader
