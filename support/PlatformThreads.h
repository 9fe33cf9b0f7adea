//===- PlatformThreads.h - threads and processors, as systems differ --------===//
// Only this header, Platform.h, and their source files check which system this is.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pumice {

/// The stack of each thread that is started here. It reserves addresses only; pages are allocated
/// when they are used. Kernels on the CPU take up to 6 MiB.
inline constexpr uint64_t threadStackBytes = 16 << 20;

/// A thread whose start may fail: std::thread throws then, and nothing here catches.
class Thread {
public:
  /// Null if the system gives no more threads. `name` has at most 15 characters.
  static std::unique_ptr<Thread> start(const char *name, std::function<void()> body);
  ~Thread(); // `join` or `detach` came before
  void join();
  void detach();

private:
  Thread() = default;
  uint64_t handle = 0;
};

/// The processors that this process may run on, by number; empty if the system does not say.
std::vector<unsigned> allowedProcessors();
/// How many there are, at least one; those of `allowedProcessors` where that is known.
unsigned processorCount();
/// The calling thread runs on that processor alone, where the system has such a thing.
void pinThisThread(unsigned processor);

/// Returns the processor time that this process's control groups allow: 1.5 means one and a half
/// processors; 0 means no bound.
double processorQuota();

/// Bytes of main memory; 0 if the system does not say.
uint64_t mainMemoryBytes();

/// Large pages for memory that is about to be used from end to end; only an advice.
void adviseLargePages(void *memory, uint64_t bytes);

/// Calls these around each fork of the process, on the thread that forks, from now on. Does nothing
/// where processes do not fork.
void aroundForks(void (*before)(), void (*inParent)(), void (*inChild)());

} // namespace pumice
