//===- BlockProgram.h - executables that show their parameter block ---------===//
// A BlockProgram is an executable around one of the kernels Block*. The kernel copies its parameter
// block to argument 1, so that a test sees how a launch passes its arguments.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Executable.h"
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

/// Writes `contents` to a file, and reads the file again.
Result<std::shared_ptr<const executable::Executable>>
throughFile(const executable::Executable &contents);

/// Returns a variant with the code of a kernel that the device can run. If that is OpenCL's, the
/// interface passes addresses in place of descriptors.
executable::Variant variantOf(const DeviceInfo &info, std::string_view kernel,
                              const executable::EntryPoint &entry, executable::Interface interface);

/// Returns the function of an executable with only this entry point and one variant.
Result<Ref<Function>> makeFunction(const Ref<Device> &device, std::string_view kernel,
                                   const executable::EntryPoint &entry,
                                   executable::Interface interface,
                                   const FunctionOptions &options = {});

/// Returns a buffer argument that consists of words, of any length.
executable::Argument wordsArgument(std::string name,
                                   executable::Access access = executable::Access::ReadWrite);

class BlockProgram {
public:
  enum class Way : uint8_t {
    Push,        // block in push constants, result in a descriptor
    Described,   // block and result in descriptors
    PushAddress, // block in push constants, result by address
    Addressed,   // push constants hold the address of the block
  };
  static constexpr Way ways[] = {Way::Push, Way::Described, Way::PushAddress, Way::Addressed};
  static bool canRun(Way way, const DeviceInfo &info);
  static bool spills(Way way) { return way == Way::Described || way == Way::Addressed; }
  static std::string_view toString(Way way);

  explicit BlockProgram(Way way);

  /// Adds an argument. Returns its number.
  uint32_t add(executable::Argument argument);
  /// Adds a field to the block, aligned to its size. Returns its position in words.
  uint32_t add(executable::FieldSource source, uint32_t argument, uint32_t size,
               uint32_t dimension = 0);

  Result<Ref<Function>> function(const Ref<Device> &device) const;

  /// Launches with `arguments`, which start with argument 2. The block is copied to `result`.
  Status launch(Function &function, Queue &queue, Buffer &result,
                std::span<const Argument> arguments) const;

  uint32_t words() const { return bytes / 4; }

private:
  Way way;
  uint32_t bytes = 16; // the size of the block so far
  executable::EntryPoint entry;
  executable::Interface interface;
};

} // namespace pumice::hal::conformance
