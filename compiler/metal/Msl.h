//===- Msl.h - SPIR-V to Metal's shading language ----------------------------===//
// MoltenVK runs our modules on Apple's GPUs by translating them with SPIRV-Cross. Translating here
// with the same library shows at compile time what MoltenVK will reject.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::metal {

struct MslOptions {
  std::string entryPoint; // empty: the module's first compute entry point
  uint32_t versionMajor = 3, versionMinor = 0;
  bool ios = false;
  uint32_t fixedSubgroupSize = 0; // 0: whatever the device has
};

/// Returns the module's MSL source. Returns Unsupported with SPIRV-Cross's reason if it rejects the
/// module, and DataCorrupt if the words are not a module. The module has to be valid: SPIRV-Cross
/// does not check it, and crashes on some invalid modules. Callers must validate modules from
/// outside.
Result<std::string> toMsl(std::span<const uint32_t> spirv, const MslOptions &options = {});

} // namespace pumice::metal
