//===- Simulator.h - executes plans on a workgroup of numbers ---------------===//
// Simulates registers of lanes of subgroups for tests, and a memory of banks that counts conflicts.
// Each element of a tensor is a number. A plan must move each number to its place in the result's
// layout.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Conversion.h"

#include <functional>

namespace pumice::tile::testing {

/// A value in each register of each lane of each subgroup.
template <typename T> struct Registers {
  unsigned subgroups = 1, lanes = 1, count = 1;
  std::vector<T> values;

  Registers() = default;
  Registers(unsigned subgroups, unsigned lanes, unsigned count)
      : subgroups(subgroups), lanes(lanes), count(count),
        values(size_t(subgroups) * lanes * count) {}
  T &at(uint64_t subgroup, uint64_t lane, uint64_t reg) {
    return values[(subgroup * lanes + lane) * count + reg];
  }
  const T &at(uint64_t subgroup, uint64_t lane, uint64_t reg) const {
    return values[(subgroup * lanes + lane) * count + reg];
  }
};

/// Makes registers for all places of a layout.
template <typename T> Registers<T> roomFor(const LinearLayout &layout) {
  return Registers<T>(1u << layout.input(subgroupSpace).bits, 1u << layout.input(laneSpace).bits,
                      1u << layout.input(registerSpace).bits);
}

/// Calls `body(subgroup, lane, reg, element)` for all places of a layout.
void forAllPlaces(const LinearLayout &layout,
                  const std::function<void(uint64_t, uint64_t, uint64_t, uint64_t)> &body);

/// Returns the registers that hold a tensor whose element number e is values[e].
template <typename T>
Registers<T> distribute(const LinearLayout &layout, const std::vector<T> &values) {
  Registers<T> result = roomFor<T>(layout);
  forAllPlaces(layout, [&](uint64_t subgroup, uint64_t lane, uint64_t reg, uint64_t element) {
    result.at(subgroup, lane, reg) = values[element];
  });
  return result;
}

Registers<int> execute(const LaneExchange &exchange, const Registers<int> &source);

/// Records the memory traffic: the most words that one bank had to deliver in one access.
struct Traffic {
  unsigned worstStore = 0, worstLoad = 0;
};

Registers<int> execute(const MemoryTrip &trip, const Registers<int> &source,
                       const LinearLayout &result, unsigned elementBytes,
                       const WorkgroupMemory &memory, Traffic &traffic);

Registers<int> execute(const Conversion &conversion, const Registers<int> &source,
                       const LinearLayout &result, unsigned elementBytes,
                       const WorkgroupMemory &memory = {});

} // namespace pumice::tile::testing
