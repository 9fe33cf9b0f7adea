//===- Gather.h - how a tensor is read at computed places of a dimension ----===//
//   result[…, i, …] = source[…, index[…, i, …], …]
//
// If each subgroup holds all elements that it may need, each result register is looked up in
// several source registers, one by one. The index determines the lane and the register. If a
// subgroup lacks elements, or that takes too many lookups, the source goes to workgroup memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/plan/Conversion.h"

namespace pumice::tile {

inline constexpr std::string_view indexSpace = "index";

struct Gather {
  /// Registers: within each lane. Shuffles: within each subgroup. Memory: through workgroup memory.
  Movement movement = Movement::Memory;

  /// Maps the place of a result (register, lane, subgroup) and its index to where the source
  /// element is. That is the source's register and lane, or the element's offset in memory.
  LinearLayout places;

  /// For registers and shuffles: result register r looks in all source registers s that differ from
  /// places(r) by XORs of these.
  std::vector<uint64_t> candidates;
  /// Returns the number of source registers to look in.
  uint64_t lookups() const { return uint64_t(1) << candidates.size(); }

  /// For memory: how the source is stored.
  MemoryAccess store;
  uint64_t bytes = 0;
};

/// Plans a gather. `result` is the layout of the indices and of the result. If a result register
/// needs more than `mostLookups`, memory is used. Returns errors of Axis::of, or an error if other
/// dimensions differ or if the source does not fit in workgroup memory.
Result<Gather> planGather(const LinearLayout &source, const LinearLayout &result,
                          unsigned dimension, unsigned elementBytes,
                          const WorkgroupMemory &memory = {}, uint64_t mostLookups = 8);

std::string describe(const Gather &gather);

} // namespace pumice::tile
