//===- Random.h - the same numbers for a seed on every machine --------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace pumice::random_programs {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 0x9e3779b97f4a7c15u + 0x1234567u) { bits(); }

  uint64_t bits() { // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// Returns a number below `count`, which is not 0.
  uint32_t below(size_t count) { return static_cast<uint32_t>((bits() >> 32) * count >> 32); }
  uint32_t between(uint32_t least, uint32_t most) { return least + below(most - least + 1); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <typename List> const auto &of(const List &list) { return list[below(std::size(list))]; }

private:
  uint64_t state;
};

} // namespace pumice::random_programs
