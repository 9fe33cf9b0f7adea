//===- Resolve.h - matches a launch file with the code that it runs ---------===//
// Turns names into numbers: entry points, descriptors, members, constants. Reports names in the
// file that the code lacks, and values that the code needs and the file lacks. This happens before
// any device is opened.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvReflection.h"
#include "runtime/hal/Kernel.h"
#include "tools/run/LaunchFile.h"

#include <functional>
#include <map>
#include <memory>

namespace pumice::run {

/// The code of a .spv or a .pumice file, told apart by its first bytes.
struct Code {
  std::string file;
  std::vector<uint8_t> bytes;
  executable::SpirvModule module;                           // for SPIR-V
  std::shared_ptr<const executable::Executable> executable; // for executables
};

/// Reads each file once. `check` examines its code before other functions use it; it may be empty.
class CodeFiles {
public:
  using Check = std::function<Status(const Code &)>;
  explicit CodeFiles(Check check) : check(std::move(check)) {}
  Result<std::shared_ptr<const Code>> load(const std::string &file);
  const std::map<std::string, std::shared_ptr<const Code>> &loaded() const { return files; }

private:
  Check check;
  std::map<std::string, std::shared_ptr<const Code>> files;
};

struct ResolvedBinding {
  size_t buffer = 0; // an index in LaunchSpec::buffers
  uint64_t offset = 0, bytes = 0;
  const ObjectPlace *place = nullptr; // the place of the binding, or of the buffer
};

/// An address of a buffer in 8 bytes of the push constants.
struct ResolvedAddress {
  uint32_t at = 0;
  size_t buffer = 0;
  uint64_t offset = 0;
};

struct ResolvedArgument {
  const ArgumentSpec *spec = nullptr;
  std::optional<size_t> buffer;
  int64_t offset = 0;          // in the buffer, in elements of the code
  std::vector<uint8_t> scalar; // the bytes of an argument that is not a buffer
};

struct ResolvedDispatch {
  const DispatchSpec *spec = nullptr;
  std::shared_ptr<const Code> code;
  std::string label;
  std::array<uint32_t, 3> groups{1, 1, 1};
  std::vector<hal::SpecializationConstant> constants;

  // For SPIR-V:
  std::string symbol;
  std::vector<hal::BindingSlot> slots;
  std::vector<ResolvedBinding> bindings; // one for each slot
  std::map<size_t, executable::Access> uses;
  std::vector<std::byte> pushConstants;
  std::vector<ResolvedAddress> addresses;
  uint32_t dynamicMemoryBytes = 0; // for an OpenCL kernel's arguments

  // For executables, and OpenCL kernels:
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // 0: not chosen

  // For executables:
  std::string entry;
  std::vector<ResolvedArgument> arguments;
};

struct ResolvedLaunch {
  const LaunchSpec *spec = nullptr;
  std::vector<ResolvedDispatch> dispatches;
  std::vector<std::string> notes; // remarks that are not errors
};

/// Resolves a launch. `spec` has to outlive the result. Errors name the place in the launch file.
Result<ResolvedLaunch> resolve(const LaunchSpec &spec, CodeFiles &files);

// Resolve the two kinds of code. `spec` and `code` of the result are already set.
Status resolveModule(const LaunchSpec &launch, ResolvedDispatch &dispatch);
Status resolveExecutable(const LaunchSpec &launch, ResolvedDispatch &dispatch);

/// Resolves constants that a launch file names by id or name. Errors are at their place in the
/// file, and list the existing constants.
Result<std::vector<hal::SpecializationConstant>>
resolveConstants(const executable::SpirvModule &module,
                 const std::vector<SpecializationSpec> &wishes);

/// Handle the parts of `resolveModule` that only OpenCL's kernels have. These are the workgroup's
/// size, if the module leaves it open, and arguments by position, which become push constants.
Status chooseKernelSize(ResolvedDispatch &dispatch, std::array<uint32_t, 3> &size);
Status fillArguments(const LaunchSpec &launch, const executable::SpirvEntryPoint &entry,
                     ResolvedDispatch &dispatch);

/// Returns the element type that holds such a number, or nothing for booleans and other values.
std::optional<Type> elementType(executable::SpirvScalar scalar, uint32_t bytes);

/// Returns the index of buffer `name`. Errors: NotFound at `place`, with the most similar name.
Result<size_t> findBuffer(const LaunchSpec &launch, const std::string &name, const Place &place);

/// Returns the index of the buffer that contains an address. Its end is a valid address, too.
Result<size_t> findAddress(const LaunchSpec &launch, const std::string &name, uint64_t offset,
                           const ObjectPlace &place);

/// Appends `number` as 1, 2, 4 or 8 bytes of `type`. Errors are at `place`.
Status appendScalar(std::vector<uint8_t> &bytes, Type type, const Number &number,
                    const Place &place);

} // namespace pumice::run
