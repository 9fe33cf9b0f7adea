//===- Fallback.h - operators that run on the CPU --------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace pumice::vk {

/// Returns how often each operator ran on the CPU, by its name and overload.
std::map<std::string, uint64_t> fallbacks();
void resetFallbacks();

} // namespace pumice::vk
