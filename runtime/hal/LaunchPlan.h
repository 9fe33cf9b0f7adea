//===- LaunchPlan.h - the precomputed part of a launch ----------------------===//
// The interface in the executable lists fields and bindings by their places, but a launch goes
// through its arguments. The plan sorts them by argument, so that a launch handles each argument
// once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/BufferPool.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// One argument: where it is passed, and which of its checks can be made in advance.
struct ArgumentPlan {
  const executable::Argument *argument = nullptr;
  uint64_t bytes = 0;                         // the size of a scalar, with all components
  bool fixed = false;                         // whether the view of a buffer is completely known
  uint64_t reach = 0;                         // the bytes up to the end of a fixed view
  bool onlyAddress = false;                   // it is fixed, and the code takes its address only
  executable::Access access{};                // how the code accesses it
  uint32_t addressOffset = 0;                 // the offset in the parameter block
  uint64_t alignmentMask = 0;                 // the bits that must be zero in the address
  uint32_t firstField = 0, lastField = 0;     // indices in `LaunchPlan::fields`
  uint32_t firstBinding = 0, lastBinding = 0; // indices in `LaunchPlan::slots`
  uint16_t index = 0;                         // the argument's number; there are fewer than 2^16
};

struct LaunchPlan {
  /// `entry` and `interface` must have been validated, and must outlive the plan.
  LaunchPlan(const executable::EntryPoint &entry, const executable::Interface &interface);

  const executable::EntryPoint &entry;
  const executable::Interface &interface;
  std::vector<ArgumentPlan> arguments;
  std::vector<executable::ParameterField> fields;       // fields of arguments, by argument
  std::vector<uint32_t> slots;                          // slots of arguments, by argument
  std::vector<executable::ParameterField> launchFields; // fields of no argument
  bool takesPrintfBuffer = false;
  bool blockInMemory = false; // whether kernels read the parameters from a buffer
  bool needsMore = false;     // whether one of the three flags above is set
  bool countsIn32 = false;    // whether the code computes positions in 32 bits
  bool usual = false;         // no extra needs, no descriptors, few and short arguments

  static constexpr size_t usualArguments = 16, usualParameterBytes = 256;

  BufferPool parameterBuffers;

  /// Returns a buffer that is bound in place of null or empty ones, because a descriptor must have
  /// a buffer.
  Result<Ref<Buffer>> placeholder(Device &device);

private:
  std::mutex mutex;
  Ref<Buffer> nothing;
};

} // namespace pumice::hal
