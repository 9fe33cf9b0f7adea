//===- Names.h - the names of the enumerations' values ----------------------===//
// There is one table of names for each enumeration, in the order of its values. A value without a
// name is unknown to this build. Errors, `describe`, and the reader's range checks use the tables.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"

#include <span>
#include <string_view>

namespace pumice::executable {

// The argument is only used to choose the table.
std::span<const std::string_view> namesOf(ElementType);
std::span<const std::string_view> namesOf(ArgumentKind);
std::span<const std::string_view> namesOf(Access);
std::span<const std::string_view> namesOf(VariantKind);
std::span<const std::string_view> namesOf(FieldSource);
std::span<const std::string_view> namesOf(ParameterPlace);
std::span<const std::string_view> namesOf(BindingSource);

/// Returns whether this build knows `value`, which may come from a file.
template <typename Enum> bool isKnown(Enum value) {
  return static_cast<size_t>(value) < namesOf(value).size();
}

/// Returns the names of the bits of VkSubgroupFeatureFlags, for example "basic, vote".
std::string subgroupOperationNames(uint32_t bits);

/// Returns the bytes of one scalar of `type`, or 0 if the type does not determine them (index,
/// opaque).
uint32_t naturalBytes(ElementType type);

} // namespace pumice::executable
