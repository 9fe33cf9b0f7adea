//===- LinkObject.h - object files → a shared object ------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pumice::cpu {

/// Links ELF objects inside this process. Thread-safe, but only one link runs at a time.
Result<std::vector<uint8_t>> linkObjects(std::span<const std::span<const char>> objects);

} // namespace pumice::cpu
