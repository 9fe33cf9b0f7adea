//===- Shader.h - shaders as kernels ----------------------------------------===//
// OpenCL takes no shaders. The compiler library turns one into a kernel, whose arguments are the
// addresses and lengths of the buffers, and the push constants as words of 64 bits.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/opencl/Parameters.h"
#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Queue.h"
#include "support/DiskCache.h"

#include <optional>

namespace pumice::opencl_driver {

/// Returns a module with one kernel for the shader, from `disk` if it is there. Errors: those of
/// the compiler library; Unsupported if it is missing.
Result<std::vector<uint8_t>> kernelOfShader(const hal::DeviceInfo &device,
                                            const hal::KernelSource &source,
                                            const std::optional<DiskCache> &disk);

/// Returns the name of that kernel.
std::string_view nameOfShaderKernel();

/// Returns the arguments of that kernel, for a block that `blockOfShader` makes.
std::vector<Parameter> parametersOfShader(size_t slots, uint32_t pushConstantBytes);

/// Writes the arguments of a launch to `block`.
void blockOfShader(const hal::Dispatch &dispatch, std::vector<std::byte> &block);

} // namespace pumice::opencl_driver
