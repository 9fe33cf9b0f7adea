//===- PlatformThreads.h - threads and processors on each system ----------===//
// Only this header, Platform.h, and their source files check which system this is.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pumice {

/// The stack of each thread that is started here. It only reserves addresses, and pages are
/// allocated when they are used. Kernels on the CPU take up to 6 MiB.
inline constexpr uint64_t threadStackBytes = 16 << 20;

/// A thread whose start may fail. std::thread would throw then, and nothing here catches
/// exceptions.
class Thread {
public:
  /// Returns null if the system gives no more threads. `name` has at most 15 characters.
  static std::unique_ptr<Thread> start(const char *name, std::function<void()> body);
  ~Thread(); // call `join` or `detach` first
  void join();
  void detach();

private:
  Thread() = default;
  uint64_t handle = 0;
};

/// Returns the numbers of the processors that this process may run on, or nothing if the system
/// does not say.
std::vector<unsigned> allowedProcessors();
/// Returns how many processors there are, at least one. Counts `allowedProcessors` if they are
/// known.
unsigned processorCount();
/// Makes the calling thread run only on that processor, if the system supports this.
void pinThisThread(unsigned processor);

/// Returns the processor time that this process's control groups allow: 1.5 means one and a half
/// processors; 0 means no bound.
double processorQuota();

/// Returns the bytes of main memory, or 0 if the system does not say.
uint64_t mainMemoryBytes();

/// Advises the system to use large pages for memory that is about to be used completely.
void adviseLargePages(void *memory, uint64_t bytes);

/// Calls these functions around each later fork of the process, on the thread that forks. Does
/// nothing on systems without fork.
void aroundForks(void (*before)(), void (*inParent)(), void (*inChild)());

} // namespace pumice
