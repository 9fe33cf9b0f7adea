//===- LaunchPlan.h - what a launch does, decided when a function is made ---===//
// The interface in the executable lists fields and bindings by place; a launch goes through its
// arguments. The plan has them by argument, so that each is looked at once.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/BufferPool.h"
#include "runtime/hal/Function.h"

namespace pumice::hal {

/// One argument: where it is passed, and which of its checks have a known result.
struct ArgumentPlan {
  const executable::Argument *argument = nullptr;
  uint64_t bytes = 0;                         // scalars: of all components
  bool fixed = false;                         // buffers: nothing about the view is left open, and
  uint64_t reach = 0;                         // it ends after so many bytes
  bool onlyAddress = false;                   // fixed, and all that the code takes is an address
  executable::Access access{};                // that the code has
  uint32_t addressOffset = 0;                 // in the block
  uint64_t alignmentMask = 0;                 // bits that are zero in the address
  uint32_t firstField = 0, lastField = 0;     // in `LaunchPlan::fields`
  uint32_t firstBinding = 0, lastBinding = 0; // in `LaunchPlan::slots`
  uint16_t index = 0;                         // of the argument; they are fewer than 2^16
};

struct LaunchPlan {
  /// `entry` and `interface` must live as long; they have been validated.
  LaunchPlan(const executable::EntryPoint &entry, const executable::Interface &interface);

  const executable::EntryPoint &entry;
  const executable::Interface &interface;
  std::vector<ArgumentPlan> arguments;
  std::vector<executable::ParameterField> fields;       // of arguments, in their order
  std::vector<uint32_t> slots;                          // of arguments, in their order
  std::vector<executable::ParameterField> launchFields; // of no argument
  bool takesPrintfBuffer = false;
  bool blockInMemory = false; // kernels read the parameters from a buffer
  bool needsMore = false;     // than what the arguments say: one of the three above
  bool countsIn32 = false;    // the code computes elements' places in 32 bits
  bool usual = false;         // needs no more, has no descriptors, and few and short arguments

  static constexpr size_t usualArguments = 16, usualParameterBytes = 256;

  BufferPool parameterBuffers;

  /// Stands for buffers that are null or empty, where a descriptor must hold something.
  Result<Ref<Buffer>> placeholder(Device &device);

private:
  std::mutex mutex;
  Ref<Buffer> nothing;
};

} // namespace pumice::hal
