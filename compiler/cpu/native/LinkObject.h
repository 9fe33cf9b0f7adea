//===- LinkObject.h - object files → a shared object ------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace llvm {
class Triple;
} // namespace llvm

namespace pumice::cpu {

/// Links objects to a shared library for `system`, inside this process. Equal objects give equal
/// bytes. Thread-safe, but only one link runs at a time.
Result<std::vector<uint8_t>> linkObjects(const llvm::Triple &system,
                                         std::span<const std::span<const char>> objects);

} // namespace pumice::cpu
