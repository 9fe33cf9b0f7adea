//===- Command.h - recorded work, and work that the device has --------------===//
#pragma once

#include "runtime/drivers/opencl/Event.h"
#include "runtime/drivers/opencl/Kernel.h"
#include "runtime/drivers/opencl/Timeline.h"
#include "runtime/hal/Queue.h"

#include <memory>
#include <vector>

namespace pumice::opencl_driver {

/// One piece of work that the device does not have yet. Memory is named by addresses. The lists
/// keep their memory when a command is used again.
struct Command {
  enum class Kind : uint8_t { Dispatch, Copy, Fill, Upload, Download, Callback, Wait, Signal };

  Kind kind = Kind::Dispatch;
  // Dispatch
  const OpenClKernel *kernel = nullptr;
  std::array<uint32_t, 3> groups{1, 1, 1}, globalOffset{0, 0, 0};
  uint32_t dimensions = 3;
  bool touchesUnnamedMemory = false;
  // Dispatch: the block of arguments. Upload: the bytes.
  std::vector<std::byte> data;
  // Copy, Fill, Upload, Download
  uint64_t to = 0, from = 0, bytes = 0;
  uint32_t pattern = 0;
  std::byte *host = nullptr; // Download: the caller's memory
  // Callback
  std::function<void(const Status &)> then;
  // Wait, Signal
  Ref<OpenClTimeline> timeline;
  uint64_t value = 0;

  std::vector<Ref<const RefCounted>> kept; // what the work uses
  std::vector<const Allocation *> lent;    // memory to take from the host, and to give back
  std::optional<hal::ProfileRecord> record;

  /// Returns whether the device does something for it, and not only the host.
  bool isWork() const {
    return kind != Kind::Wait && kind != Kind::Signal && kind != Kind::Callback;
  }
  /// Releases everything that only some commands have.
  void reset();
};

/// Work that the device has, up to a point at which the host acts.
struct Group {
  struct Measured {
    hal::ProfileRecord record;
    Event first, last;
  };
  struct Point {
    Ref<OpenClTimeline> timeline;
    uint64_t value = 0;
  };

  uint64_t lastCommand = 0; // the number of its last command
  Event end;                // done when the whole group is done; empty if not needed so far
  bool failedToEnd = false; // there is no event, because the device did not take one
  std::vector<Ref<const RefCounted>> kept;
  std::vector<std::vector<std::byte>> staging;
  std::vector<Measured> measured;
  std::vector<Point> waits; // points that other streams have signaled before it
  Point signal;             // to reach when it is done, or null
  std::function<void(const Status &)> then;

  /// Releases everything, as `reset` does, if that destroys nothing. Returns whether it did. If
  /// not, some objects may be released. The caller may hold locks.
  bool releaseQuietly();
  /// Releases everything. Its lists keep their memory.
  void reset();
};

} // namespace pumice::opencl_driver
