//===- Spin.h - polling before sleeping -------------------------------------===//
#pragma once

#include <chrono>

namespace pumice {

/// Tells the processor that this thread is waiting for another one.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Polls `condition` for at most this time. Returns whether it became true.
template <typename Condition>
bool spinUntil(std::chrono::microseconds atMost, const Condition &condition) {
  if (condition())
    return true;
  if (atMost.count() == 0)
    return false;
  auto end = std::chrono::steady_clock::now() + atMost;
  do {
    for (int i = 0; i < 16; ++i) {
      if (condition())
        return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

} // namespace pumice
