//===- Function.h - an entry point that can be launched ---------------------===//
// Turns arguments as callers have them into what the variant's code reads: a parameter block and
// descriptors, by the interface in the executable. The plan for that is made once; a launch checks,
// copies, and records one dispatch.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "runtime/hal/Queue.h"

#include <memory>

namespace pumice::hal {

struct LaunchPlan; // fields and bindings, resolved

/// The options that are fixed when code is compiled.
struct FunctionOptions {
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // where the entry point leaves it open
  uint32_t dynamicMemoryBytes = 0;                // where it has dynamic workgroup memory
  std::vector<SpecializationConstant> constants;  // others that the code has, by id
  bool robustAccess = false;                      // as KernelSource's
  std::string label = {}; // for errors and profiles; empty: the entry point's name

  bool operator==(const FunctionOptions &) const = default;
};

/// One argument of a launch: a scalar where `bytes` is set, else a buffer. Pointers are only read
/// during the call.
struct Argument {
  static Argument buffer(Buffer *buffer, uint64_t offsetBytes = 0);
  static Argument scalar(const void *bytes, size_t size);
  /// Passes a value that lives until the launch.
  template <typename T> static Argument scalar(const T &value) {
    return scalar(&value, sizeof value);
  }

  // Buffers. A null buffer is allowed if the entry point never touches it. `shape` and `strides`
  // are in elements, and are needed only if the entry point leaves them open. One open extent of a
  // flat buffer follows from the size of the range. Open strides are row-major. Given arrays have
  // `rank` entries, and agree with what the entry point fixes. All elements must be inside the
  // range.
  BufferRange range;
  const int64_t *shape = nullptr, *strides = nullptr;
  uint32_t rank = 0;
  int64_t offset = 0; // in elements, where the entry point leaves it open

  // Scalars are little endian and exactly as long as the argument. Exceptions: an `index` may have
  // 4 bytes (zero-extended) or 8, and an `i1` 1 or 4.
  const void *bytes = nullptr;
  size_t size = 0;
};

struct LaunchOptions {
  std::array<uint32_t, 3> groups{1, 1, 1};
  const PrintSink *print = nullptr;            // null: stdout
  uint32_t printBytes = 1u << 20;              // of the buffer for kernels that print; 8 at least
  const ArgumentMemoryQuery *memory = nullptr; // as Dispatch's
};

/// Thread-safe.
class Function : public RefCounted {
public:
  /// Records one launch on `queue`. Errors: InvalidArgument, naming the argument by number and
  /// name, the value, and what is needed: count, kind, size, alignment, range, device.
  Status launch(Queue &queue, const LaunchOptions &options, std::span<const Argument> arguments);

  const executable::EntryPoint &entryPoint() const;
  /// How the chosen variant takes the arguments.
  const executable::Interface &interface() const;
  const FunctionOptions &options() const { return chosen; }
  Device &device() const { return kernel->device(); }

  struct Assembly; // what a launch puts together

private:
  friend class Executable;
  Function(std::shared_ptr<const executable::Executable> contents, Ref<Kernel> kernel,
           FunctionOptions options, std::unique_ptr<LaunchPlan> plan);
  ~Function() override;
  Status launchUsual(Queue &queue, const LaunchOptions &options,
                     std::span<const Argument> arguments);
  Status launchAny(Queue &queue, const LaunchOptions &options, std::span<const Argument> arguments);
  Status place(std::span<const Argument> arguments, Assembly &assembly);
  Status dispatchWithMore(Queue &queue, const LaunchOptions &options, Dispatch &dispatch,
                          Assembly &assembly);

  std::shared_ptr<const executable::Executable> contents;
  Ref<Kernel> kernel;
  FunctionOptions chosen;
  std::unique_ptr<LaunchPlan> plan;
};

} // namespace pumice::hal
