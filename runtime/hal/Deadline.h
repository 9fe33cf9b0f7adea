//===- Deadline.h - the time at which to give up ----------------------------===//
#pragma once

#include "runtime/hal/Timeline.h"

#include <algorithm>

namespace pumice::hal {

/// The time at which a wait gives up. By default, it never does.
struct Deadline {
  using Clock = std::chrono::steady_clock;
  static Deadline after(Timeout timeout);
  bool isNever() const { return at == Clock::time_point::max(); }
  bool passed() const { return !isNever() && Clock::now() >= at; }
  /// Errors: DeadlineExceeded, if it has passed.
  Status check() const;
  /// Returns this deadline or `time` from now, whichever comes first.
  Deadline within(std::chrono::microseconds time) const {
    return {std::min(at, Clock::now() + time)};
  }

  /// Returns an early time at which to check again, if the object of the wait may be lost without
  /// notice.
  Deadline soon() const { return within(std::chrono::milliseconds(20)); }
  /// Returns the remaining time, or UINT64_MAX if this deadline never passes.
  uint64_t nanosecondsLeft() const;

  Clock::time_point at = Clock::time_point::max();
};

} // namespace pumice::hal
