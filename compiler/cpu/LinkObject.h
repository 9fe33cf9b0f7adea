//===- LinkObject.h - an object file → a shared object ----------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pumice::cpu {

/// Links one ELF object in process. Thread-safe; one link at a time.
Result<std::vector<uint8_t>> linkObject(std::span<const char> object);

} // namespace pumice::cpu
