//===- ForkSafety.h - locks and threads when a process forks ----------------===//
// A child process has only the thread that forked. Locks that other threads held stay locked
// forever, and their threads do not exist. An object that registers here takes its locks before
// each fork. Afterwards it is notified whether it is in the parent or in the child.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <mutex>

namespace pumice {

/// Returns how often this process, or an ancestor, was forked since the first call. It differs
/// between parent and child.
uint32_t forksSoFar();

class ForkAware {
public:
  ForkAware(const ForkAware &) = delete;
  ForkAware &operator=(const ForkAware &) = delete;

protected:
  ForkAware() = default;
  virtual ~ForkAware() = default;
  // A constructor calls `startWatching` last, and a destructor calls `stopWatching` first. Between
  // these calls, a fork may happen at any time.
  void startWatching();
  void stopWatching();

private:
  friend struct ForkList;
  /// Takes every lock. It must not wait for anything that takes long.
  virtual void beforeFork() = 0;
  virtual void afterForkInParent() = 0; // releases the locks
  // Releases the locks, and forgets threads that do not exist here.
  virtual void afterForkInChild() = 0;
};

/// A mutex for short sections. It is free in a child, whatever other threads were doing. No other
/// such mutex is taken while it is held.
class ForkSafeMutex final : ForkAware {
public:
  ForkSafeMutex() { startWatching(); }
  ~ForkSafeMutex() override { stopWatching(); }
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  void afterForkInChild() override { mutex.unlock(); }

  std::mutex mutex;
};

} // namespace pumice
