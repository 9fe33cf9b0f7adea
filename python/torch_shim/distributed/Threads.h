//===- Threads.h - threads on which collectives proceed ---------------------===//
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace pumice::vk {

/// Runs a function on a thread that no other function keeps waiting. Threads are kept for a while
/// and used again. The function must not throw.
void runOnThread(std::function<void()> function);
/// Waits until all functions have ended, but not longer than `patience`.
void awaitThreads(std::chrono::milliseconds patience);

/// Runs functions one after another, in their order. Thread-safe.
class SerialQueue : public std::enable_shared_from_this<SerialQueue> {
public:
  /// Adds a function, which must not throw.
  void add(std::function<void()> function);
  /// Waits until all functions that were added before have ended.
  void waitUntilEmpty();

private:
  void drain();

  std::mutex mutex;
  std::condition_variable emptied;
  std::deque<std::function<void()>> waiting;
  bool isRunning = false;
};

} // namespace pumice::vk
