//===- Parameters.h - how a block of arguments becomes OpenCL's arguments ---===//
// The HAL passes all arguments of an OpenCL kernel as one block of bytes. In it, parameters follow
// each other, and each is aligned to its type (executable/SpirvParameters.h). OpenCL takes them one
// by one.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvReflection.h"

#include <span>

namespace pumice::opencl_driver {

struct Parameter {
  enum class Kind : uint8_t {
    Address,   // 8 bytes: an address of the device's memory, or 0
    Workgroup, // 8 bytes: where the memory begins behind the kernel's own workgroup memory
    Value,     // a number, a vector or a struct
  };
  Kind kind = Kind::Value;
  uint32_t offset = 0, bytes = 0; // in the block

  bool operator==(const Parameter &) const = default;
};

/// Returns the parameters of a kernel in order. Errors: Unsupported for images, samplers and types
/// that are not known.
Result<std::vector<Parameter>> parametersOf(const executable::SpirvEntryPoint &entry);

/// Returns the bytes of the block that a launch has to give: up to the end of the last parameter of
/// another kind than Workgroup. A parameter of that kind behind it begins at 0.
uint32_t leastBlockBytes(std::span<const Parameter> parameters);

/// Returns the bytes of workgroup memory for each parameter of kind Workgroup, and 0 for others.
/// Each reaches to the next one, and the last to the end of the `dynamicBytes` of the launch. A
/// single one without any memory gets a word, because OpenCL rejects none. Errors: InvalidArgument
/// if one begins at the end or behind it.
Result<std::vector<uint32_t>> workgroupBytes(std::span<const Parameter> parameters,
                                             std::span<const std::byte> block,
                                             uint32_t dynamicBytes);

} // namespace pumice::opencl_driver
