//===- NearestName.h - "did you mean" ---------------------------------------===//
#pragma once

#include <span>
#include <string_view>

namespace pumice {

/// The nearest of `names` to a mistyped `name`, or "" when none is near.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> names);

} // namespace pumice
