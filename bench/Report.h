//===- Report.h - what a benchmark found, as a table and as JSON ------------===//
// The JSON form is one for all benchmarks: the machine, and a result for each kernel, size and
// device, with its peers beside it. Times are medians in milliseconds.
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
  std::map<std::string, double> peers; // by name, in milliseconds
  std::optional<double> limit;         // in milliseconds
  bool correct = false;                // the result was looked at, and is right
  std::string note;                    // what is wrong, or what a reader must know

  bool ok() const { return correct && (!limit || milliseconds <= *limit); }
};

/// The processor, cores, memory and load of this machine, in that order.
std::vector<std::pair<std::string, std::string>> describeMachine();

/// A table for people.
std::string tableOf(const std::vector<Measurement> &measurements);

/// {"machine": {…}, "results": [{"kernel", "size", "device", "ms", "peers", "limit_ms", "ok"}]}
std::string jsonOf(const std::vector<Measurement> &measurements);

/// What `medians` runs without counting it.
struct WarmUp {
  /// All of them in turn, at least once and for so long: a GPU that idled for 3 s is slow at first
  /// (an H200 for 450 ms, by 2.5 times).
  double milliseconds = 0;
  /// Each once more before it is timed: the GPU that changes from one side's VkDevice to the
  /// other's needs a while for that (an H200 0.2 ms), which belongs to neither.
  bool beforeEach = false;
};

/// What each of `runs` takes: the median over `rounds`, in each of which all of them run in turn,
/// so that a machine that slows down slows all of them.
std::vector<double> medians(const std::vector<std::function<void()>> &runs, int rounds,
                            const WarmUp &warmUp = {});

} // namespace pumice::bench
