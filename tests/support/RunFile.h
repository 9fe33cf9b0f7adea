//===- RunFile.h - what to run, on which data, and what must come out -------===//
// The description that vulkan-runner reads; its form is documented in README.md beside this file.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tests/support/ElementData.h"

#include <array>
#include <map>
#include <optional>

namespace pumice::tests {

/// A buffer's address stored somewhere in another buffer's first contents.
struct AddressPatch {
  uint64_t at = 0; // bytes from the start of the holder
  std::string buffer;
  uint64_t offset = 0;
};

struct BufferData {
  std::string name;
  Type type = Type::f32;
  std::vector<uint8_t> initial;
  std::vector<AddressPatch> addresses;
  std::vector<int64_t> shape; // as an argument of an executable; else one extent
  std::optional<std::pair<uint32_t, uint32_t>> slot; // set, binding
  bool uniform = false;
  std::optional<std::vector<uint8_t>> expected;
  Tolerance tolerance;
  bool print = false;
};

/// Bytes of push constants, or the address of a buffer.
struct PushConstant {
  uint32_t at = 0;
  std::vector<uint8_t> bytes;
  std::string buffer; // not empty: its address plus `offset`
  uint64_t offset = 0;
};

/// An argument of an executable's entry point, by position.
struct ArgumentData {
  std::string buffer; // empty: a scalar
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  llvm::json::Value scalar = nullptr;
};

struct SpecializationData {
  uint32_t id = 0;
  std::vector<uint8_t> bytes;
};

struct Dispatch {
  std::string module;     // a .spv file, or
  std::string executable; // a .pumice file, and
  std::string target;     // the variant for this target; empty: the first Vulkan one
  std::string entry;
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // where the entry point leaves it open
  uint32_t dynamicMemoryBytes = 0, dynamicMemoryElements = 0;
  uint32_t subgroupSize = 0;
  bool fullSubgroups = false;
  std::vector<SpecializationData> constants;
  std::vector<PushConstant> pushConstants;
  std::vector<ArgumentData> arguments;
};

struct Case {
  std::string name;
  std::vector<BufferData> buffers; // by name, in the file's order of keys
  std::vector<Dispatch> dispatches;
  std::string printfBuffer; // the buffer that gpu.printf writes to
};

/// Reads the cases of a run file. File names in it are relative to `folder`. The error names the
/// JSON path: "cases[2].buffers.x.data[1]: expected a number".
Result<std::vector<Case>> parseRunFile(llvm::StringRef text, const std::string &folder);

} // namespace pumice::tests
