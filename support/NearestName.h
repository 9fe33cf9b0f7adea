//===- NearestName.h - suggestions for mistyped names ---------------------===//
#pragma once

#include <span>
#include <string_view>

namespace pumice {

/// Returns the name most similar to a mistyped `name`, or "" if none is similar.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> names);

} // namespace pumice
