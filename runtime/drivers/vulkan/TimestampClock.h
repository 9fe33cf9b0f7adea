//===- TimestampClock.h - timestamps as nanoseconds -------------------------===//
// Timestamps of some devices have few bits, and start again at zero after a minute or an hour. The
// clock counts on then, if it is read at least once in half of that time. Thread-safe.
//===-------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace pumice::vulkan {

class TimestampClock {
public:
  /// `bits` is the number of valid bits of a timestamp, and `period` a tick in nanoseconds.
  TimestampClock(uint32_t bits, double period) : bits(bits), period(period) {}

  /// Returns the nanoseconds of a timestamp, which may be older than those of earlier calls.
  uint64_t nanoseconds(uint64_t timestamp) {
    return static_cast<uint64_t>(static_cast<double>(ticks(timestamp)) * period);
  }

private:
  uint64_t ticks(uint64_t timestamp) {
    if (bits >= 63) // lasts for centuries
      return timestamp;
    const uint64_t round = uint64_t(1) << bits;
    timestamp &= round - 1;
    std::lock_guard lock(mutex);
    if (latest == 0)
      latest = round + timestamp; // so that older ones are not below zero
    uint64_t ahead = (timestamp - latest) & (round - 1);
    uint64_t found = ahead < round / 2 ? latest + ahead : latest + ahead - round;
    latest = std::max(latest, found);
    return found;
  }

  const uint32_t bits;
  const double period;
  std::mutex mutex; // guards the member below
  uint64_t latest = 0;
};

} // namespace pumice::vulkan
