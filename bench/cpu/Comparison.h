//===- Comparison.h - measured times and their limits -----------------------===//
#pragma once

#include "bench/Report.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pumice::bench {

/// The time limits of one measure for Pumice's CPU device.
struct Limit {
  std::string_view measure, title;
  bool ofNative; // whether the limits are multiples of native's time in the same run; if not, they
                 // are milliseconds
  double reach, then;
};

/// Lists the limits in the order of the table. The names are those of the workers' requests.
std::span<const Limit> limits();

/// One row of the table: medians by peer.
struct Row {
  const Limit *limit = nullptr;
  std::string size;
  std::map<std::string, double> milliseconds;
  std::map<std::string, std::string> wrong; // by peer: the reason for a missing time
};

/// Returns Pumice's verdict by the table's limits. "NO": the time is above the limit "reach", or
/// the result is wrong. "reach": the time is within that limit. "then": it is also within the limit
/// "then". A kernel must not be slower than the fastest peer for "reach". For "then" it must be
/// twice as fast as that peer, or as fast as native. Returns an empty text if Pumice was not
/// measured.
std::string verdictOf(const Row &row);

/// Returns the table, with peers in the order of the columns. Each time except native's is followed
/// by its ratio to native. If Pumice is a peer, the fastest of the others follows, with its ratio
/// to Pumice and the verdict.
std::string tableOf(const std::vector<Row> &rows, const std::vector<std::string> &peers);

/// Returns the results for JSON: Pumice with its limits, and all others as peers. If Pumice was not
/// measured, native's time takes its place, without a limit.
std::vector<Measurement> measurementsOf(const std::vector<Row> &rows);

} // namespace pumice::bench
