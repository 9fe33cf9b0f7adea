//===- SpecConstants.h - the specialization constants of a SPIR-V module ----===//
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pumice::hal {

struct SpecConstant {
  uint32_t id = 0;    // its SpecId
  uint32_t bytes = 4; // as Vulkan takes its value; booleans are 4

  auto operator<=>(const SpecConstant &) const = default;
};

/// The scalar constants that have a SpecId, by id. Words that make no sense end the search.
std::vector<SpecConstant> specConstants(std::span<const uint8_t> spirv);

} // namespace pumice::hal
