//===- ValidateSpirv.h - validates a module for a target --------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::spirv_import {

struct Validation {
  bool valid = false;
  std::string problem; // "word 12: …", if the module is invalid
  std::string skipped; // why nothing was checked, if the module is too new
};

/// Validates a module by Vulkan's rules, for the target's version and layout features.
Validation validateSpirv(std::span<const uint32_t> words, std::span<const std::string> extensions,
                         const target::TargetEnv &target);

} // namespace pumice::spirv_import
