//===- Watchdog.h - ends launches that take too long ------------------------===//
// Kernels regularly read a word (NativeLaunch::cancel). When the time of a launch is up, a separate
// thread sets the word. The thread starts with the first launch that has a time limit. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/ForkSafety.h"
#include "support/PlatformThreads.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace pumice::cpu_driver {

class Watchdog final : ForkAware {
public:
  using Clock = std::chrono::steady_clock;

  explicit Watchdog(std::chrono::milliseconds limit);
  ~Watchdog() override;

  /// Sets the time limit for later launches. Zero means no limit.
  void setLimit(std::chrono::milliseconds limit);
  std::chrono::milliseconds limit() const {
    return std::chrono::milliseconds(milliseconds.load(std::memory_order_relaxed));
  }

  /// Watches one launch, from its beginning to its end.
  class Watch {
  public:
    explicit Watch(Watchdog &dog) : dog(dog) {
      if (dog.limit().count() > 0) [[unlikely]]
        begin();
    }
    ~Watch() {
      if (watching) [[unlikely]]
        end();
    }
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

    /// Returns the word for NativeLaunch::cancel, or null without a time limit.
    const uint32_t *word() const { return watching ? &cancel : nullptr; }

  private:
    friend class Watchdog;
    void begin();
    void end();

    Watchdog &dog;
    uint32_t cancel = 0;
    bool watching = false;
    Clock::time_point deadline;
  };

private:
  struct Guard; // the watching thread, and its condition variable

  void work(Guard &guard);
  static void cancel(Watch &watch);
  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  void afterForkInChild() override;

  std::atomic<int64_t> milliseconds;
  std::mutex mutex; // guards the members below
  std::unique_ptr<Guard> guard;
  std::vector<Watch *> watches;
};

} // namespace pumice::cpu_driver
