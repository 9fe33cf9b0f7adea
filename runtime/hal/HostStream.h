//===- HostStream.h - work of one queue that waits for points ---------------===//
// The work of one queue, in order, in a driver whose timelines the host keeps (HostTimeline.h). If
// the stream comes to a point that has not been reached, it stops. The mutex of the driver's
// scheduler guards everything.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Ref.h"
#include "support/Status.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pumice::hal {

class HostTimeline;

class HostStream : public RefCounted {
public:
  bool isBlocked() const { return blockedBy != nullptr; }
  /// Returns the value for which the stream waits, or 0.
  uint64_t blockedAt() const { return blockedValue; }
  /// Lets the stream check again whether the point for which it waits has been reached.
  void unblock();
  /// Adds the streams whose work may reach the point for which this stream waits.
  void findSignalers(std::vector<HostStream *> &found) const;
  /// Returns the first failure of the work since the last call of this function.
  Status takeFailure() { return std::exchange(firstFailure, Status::ok()); }

protected:
  HostStream() = default;
  ~HostStream() override = default;

  /// Returns false if the stream has to wait for the point. Then it is blocked. The work keeps the
  /// timeline alive. If the point has failed, or never will be reached, the later work fails.
  bool passPoint(HostTimeline &timeline, uint64_t value);
  /// Makes later work fail, and keeps the first failure for `takeFailure`.
  void keepFailure(Status status);

  Status failure;        // applies to later work, until there is no more work
  bool givingUp = false; // ends waits for points that will never be reached

private:
  /// Called after the stream was blocked.
  virtual void unblocked() = 0;

  HostTimeline *blockedBy = nullptr;
  uint64_t blockedValue = 0;
  Status firstFailure; // not reported yet
};

/// Searches `begin`, and the streams for which they wait, directly or not. Calls `wanted` once for
/// each of them, until it returns true. Returns that stream, or null. Streams may wait for each
/// other in a cycle.
template <typename Wanted>
HostStream *findAlongPoints(std::span<HostStream *const> begin, Wanted wanted) {
  auto isAmong = [](std::span<HostStream *const> streams, const HostStream *stream) {
    return std::ranges::find(streams, stream) != streams.end();
  };
  for (size_t at = 0; at < begin.size(); ++at) // usually, the search ends here
    if (!isAmong(begin.first(at), begin[at]) && wanted(*begin[at]))
      return begin[at];
  std::vector<HostStream *> found(begin.begin(), begin.end());
  for (size_t at = 0; at < found.size(); ++at) {
    HostStream *here = found[at];
    if (isAmong(std::span(found).first(at), here))
      continue;
    if (at >= begin.size() && wanted(*here))
      return here;
    here->findSignalers(found);
  }
  return nullptr;
}

} // namespace pumice::hal
