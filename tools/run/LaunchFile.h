//===- LaunchFile.h - the launch, its data, and the expected results --------===//
// This is the launch file of `pumice run --launch` as plain data. docs/run.md documents its form,
// and docs/launch.schema.json describes it to editors. Reading it needs no module and no device.
// Resolve.h checks what depends on those, so every value has a Place for its errors.
//===-------------------------------------------------------------------------===//
#pragma once

#include "tools/run/ElementData.h"
#include "tools/run/JsonReader.h"

#include <array>
#include <optional>

namespace pumice::run {

/// Larger contents of buffers must be in separate files.
inline constexpr uint64_t mostLaunchFileBytes = uint64_t(256) << 20;

/// A number, or the address of a buffer.
struct Scalar {
  ObjectPlace place;
  Number number;
  std::string buffer; // if not empty, the number is this buffer's address plus `offset`
  uint64_t offset = 0;
};

/// A buffer's address that is written into another buffer's first contents.
struct AddressPatch {
  ObjectPlace place;
  uint64_t at = 0; // the offset in bytes from the start of the buffer that holds the address
  std::string buffer;
  uint64_t offset = 0;
};

/// The place of a descriptor in a module.
struct Slot {
  uint32_t set = 0, binding = 0, element = 0; // `element` is the index in an array of descriptors

  auto operator<=>(const Slot &) const = default;
  /// Returns "set 0 binding 1", followed by the element unless it is 0.
  std::string text() const;
};

struct BufferSpec {
  std::string name;
  ObjectPlace place;
  Type type = Type::f32;
  std::vector<int64_t> shape; // at least one extent
  std::vector<uint8_t> initial;
  std::vector<AddressPatch> addresses;
  std::optional<Slot> slot;    // applies to every module that has this slot
  std::optional<bool> uniform; // the required kind of the descriptor
  bool hostMemory = false;
  std::optional<std::vector<uint8_t>> expected;
  Tolerance tolerance;
  bool print = false;
  size_t printLimit = 64; // the most elements that are printed
  std::string save;       // the file to write; empty: none
};

struct BindingSpec {
  ObjectPlace place;
  Slot slot;
  std::string buffer;
  uint64_t offset = 0;
  std::optional<uint64_t> bytes;
};

/// A push constant, at an offset or by the member's name.
struct PushConstantSpec {
  ObjectPlace place;
  std::string member; // empty: by offset
  uint32_t at = 0;
  std::optional<Type> type;
  std::vector<Scalar> values;
};

struct SpecializationSpec {
  ObjectPlace place;
  std::string key; // an id, or a name
  std::optional<Type> type;
  Number value;
};

/// An argument of an executable's entry point or an OpenCL kernel, by position.
struct ArgumentSpec {
  ObjectPlace place;
  std::string buffer; // if empty: workgroup memory, a scalar, a vector, or a struct
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
  std::optional<uint64_t> local; // bytes of workgroup memory
  std::vector<Scalar> values;
};

struct DispatchSpec {
  ObjectPlace place;
  Place groupsPlace;
  std::string name;   // a name for errors and profiles; empty: that of the entry point
  std::string file;   // the file of the module or executable
  std::string called; // the name for `file` in labels, if the launch file names several files;
                      // otherwise empty
  std::string target; // uses only the variant for this target; empty: the best one
  std::string entry;  // empty: the only one
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::optional<std::array<uint64_t, 3>> threads; // at least this many threads, instead of groups
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // for code that leaves it open; 0: not given
  std::array<uint32_t, 3> globalOffset{0, 0, 0};  // for OpenCL kernels
  uint32_t dimensions = 1;                        // for OpenCL grids
  uint32_t dynamicMemoryBytes = 0;
  uint32_t subgroupSize = 0;
  bool fullSubgroups = false;
  bool robust = false; // accesses through descriptors stay inside the bound ranges
  std::vector<SpecializationSpec> constants;
  std::vector<PushConstantSpec> pushConstants;
  std::vector<BindingSpec> bindings;
  std::vector<ArgumentSpec> arguments;
  bool hasArguments = false;
  double workBytes = 0, workOperations = 0; // for one launch, for profiles; 0: not given

  /// Returns an error about the code. It points into the launch file if that names the code, and
  /// has no place otherwise.
  Status codeError(const std::string &message, StatusCode code = StatusCode::InvalidArgument) const;
};

struct LaunchSpec {
  std::string name;
  Place place;
  std::vector<BufferSpec> buffers;
  std::vector<DispatchSpec> dispatches;
  uint32_t repeat = 1; // runs of all dispatches; the output is that of the first

  const BufferSpec *find(std::string_view buffer) const;
};

/// Reads a launch file. Files that it names are relative to its folder. Dispatches that name no
/// module run `input`, which may be empty. The error names file, line, column and path.
Result<std::vector<LaunchSpec>> parseLaunchFile(std::string_view text, const std::string &fileName,
                                                const std::string &input);

// The keys of each object, for the error that lists them and for the test of the schema.
extern const Keys caseKeys, bufferKeys, contentKeys, randomKeys, printKeys, toleranceKeys,
    dispatchKeys, bindingKeys, pushConstantKeys, addressKeys, specializationKeys, argumentKeys,
    workKeys, fileKeys;

} // namespace pumice::run
