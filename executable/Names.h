//===- Names.h - the names of the enumerations' values ----------------------===//
// One table per enumeration, in the order of its values: what is in the table is what this build
// knows. Used by errors, by `describe`, and by the reader's range checks.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"

#include <span>
#include <string_view>

namespace pumice::executable {

// The argument only chooses the table.
std::span<const std::string_view> namesOf(ElementType);
std::span<const std::string_view> namesOf(ArgumentKind);
std::span<const std::string_view> namesOf(Access);
std::span<const std::string_view> namesOf(VariantKind);
std::span<const std::string_view> namesOf(FieldSource);
std::span<const std::string_view> namesOf(ParameterPlace);
std::span<const std::string_view> namesOf(BindingSource);

/// Whether `value`, which may come from a file, is one that this build knows.
template <typename Enum> bool isKnown(Enum value) {
  return static_cast<size_t>(value) < namesOf(value).size();
}

/// "basic, vote": the bits of VkSubgroupFeatureFlags.
std::string subgroupOperationNames(uint32_t bits);

/// Bytes of one scalar of `type`; 0 if the type does not say (index, opaque).
uint32_t naturalBytes(ElementType type);

} // namespace pumice::executable
