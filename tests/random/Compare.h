//===- Compare.h - a program in every way, and what differs -----------------------===//
#pragma once

#include "tests/random/Machine.h"

#include <optional>

namespace pumice::random_programs {

/// Two ways that do not agree, or one that failed.
struct Finding {
  enum class Kind { Invalid, Failed, Differs } kind = Kind::Differs;
  Way first, second; // `second`: of those that differ
  std::string what;

  /// Returns whether the CPU device is all that it takes: then it is our bug.
  bool isOurs() const;
  std::string text(const Machine &machine) const;
};

/// The ways in which this program's results must be equal, in groups: where they depend on the
/// subgroup's size, those of one size.
std::vector<std::vector<Way>> waysOf(const Program &program, const Machine &machine);

/// Every finding, but no way twice.
std::vector<Finding> compare(const Program &program, Machine &machine);

/// Returns how a smaller program fails in the same way, or an empty text if it does not.
std::string shown(const Program &program, const Finding &finding, Machine &machine);

} // namespace pumice::random_programs
