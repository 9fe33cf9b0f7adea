//===- PlatformThreads.h - threads and processors on each system ------------===//
// Only this header, Platform.h, and their source files depend on the operating system.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pumice {

/// The stack size of each thread that is started here. It only reserves addresses, because pages
/// are allocated on their first use. CPU kernels may need up to 6 MiB.
inline constexpr uint64_t threadStackBytes = 16 << 20;

/// A thread whose start may fail. std::thread would throw an exception in that case, and this code
/// does not catch exceptions.
class Thread {
public:
  /// Returns null if the system cannot start another thread. `name` has at most 15 characters.
  static std::unique_ptr<Thread> start(const char *name, std::function<void()> body);
  ~Thread(); // `join` or `detach` must have been called
  void join();
  void detach();

private:
  Thread() = default;
  uint64_t handle = 0;
};

/// Returns the numbers of the processors on which this process may run, or nothing if the system
/// does not tell.
std::vector<unsigned> allowedProcessors();
/// Returns the number of processors, which is at least one. If `allowedProcessors` are known, only
/// they count.
unsigned processorCount();
/// Makes the calling thread run only on this processor, if the system supports this.
void pinThisThread(unsigned processor);

/// Returns the processor time that the control groups of this process allow. 1.5 means one and a
/// half processors, and 0 means no limit.
double processorQuota();

/// Returns the bytes of main memory, or 0 if the system does not tell.
uint64_t mainMemoryBytes();

/// Advises the system to use large pages for memory that will soon be used completely.
void adviseLargePages(void *memory, uint64_t bytes);

/// Calls these functions around each later fork of the process, on the thread that forks. Does
/// nothing on systems that have no fork.
void aroundForks(void (*before)(), void (*inParent)(), void (*inChild)());

} // namespace pumice
