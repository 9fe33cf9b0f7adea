//===- Msl.h - SPIR-V to Metal's shading language ----------------------------===//
// MoltenVK runs our modules on Apple's GPUs by translating them with SPIRV-Cross. Translating here,
// with the same library, tells at compile time what will be refused there.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::metal {

struct MslOptions {
  std::string entryPoint; // empty: the module's first compute one
  uint32_t versionMajor = 3, versionMinor = 0;
  bool ios = false;
  uint32_t fixedSubgroupSize = 0; // 0: whatever the device has
};

/// The module's MSL source. Unsupported when SPIRV-Cross refuses, with its reason; DataCorrupt when
/// the words are no module. The module has to be valid already: SPIRV-Cross does not check, and
/// crashes on some that are not. Of modules from outside that is for the caller to see to.
Result<std::string> toMsl(std::span<const uint32_t> spirv, const MslOptions &options = {});

} // namespace pumice::metal
