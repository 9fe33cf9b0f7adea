//===- Compare.h - a program in every way, and what differs -----------------===//
#pragma once

#include "tests/random/Machine.h"

#include <optional>

namespace pumice::random_programs {

/// Two ways whose results differ, or one way that failed.
struct Finding {
  enum class Kind { Invalid, Failed, Differs } kind = Kind::Differs;
  Way first, second; // `second`: only if two ways differ
  std::string what;

  /// Returns whether only the CPU device is involved, so that the bug is ours.
  bool isOurs() const;
  std::string text(const Machine &machine) const;
};

/// Returns groups of ways in which this program's results must be equal. If the results depend on
/// the subgroup's size, each group has one size.
std::vector<std::vector<Way>> waysOf(const Program &program, const Machine &machine);

/// Returns every finding, with each way at most once.
std::vector<Finding> compare(const Program &program, Machine &machine);

/// Returns how a smaller program fails in the same way, or an empty text if it does not.
std::string shown(const Program &program, const Finding &finding, Machine &machine);

} // namespace pumice::random_programs
