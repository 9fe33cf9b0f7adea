//===- Conversion.cpp - how a tensor gets from one layout to another --------===//
#include "compiler/dialect/tile/plan/Conversion.h"

using namespace pumice;
using namespace pumice::tile;

Result<Conversion> pumice::tile::planConversion(const LinearLayout &from, const LinearLayout &to,
                                                unsigned elementBytes,
                                                const WorkgroupMemory &memory) {
  PUMICE_RETURN_IF_ERROR(checkConvertible(from, to));
  if (!staysInSubgroup(from, to)) {
    PUMICE_TRY(MemoryTrip trip, planMemoryTrip(from, to, elementBytes, memory));
    return Conversion{Movement::Memory, std::move(trip)};
  }
  PUMICE_TRY(LaneExchange exchange, planLaneExchange(from, to));
  Movement movement = exchange.isNothing()  ? Movement::Nothing
                      : exchange.shuffles() ? Movement::Shuffles
                                            : Movement::Registers;
  return Conversion{movement, std::move(exchange)};
}

static std::string count(uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

static std::string describe(const char *verb, const MemoryAccess &access) {
  return std::string(verb) + " " + count(access.starts.size(), "vector") + " of " +
         std::to_string(access.length()) +
         (access.conflicts > 1 ? ", " + std::to_string(access.conflicts) + " lanes to a bank"
                               : ", no bank conflicts");
}

std::string pumice::tile::describe(const Conversion &conversion) {
  switch (conversion.movement) {
  case Movement::Nothing:
    return "nothing moves";
  case Movement::Registers:
    return "registers: " + count(conversion.exchange().selects(), "select");
  case Movement::Shuffles:
    return "shuffles: " + count(conversion.exchange().shuffles(), "round") + ", " +
           count(conversion.exchange().selects(), "select");
  case Movement::Memory:
    break;
  }
  const MemoryTrip &trip = conversion.trip();
  return "workgroup memory: " + std::to_string(trip.bytes) + " bytes, " +
         count(trip.pieces, "piece") + "; " + ::describe("stores", trip.store) + "; " +
         ::describe("loads", trip.load);
}
