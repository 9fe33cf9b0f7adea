//===- BlockProgram.h - executables that show their parameter block ---------===//
// Each is an executable, written by hand around one of the kernels Block*. The kernel copies its
// parameter block into its argument 1, so that a test sees how a launch passes its arguments.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Executable.h"
#include "runtime/hal/conformance/Conformance.h"

namespace pumice::hal::conformance {

/// Writes `contents` as a file, and reads it again.
Result<std::shared_ptr<const executable::Executable>>
throughFile(const executable::Executable &contents);

/// Returns the function of an executable with this one entry point and one variant.
Result<Ref<Function>> makeFunction(const Ref<Device> &device, std::string_view kernel,
                                   const executable::EntryPoint &entry,
                                   executable::Interface interface,
                                   const FunctionOptions &options = {});

/// Returns a buffer argument of words, of any length.
executable::Argument wordsArgument(std::string name,
                                   executable::Access access = executable::Access::ReadWrite);

class BlockProgram {
public:
  enum class Way : uint8_t {
    Push,        // the block in push constants, the result in a descriptor
    Described,   // the block in a descriptor too
    PushAddress, // the block in push constants, the result by address
    Addressed,   // push constants hold the block's address
  };
  static constexpr Way ways[] = {Way::Push, Way::Described, Way::PushAddress, Way::Addressed};
  static bool canRun(Way way, const DeviceInfo &info);
  static bool spills(Way way) { return way == Way::Described || way == Way::Addressed; }
  static std::string_view toString(Way way);

  explicit BlockProgram(Way way);

  /// Adds an argument, and returns its number.
  uint32_t add(executable::Argument argument);
  /// Adds a field to the block, aligned to its size. Returns its position, in words.
  uint32_t add(executable::FieldSource source, uint32_t argument, uint32_t size,
               uint32_t dimension = 0);

  Result<Ref<Function>> function(const Ref<Device> &device) const;

  /// Launches with `arguments`, which begin at number 2, and leaves the block in `result`.
  Status launch(Function &function, Queue &queue, Buffer &result,
                std::span<const Argument> arguments) const;

  uint32_t words() const { return bytes / 4; }

private:
  Way way;
  uint32_t bytes = 16; // of the block, so far
  executable::EntryPoint entry;
  executable::Interface interface;
};

} // namespace pumice::hal::conformance
