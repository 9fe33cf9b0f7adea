//===- Faults.h - accesses that the hardware refuses, as errors of a launch -===//
// If a kernel accesses an address where the process has no memory, the processor raises a signal.
// While a thread runs native code, that signal ends only this code: the launch fails, and the
// process continues. A read close to the memory of an argument gets zeros instead, because
// allocators of GPUs leave unused memory behind allocations.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/NativeCode.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace pumice::cpu_driver {

/// The reason why native code was ended.
struct Fault {
  enum class Kind : uint8_t { Read, Write, Access, Division, Instruction };
  Kind kind = Kind::Access;
  bool hasAddress = false; // the processor does not report impossible addresses
  uint64_t address = 0;
  uint64_t instruction = 0; // the address of the instruction
};

/// Pages of zeros around the memory of a launch's arguments. They are mapped when they are first
/// read, and unmapped together with this object. Thread-safe.
class Slack {
public:
  struct Range {
    uint64_t begin = 0, end = 0;
  };
  /// Returns the memory of the arguments. Called at most once, on a separate thread.
  using Ask = std::function<std::vector<Range>()>;

  /// The distance from an argument's memory within which reads get zeros. CUDA's allocators round
  /// sizes up to a multiple of this.
  static constexpr uint64_t reach = uint64_t{2} << 20;

  Slack() = default;
  Slack(const Slack &) = delete;
  Slack &operator=(const Slack &) = delete;
  ~Slack();

  void setAsk(Ask given) { ask = std::move(given); }
  /// Provides memory at `address`. Returns whether the address can be read now.
  bool provide(uint64_t address);

private:
  Ask ask;
  std::mutex mutex; // guards the members below
  bool asked = false;
  std::vector<Range> ranges;
  std::vector<uint64_t> pages;
};

enum class NativeOutcome : uint8_t { Done, Cancelled, Faulted };

/// Calls `run` for workgroups [begin, end), as `executable::runNative` does. A fault ends the call,
/// and `fault` describes it. If the run was cancelled, `fault.instruction` may be the instruction
/// at which `notePlaces` found it.
NativeOutcome runGuarded(executable::NativeKernelFunction run,
                         const executable::NativeLaunch &launch, void *workgroupMemory,
                         void *scratch, uint64_t begin, uint64_t end, Slack &slack, Fault &fault);

/// Makes each thread that runs native code with this cancellation word note its current
/// instruction. Returns when all of them have done so, or after a short time.
void notePlaces(const uint32_t *cancel);

/// Installs a signal handler that reports faults of native code to `runGuarded`, and passes other
/// faults to the previous handlers. A later call installs it again, in front of handlers that were
/// installed in between. PUMICE_CPU_FAULTS=off leaves the signals unchanged.
void watchFaults();

} // namespace pumice::cpu_driver
