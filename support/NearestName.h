//===- NearestName.h - suggestions for mistyped names -----------------------===//
#pragma once

#include <span>
#include <string_view>

namespace pumice {

/// Returns the name that is most similar to a mistyped `name`, or "" if no name is similar.
std::string_view nearestName(std::string_view name, std::span<const std::string_view> names);

} // namespace pumice
