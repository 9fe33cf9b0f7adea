//===- Deadline.cpp - the time at which to give up --------------------------===//
#include "runtime/hal/Deadline.h"

namespace pumice::hal {

Deadline Deadline::after(Timeout timeout) {
  if (timeout == forever) // reading the clock would take longer than the rest of a short wait
    return {};
  Clock::time_point now = Clock::now();
  if (timeout >= Clock::time_point::max() - now)
    return {};
  return {now + std::max(timeout, Timeout::zero())};
}

Status Deadline::check() const {
  return passed() ? Status(StatusCode::DeadlineExceeded, "the work is not done yet") : Status::ok();
}

uint64_t Deadline::nanosecondsLeft() const {
  if (isNever())
    return UINT64_MAX;
  auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(at - Clock::now()).count();
  return left > 0 ? static_cast<uint64_t>(left) : 0;
}

} // namespace pumice::hal
