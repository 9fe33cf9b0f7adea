//===- Profile.h - where the time of a run went -----------------------------===//
// From the queue's records: a table for people, a trace for chrome://tracing and Perfetto.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/DeviceInfo.h"
#include "runtime/hal/Queue.h"

namespace pumice::run {

/// A piece of a queue's work. `bytes` is filled in for dispatches too, where someone knows.
struct Measured : hal::ProfileRecord {
  double operations = 0; // 0: nobody knows
};

struct QueueProfile {
  std::string name;
  std::vector<Measured> work;
};

/// Returns a table with a line for each kernel and each kind of copy, sorted by time on the device.
/// Columns: launches; total and median time on the device; time on the host; total bytes and
/// operations. GB/s and GFLOP/s are those of the median launch, and of all copies together.
std::string profileTable(std::span<const QueueProfile> queues);

/// Chrome's trace event format: the device is a process, each of its queues a thread.
std::string chromeTrace(std::span<const QueueProfile> queues, const hal::DeviceInfo &device);

} // namespace pumice::run
