//===- Msl.h - SPIR-V to Metal's shading language ---------------------------===//
// MoltenVK runs our modules on Apple's GPUs, and translates them with SPIRV-Cross. A translation
// here with the same library shows at compile time what MoltenVK would reject.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/MslLayout.h"
#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace pumice::metal {

struct MslOptions {
  std::string entryPoint; // empty: the first compute entry point
  uint32_t versionMajor = 3, versionMinor = 0;
  bool ios = false;
  uint32_t fixedSubgroupSize = 0; // 0: the size that the device has
};

/// Returns the module as MSL source. If SPIRV-Cross rejects the module, returns Unsupported with
/// its reason. If the words are not a module, returns DataCorrupt. The module must be valid,
/// because SPIRV-Cross does not check it, and crashes on some invalid modules. Callers must
/// validate modules from outside.
Result<std::string> toMsl(std::span<const uint32_t> spirv, const MslOptions &options = {});

/// Returns MSL with its layout in comments at the beginning, as variants of executables have it.
/// Descriptors get buffer indices in the order of their sets and bindings, and the push constants
/// get the next one. Errors: those of `toMsl`; Unsupported for other descriptors than buffers.
Result<std::string> toMslWithLayout(std::span<const uint32_t> spirv,
                                    const MslOptions &options = {});

} // namespace pumice::metal
