//===- Translate.cpp - MSL of a SPIR-V module, for tests --------------------===//
#include "tests/metal/Translate.h"

#include "compiler/metal/Msl.h"

pumice::Result<std::string> pumice::msl::translate(std::span<const uint32_t> spirv) {
  return metal::toMslWithLayout(spirv);
}
