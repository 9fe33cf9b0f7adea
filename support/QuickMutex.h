//===- QuickMutex.h - a mutex for very short sections ---------------------===//
// Unlocking is a plain store. std::mutex uses an exchange, since a thread may sleep on it. A lock
// and unlock take 12 ns on an x86 server instead of 31, of the 150 ns that recording a launch
// takes. A waiting thread does not sleep until it is woken. It checks again, soon at first, then
// every 50 µs.
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
