//===- Conversion.h - how a tensor gets from one layout to another ----------===//
// A conversion does nothing, moves registers within each lane, shuffles within each subgroup, or
// uses workgroup memory. The planner chooses the first of these that suffices.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/tile/plan/LaneExchange.h"
#include "compiler/dialect/tile/plan/MemoryTrip.h"

#include <variant>

namespace pumice::tile {

enum class Movement { Nothing, Registers, Shuffles, Memory };

struct Conversion {
  Movement movement = Movement::Nothing;
  /// Is a MemoryTrip for Memory, and a LaneExchange for other movements.
  std::variant<LaneExchange, MemoryTrip> how;

  const LaneExchange &exchange() const { return std::get<LaneExchange>(how); }
  const MemoryTrip &trip() const { return std::get<MemoryTrip>(how); }
};

/// Plans a conversion. Returns errors of checkConvertible, or an error if memory does not suffice.
Result<Conversion> planConversion(const LinearLayout &from, const LinearLayout &to,
                                  unsigned elementBytes, const WorkgroupMemory &memory = {});

/// Describes the plan for people: "shuffles: 4 rounds, 2 selects".
std::string describe(const Conversion &conversion);

} // namespace pumice::tile
