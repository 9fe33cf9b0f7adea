//===- ValidateSpirv.h - validates a module for a target ------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::spirv_import {

struct Validation {
  bool valid = false;
  std::string problem; // "word 12: …", if the module is not valid
  std::string skipped; // why nothing was checked: the validator is older than the module
};

/// Validates by Vulkan's rules for the target's version and layout features.
Validation validateSpirv(std::span<const uint32_t> words, std::span<const std::string> extensions,
                         const target::TargetEnv &target);

} // namespace pumice::spirv_import
