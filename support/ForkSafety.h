//===- ForkSafety.h - locks and threads when a process forks ----------------===//
// A child has the thread that forked, and nothing else: locks that other threads held stay locked
// for ever, and threads that were waited for never come. What registers here is asked to take its
// locks before each fork, and told on which side it is afterwards.
//===-------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <mutex>

namespace pumice {

/// How often this process, or one that it comes from, was forked off: another number in a child.
/// Counts from the first call on.
uint32_t forksSoFar();

class ForkAware {
public:
  ForkAware(const ForkAware &) = delete;
  ForkAware &operator=(const ForkAware &) = delete;

protected:
  ForkAware() = default;
  virtual ~ForkAware() = default;
  // The first thing that a destructor does, and the last of a constructor, is to call these: in
  // between it may be asked at any time.
  void startWatching();
  void stopWatching();

private:
  friend struct ForkList;
  /// Takes every lock; must wait for nothing that takes long.
  virtual void beforeFork() = 0;
  virtual void afterForkInParent() = 0; // lets go of them
  virtual void afterForkInChild() = 0;  // the same, and forgets threads that are not there
};

/// A mutex for small things, free in a child whatever other threads were doing. No other of these
/// is taken while it is held.
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
