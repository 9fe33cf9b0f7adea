//===- Function.h - an entry point that can be launched ---------------------===//
// A function converts a caller's arguments to the parameter block and descriptors that the
// variant's code reads. The interface in the executable describes both. A plan is made once. A
// launch only checks, copies, and records one dispatch.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "runtime/hal/Queue.h"

#include <memory>

namespace pumice::hal {

struct LaunchPlan; // fields and bindings, prepared for launches

/// Options that are fixed when the code is compiled.
struct FunctionOptions {
  std::array<uint32_t, 3> workgroupSize{0, 0, 0}; // used if the entry point leaves it open
  uint32_t dynamicMemoryBytes = 0;                // used if it has dynamic workgroup memory
  std::vector<SpecializationConstant> constants;  // the code's other constants, by id
  bool robustAccess = false;                      // as in KernelSource
  std::string label = {}; // for errors and profiles; empty: the entry point's name

  bool operator==(const FunctionOptions &) const = default;
};

/// One argument of a launch. It is a scalar if `bytes` is set, and otherwise a buffer. Pointers are
/// only read during the call.
struct Argument {
  static Argument buffer(Buffer *buffer, uint64_t offsetBytes = 0);
  static Argument scalar(const void *bytes, size_t size);
  /// Passes a value, which must live until the launch.
  template <typename T> static Argument scalar(const T &value) {
    return scalar(&value, sizeof value);
  }

  // A buffer argument. The buffer may be null if the entry point never accesses it. `shape` and
  // `strides` are in elements, and are needed only if the entry point leaves them open. If one
  // extent of a flat buffer is open, it follows from the size of the range. Open strides are
  // row-major by default. Given arrays have `rank` entries, and must agree with what the entry
  // point fixes. All elements must be inside the range.
  BufferRange range;
  const int64_t *shape = nullptr, *strides = nullptr;
  uint32_t rank = 0;
  int64_t offset = 0; // in elements; used if the entry point leaves it open

  // A scalar is little-endian, and has exactly the size of the argument. But an `index` may have 4
  // bytes (zero-extended) or 8, and an `i1` may have 1 or 4.
  const void *bytes = nullptr;
  size_t size = 0;
};

struct LaunchOptions {
  std::array<uint32_t, 3> groups{1, 1, 1};
  const PrintSink *print = nullptr; // null: stdout
  uint32_t printBytes = 1u << 20;   // size of the output buffer of kernels that print; at least 8
  const ArgumentMemoryQuery *memory = nullptr; // as in Dispatch
};

/// One specialized entry point on a device. Thread-safe.
class Function : public RefCounted {
public:
  /// Records one launch on `queue`. Errors: InvalidArgument, which contains the number and name of
  /// the argument, its value, and the requirement: count, kind, size, alignment, range, or device.
  Status launch(Queue &queue, const LaunchOptions &options, std::span<const Argument> arguments);

  const executable::EntryPoint &entryPoint() const;
  /// Returns how the code of the chosen variant takes its arguments.
  const executable::Interface &interface() const;
  const FunctionOptions &options() const { return chosen; }
  Device &device() const { return kernel->device(); }

  struct Assembly; // the parts of a launch

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
