//===- Profile.h - the time that each part of a run took --------------------===//
// Makes a table for people from the queue's records, and a trace for chrome://tracing and Perfetto.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Queue.h"

namespace pumice::run {

/// A piece of a queue's work. `bytes` is also set for dispatches if it is known.
struct Measured : hal::ProfileRecord {
  double operations = 0; // 0: unknown
};

struct QueueProfile {
  std::string name;
  std::vector<Measured> work;
};

/// Returns a table with a line for each kernel and each kind of copy, sorted by time on the device.
/// Columns: launches; total and median time on the device; time on the host; total bytes and
/// operations. GB/s and GFLOP/s are those of the median launch, and of all copies together.
std::string profileTable(std::span<const QueueProfile> queues);

/// Returns Chrome's trace event format. The device is a process, and each of its queues is a
/// thread.
std::string chromeTrace(std::span<const QueueProfile> queues, const hal::DeviceInfo &device);

} // namespace pumice::run
