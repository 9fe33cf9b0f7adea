//===- Gather.h - how a tensor is read at computed places of a dimension ----===//
//   result[…, i, …] = source[…, index[…, i, …], …]
//
// If each subgroup holds all elements that it may need, each result register is looked up in
// several source registers, one after the other. The index determines the lane and the register.
// Otherwise, or if there are too many lookups, the source goes to workgroup memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/Axis.h"
#include "compiler/dialect/tile/plan/Conversion.h"

namespace pumice::tile {

inline constexpr std::string_view indexSpace = "index";

struct Gather {
  /// Registers: within each lane. Shuffles: within each subgroup. Memory: through workgroup memory.
  Movement movement = Movement::Memory;

  /// Maps the place of a result (register, lane, subgroup) and its index to the place of the source
  /// element. This is the source's register and lane, or the element's offset in memory.
  LinearLayout places;

  /// For registers and shuffles: a basis of the XOR differences between register places(r) and the
  /// source registers in which result register r is looked up.
  std::vector<uint64_t> candidates;
  /// Returns the number of source registers to look in.
  uint64_t lookups() const { return uint64_t(1) << candidates.size(); }

  /// For memory: the way in which the source is stored.
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
