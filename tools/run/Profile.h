//===- Profile.h - where the time of a run went -----------------------------===//
// From the queue's records: a table for people, a trace for chrome://tracing and Perfetto.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Queue.h"

#include <map>

namespace pumice::run {

/// What one launch of a kernel does, where someone knows; 0: nobody does.
struct Work {
  double bytes = 0, operations = 0;
};
using WorkByLabel = std::map<std::string, Work, std::less<>>;

/// A line for each kernel and each kind of copy, by time on the device: launches, time on the
/// device in all and of the median one, time on the host, GB/s and GFLOP/s of the median.
std::string profileTable(std::span<const hal::ProfileRecord> records, const WorkByLabel &work);

/// Chrome's trace event format, one track for the device.
std::string chromeTrace(std::span<const hal::ProfileRecord> records, const std::string &device);

} // namespace pumice::run
