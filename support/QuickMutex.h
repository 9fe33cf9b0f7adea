//===- QuickMutex.h - a mutex for what is held for some nanoseconds ---------===//
// Unlocking is a plain store, where std::mutex exchanges, since somebody may sleep: 12 ns a pair on
// an x86 server instead of 31, of the 150 that recording a launch takes. Who waits does not sleep
// until woken but looks again, soon at first, then every 50 µs.
//===-------------------------------------------------------------------------===//
#pragma once

#include <atomic>

namespace pumice {

class QuickMutex {
public:
  QuickMutex() = default;
  QuickMutex(const QuickMutex &) = delete;
  QuickMutex &operator=(const QuickMutex &) = delete;

  void lock() {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  bool try_lock() { return !held.exchange(true, std::memory_order_acquire); }
  void unlock() { held.store(false, std::memory_order_release); }

private:
  void wait();

  std::atomic<bool> held = false;
};

} // namespace pumice
