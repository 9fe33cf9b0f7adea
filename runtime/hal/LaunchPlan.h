//===- LaunchPlan.h - the precomputed part of a launch --------------------===//
// The interface in the executable lists fields and bindings by place, but a launch goes through its
// arguments. The plan sorts them by argument, so that a launch looks at each argument once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/BufferPool.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// One argument: where it is passed, and which of its checks have a known result.
struct ArgumentPlan {
  const executable::Argument *argument = nullptr;
  uint64_t bytes = 0;                         // of a scalar, size of a scalar, with all components
  bool fixed = false;                         // a buffer whose view is completely known
  uint64_t reach = 0;                         // bytes up to the end of a fixed view
  bool onlyAddress = false;                   // fixed, and the code takes only its address
  executable::Access access{};                // of the code
  uint32_t addressOffset = 0;                 // in the parameter block
  uint64_t alignmentMask = 0;                 // bits that must be zero in the address
  uint32_t firstField = 0, lastField = 0;     // in `LaunchPlan::fields`
  uint32_t firstBinding = 0, lastBinding = 0; // in `LaunchPlan::slots`
  uint16_t index = 0;                         // of the argument; there are fewer than 2^16
};

struct LaunchPlan {
  /// `entry` and `interface` must be validated, and must outlive the plan.
  LaunchPlan(const executable::EntryPoint &entry, const executable::Interface &interface);

  const executable::EntryPoint &entry;
  const executable::Interface &interface;
  std::vector<ArgumentPlan> arguments;
  std::vector<executable::ParameterField> fields;       // of arguments, in their order
  std::vector<uint32_t> slots;                          // of arguments, in their order
  std::vector<executable::ParameterField> launchFields; // fields that belong to no argument
  bool takesPrintfBuffer = false;
  bool blockInMemory = false; // kernels read the parameters from a buffer
  bool needsMore = false;     // one of the three flags above is set
  bool countsIn32 = false;    // the code computes positions of elements in 32 bits
  bool usual = false; // needs nothing more, has no descriptors, and has few and short arguments

  static constexpr size_t usualArguments = 16, usualParameterBytes = 256;

  BufferPool parameterBuffers;

  /// Returns a buffer to bind instead of null or empty ones, since a descriptor must have one.
  Result<Ref<Buffer>> placeholder(Device &device);

private:
  std::mutex mutex;
  Ref<Buffer> nothing;
};

} // namespace pumice::hal
