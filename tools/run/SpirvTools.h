//===- SpirvTools.h - SPIR-V as text, and whether it is valid ---------------===//
#pragma once

#include "executable/SpirvReflection.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pumice::run {

/// Disassembles the module. Fails on modules that are newer than the SPIRV-Tools of this build, and
/// names the first unknown instruction.
Result<std::string> disassemble(std::span<const uint8_t> spirv);

/// Validates `spirv`, from which `module` was read, by Vulkan's rules for its version. Returns an
/// empty text if it is valid. If the module has capabilities or extensions newer than spirv-val,
/// nothing is checked, and the text says so. Errors: DataCorrupt, with spirv-val's message.
Result<std::string> validate(std::span<const uint8_t> spirv, const executable::SpirvModule &module);

/// Returns whether `message` of `validate` names a mistake on which OpenCL drivers may end the
/// process. All mistakes count, except for a few that compilers make and drivers accept.
bool isDamage(std::string_view message);

/// Validates all code for Vulkan in an executable, and checks that code for OpenCL is not damaged.
/// Errors: DataCorrupt, which names the variant.
Status validateVariants(const executable::Executable &contents);

} // namespace pumice::run
