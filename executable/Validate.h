//===- Validate.h - checks whether contents are consistent ------------------===//
// After a successful `validate`, every index is in range, and every name refers to something that
// exists. Sizes are bounded, and sums of them do not overflow. This also holds for everything that
// `read` returns. The writer also calls `validate`, so that it never writes a file that cannot be
// read.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "executable/FieldPath.h"
#include "executable/Names.h"

#include <unordered_map>

namespace pumice::executable {

// Limits that no real file reaches. They are so low that arithmetic on them cannot overflow.
inline constexpr size_t maxFileBytes = size_t{1} << 30;
inline constexpr size_t maxNameBytes = 4096;
inline constexpr size_t maxTextBytes = size_t{1} << 20;
inline constexpr size_t maxEntryPoints = 65536, maxVariants = 4096, maxArguments = 4096;
inline constexpr size_t maxFields = 65536, maxBindings = 65536, maxPrintfs = 65536;
inline constexpr size_t maxRank = 32;
inline constexpr uint32_t maxElementBytes = 65536, maxVectorWidth = 4096;
inline constexpr uint32_t maxAlignment = 65536, maxParameterBytes = 1 << 20;
inline constexpr uint32_t maxWorkgroupExtent = 65536, maxWorkgroupInvocations = 1 << 20;
inline constexpr uint32_t maxWorkgroupMemoryBytes = 1 << 30, maxSubgroupSize = 1024;
inline constexpr uint32_t maxDescriptorSets = 32, maxBindingNumber = 65535;
inline constexpr size_t codeAlignment = 16; // for `Variant::code` in the file

Status validate(const Executable &contents);

/// Returns the bytes of the file without calling `validate`. With this, tests and the fuzzer make
/// invalid files.
Result<std::vector<uint8_t>> encode(const Executable &contents);

// The following functions are parts of `validate`.
using EntryPointsByName = std::unordered_map<std::string_view, const EntryPoint *>;
Status validateEntryPoint(const EntryPoint &entry, const FieldPath &path);
Status validateVariant(const Variant &variant, const EntryPointsByName &entries,
                       const FieldPath &path);

/// Returns whether the bytes from a buffer's first element to the end of its last one fit in 63
/// bits. Only known extents and strides count. Callers multiply these without a check.
bool isCountable(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t offset,
                 int64_t elementBytes);

/// Checks text for people. It must be bounded, and valid UTF-8 without zero bytes.
Status validateText(std::string_view text, const FieldPath &path, size_t maxBytes = maxTextBytes);
/// Checks a name to which other fields refer. It must be valid text, as above, and not empty.
Status validateName(std::string_view name, const FieldPath &path);
Status validateCount(size_t count, size_t most, const FieldPath &path);

/// Checks the size of a workgroup. An extent of 0 is left to the launch.
Status validateSize(const std::array<uint32_t, 3> &size, const FieldPath &path);

/// Rejects a value that this build does not know. The error contains its name and number.
template <typename Enum> Status validateEnum(Enum value, const FieldPath &path) {
  if (isKnown(value))
    return Status::ok();
  auto names = namesOf(value);
  std::string known;
  for (size_t i = 0; i < names.size(); ++i)
    known += concat(i ? ", " : "", i, " ", names[i]);
  return Status(StatusCode::Unsupported,
                concat(path.text(), ": unknown value ", static_cast<unsigned>(value),
                       "; this build knows ", known));
}

/// Returns the names of the compute entry points that a SPIR-V module declares. Checks only the
/// form of the words. So no driver gets a module whose last instruction exceeds its end.
Result<std::vector<std::string_view>> spirvEntryPoints(std::span<const uint8_t> code,
                                                       const FieldPath &path);

} // namespace pumice::executable
