//===- RandomLayouts.h - random layouts for tests ---------------------------===//
// Every failure prints the seed of its layout. PUMICE_SEED runs only that one.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace pumice::tile::testing {

class RandomLayouts {
public:
  explicit RandomLayouts(uint64_t seed) : engine(seed) {}

  /// Returns a number from 0 to `most`.
  unsigned upTo(unsigned most) { return static_cast<unsigned>(engine() % (most + 1)); }
  uint64_t bits(unsigned count) { return engine() & ((uint64_t(1) << count) - 1); }
  template <typename T> void shuffle(std::vector<T> &items) {
    for (size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[engine() % i]);
  }

  /// Returns `count` dimensions that have `bits` bits together.
  std::vector<unsigned> dimensions(unsigned count, unsigned bits);
  /// Returns random columns without any restriction.
  std::vector<uint64_t> anyColumns(unsigned inputs, unsigned outputs);
  /// Returns columns that span all outputs: unit vectors, XORs of them (in half of the cases) and
  /// copies.
  std::vector<uint64_t> surjectiveColumns(unsigned inputs, unsigned outputs);

  /// Returns a random map between named spaces of at most `most` bits each.
  LinearLayout anyLayout(std::vector<std::string> inputs, std::vector<std::string> outputs,
                         unsigned most);
  /// Returns a layout that holds all elements of a tensor. It has `lanes` and `subgroups` bits, and
  /// may hold copies.
  LinearLayout tensor(std::span<const unsigned> dimensions, unsigned lanes, unsigned subgroups,
                      unsigned copies);

private:
  std::mt19937_64 engine;
};

/// Runs the test for `count` seeds, and reports those that failed.
void forSeeds(uint64_t count, const std::function<void(RandomLayouts &)> &test);

/// Returns the value of a Result. A failure fails the test, with its message.
template <typename T> T valueOf(Result<T> result) {
  EXPECT_TRUE(result.isOk()) << result.status().message();
  return result.isOk() ? std::move(result).value() : T();
}

/// Returns the message of a failure, or "ok" for a success.
template <typename T> std::string failureOf(const Result<T> &result) {
  return result.isOk() ? "ok" : result.status().message();
}

} // namespace pumice::tile::testing
