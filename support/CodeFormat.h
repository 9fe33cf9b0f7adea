//===- CodeFormat.h - what the checks of shared libraries share -------------===//
#pragma once

#include "support/CodeImage.h"

#include <cstring>

namespace pumice::code_format {

/// A number by which a format names an instruction set.
struct Number {
  uint32_t number;
  Machine machine;
};

const char *toString(Machine machine);

/// Returns the machine's name, or "machine 0x15" for a number that is not in the table.
std::string nameOf(uint32_t number, std::span<const Number> table);

/// Returns ok if `bytes` may be a file of `format` ("ELF"). Otherwise returns Unsupported, which
/// names the format of another system, or DataCorrupt.
Status expectFormat(std::span<const uint8_t> bytes, const char *format);

/// Returns ok if the number is that of `machine`, and otherwise Unsupported.
Status expectMachine(uint32_t number, std::span<const Number> table, Machine machine,
                     const std::string &more = "");

/// Returns DataCorrupt, for a file that is not a complete one of `format`.
Status incomplete(const char *format, std::string why);

inline bool inside(uint64_t offset, uint64_t bytes, uint64_t total) {
  return offset <= total && bytes <= total - offset;
}

/// Copies a structure out of the file. The caller has checked that it is inside.
template <typename T> T read(std::span<const uint8_t> bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

} // namespace pumice::code_format
