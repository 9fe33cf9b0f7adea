//===- Ticks.h - a cheap clock for frequent checks --------------------------===//
// Reading the processor's counter takes less than half the time of reading the system's clock (9 ns
// instead of 23 ns in a virtual machine). A launch is so short that this matters. The rate of the
// counter is only known roughly. This suffices for "a while ago", but not for measurements.
//===-------------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>

namespace pumice {

inline uint64_t ticks() {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t now;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
  return now;
#else
  return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// Returns roughly how many ticks the time takes. On x86, where processors count 1.5 to 5 billion
/// ticks per second, the result is within a factor of two.
inline uint64_t ticksIn(std::chrono::microseconds time) {
  auto micros = static_cast<uint64_t>(time.count());
#if defined(__x86_64__) || defined(__i386__)
  return micros * 2700;
#elif defined(__aarch64__)
  uint64_t perSecond;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(perSecond));
  return micros * perSecond / 1'000'000;
#else
  using Period = std::chrono::steady_clock::period;
  return micros * static_cast<uint64_t>(Period::den) /
         (static_cast<uint64_t>(Period::num) * 1'000'000);
#endif
}

} // namespace pumice
