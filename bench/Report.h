//===- Report.h - what a benchmark found, as a table and as JSON ------------===//
// The JSON form is one for all benchmarks: the machine, and a result for each kernel, size and
// device, with its peers beside it. Times are medians in milliseconds.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

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

/// What each of `runs` takes: the median over `rounds`, in each of which all of them run in turn,
/// so that a machine that slows down slows all of them. One round more, at first, is not counted.
std::vector<double> medians(const std::vector<std::function<void()>> &runs, int rounds);

} // namespace pumice::bench
