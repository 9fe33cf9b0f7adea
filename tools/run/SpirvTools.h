//===- SpirvTools.h - SPIR-V as text, and whether it is valid ---------------===//
#pragma once

#include "executable/SpirvReflection.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::run {

/// The module's assembly. Fails, naming the first unknown instruction, on modules that are newer
/// than the SPIRV-Tools this was built with.
Result<std::string> disassemble(std::span<const uint8_t> spirv);

/// Validates `spirv`, from which `module` was read, by Vulkan's rules for its version. Returns an
/// empty text if it is valid. Returns a reason if the module has capabilities or extensions newer
/// than spirv-val, which then checks nothing. Errors: DataCorrupt, with its message.
Result<std::string> validate(std::span<const uint8_t> spirv, const executable::SpirvModule &module);

/// The same of all code for Vulkan in an executable. Errors: DataCorrupt, naming the variant.
Status validateVariants(const executable::Executable &contents);

} // namespace pumice::run
