//===- ForkSafety.h - locks and threads when a process forks ----------------===//
// A child process has only the thread that forked. Locks that other threads held stay locked
// forever, because these threads do not exist in the child. An object that registers here takes its
// locks before each fork. After the fork, one function is called in the parent and another in the
// child.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <mutex>

namespace pumice {

/// Returns how many times this process or its ancestors have forked since the first call. The
/// number differs between parent and child.
uint32_t forksSoFar();

class ForkAware {
public:
  ForkAware(const ForkAware &) = delete;
  ForkAware &operator=(const ForkAware &) = delete;

protected:
  ForkAware() = default;
  virtual ~ForkAware() = default;
  // A constructor must call `startWatching` last, and a destructor must call `stopWatching` first.
  // Between these calls, a fork may happen at any time.
  void startWatching();
  void stopWatching();

private:
  friend struct ForkList;
  /// Takes all locks. It must not wait for long.
  virtual void beforeFork() = 0;
  virtual void afterForkInParent() = 0; // releases the locks
  // Releases the locks, and forgets threads that do not exist in the child.
  virtual void afterForkInChild() = 0;
};

/// A mutex for short critical sections. In a child, it is free, whatever other threads were doing.
/// While it is held, no other mutex of this kind may be taken.
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
