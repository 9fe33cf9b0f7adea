//===- Report.h - a benchmark's results, as a table and as JSON -------------===//
// All benchmarks use one JSON form. It holds the machine, and a result for each kernel, size and
// device, together with those of its peers. Times are medians in milliseconds.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pumice::bench {

struct Measurement {
  std::string kernel, size, device;
  double milliseconds = 0;
  std::map<std::string, double> peers; // milliseconds by name
  std::optional<double> limit;         // in milliseconds
  bool correct = false;                // the result was checked, and is correct
  std::string note;                    // an error, or a remark for readers

  bool ok() const { return correct && (!limit || milliseconds <= *limit); }
};

/// Returns the processor, cores, memory and load of this machine, in that order.
std::vector<std::pair<std::string, std::string>> describeMachine();

/// Returns a table for people.
std::string tableOf(const std::vector<Measurement> &measurements);

/// Returns {"machine": {…}, "results": [{"kernel", "size", "device", "ms", "peers", "limit_ms",
/// "ok"}]}.
std::string jsonOf(const std::vector<Measurement> &measurements);

/// Describes the runs that `medians` does not count.
struct WarmUp {
  /// Runs all of them in turn, at least once and for this long. A GPU that idled for 3 s is slow at
  /// first: an H200 is 2.5 times slower for 450 ms.
  double milliseconds = 0;
  /// Runs each once more before it is timed. A GPU that changes from one side's VkDevice to the
  /// other's needs some time (0.2 ms on an H200), which belongs to neither side.
  bool beforeEach = false;
};

/// Returns the time of each of `runs`: the median over `rounds`. All of them run in turn in each
/// round, so that a machine that slows down slows all of them.
std::vector<double> medians(const std::vector<std::function<void()>> &runs, int rounds,
                            const WarmUp &warmUp = {});

} // namespace pumice::bench
