//===- Simulator.cpp - executes plans on a workgroup of numbers -------------===//
#include "compiler/dialect/tile/testing/Simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace pumice::tile;
using namespace pumice::tile::testing;

void pumice::tile::testing::forAllPlaces(
    const LinearLayout &layout,
    const std::function<void(uint64_t, uint64_t, uint64_t, uint64_t)> &body) {
  Field reg = layout.input(registerSpace), lane = layout.input(laneSpace),
        subgroup = layout.input(subgroupSpace);
  for (uint64_t point = 0; point >> layout.inputBits() == 0; ++point)
    body(subgroup.of(point), lane.of(point), reg.of(point), layout(point));
}

Registers<int> pumice::tile::testing::execute(const LaneExchange &exchange,
                                              const Registers<int> &source) {
  Registers<int> result(source.subgroups, source.lanes, exchange.resultRegisters);
  for (uint64_t subgroup = 0; subgroup < source.subgroups; ++subgroup) {
    std::vector<std::vector<int>> received(source.lanes);
    for (const LaneExchange::Round &round : exchange.rounds) {
      // All lanes send before any of them reads.
      std::vector<int> sent;
      for (uint64_t lane = 0; lane < source.lanes; ++lane)
        sent.push_back(source.at(subgroup, lane, round.sends ^ exchange.before(lane, subgroup)));
      for (uint64_t lane = 0; lane < source.lanes; ++lane)
        received[lane].push_back(sent[exchange.fromLane(lane, subgroup) ^ round.laneXor]);
    }
    for (uint64_t lane = 0; lane < source.lanes; ++lane)
      for (uint64_t reg = 0; reg < result.count; ++reg)
        result.at(subgroup, lane, reg) = received[lane][reg ^ exchange.after(lane, subgroup)];
  }
  return result;
}

namespace {

/// The memory of one piece, and the number of lanes that access it at once. Together these lanes
/// fill a row of banks, but there are at most as many lanes as banks.
struct Banks {
  unsigned elementBytes;
  WorkgroupMemory memory;
  std::map<uint64_t, int> elements;

  /// Returns the most words that one bank delivers if these lanes access vectors at these offsets
  /// at once.
  unsigned worst(const std::vector<uint64_t> &offsets, uint64_t length) const {
    uint64_t row = uint64_t(memory.banks) * memory.bankBytes;
    size_t together =
        std::max<uint64_t>(row / std::max<uint64_t>(length * elementBytes, memory.bankBytes), 1);
    unsigned most = 0;
    for (size_t first = 0; first < offsets.size(); first += together) {
      std::map<uint64_t, std::set<uint64_t>> wordsOfBank;
      for (size_t i = first; i < std::min(first + together, offsets.size()); ++i)
        for (uint64_t byte = offsets[i] * elementBytes; byte < (offsets[i] + length) * elementBytes;
             byte += memory.bankBytes)
          wordsOfBank[byte / memory.bankBytes % memory.banks].insert(byte / memory.bankBytes);
      for (const auto &[bank, words] : wordsOfBank)
        most = std::max(most, static_cast<unsigned>(words.size()));
    }
    return most;
  }
};

} // namespace

/// Calls `move(reg, offset, lane)` for each element of each vector of one subgroup in one piece.
/// Returns the most words that one bank had to deliver at once.
template <typename Move>
static unsigned forAccesses(const MemoryAccess &access, uint64_t subgroup, uint64_t piece,
                            const Banks &banks, bool skipCopies, Move move) {
  const LinearLayout &places = access.places;
  auto placeOf = [&](uint64_t reg, uint64_t lane) {
    return places(places.input(registerSpace).at(reg) | places.input(laneSpace).at(lane) |
                  places.input(subgroupSpace).at(subgroup));
  };
  unsigned worst = 0;
  for (uint64_t start : access.starts) {
    std::vector<uint64_t> offsets;
    for (uint64_t lane = 0; lane >> places.input(laneSpace).bits == 0; ++lane) {
      uint64_t place = placeOf(start, lane);
      if (places.output(pieceSpace).of(place) != piece)
        continue;
      uint64_t offset = places.output(offsetSpace).of(place);
      offsets.push_back(offset);
      EXPECT_EQ(offset % access.length(), 0u) << "a vector that is not aligned";
      if (skipCopies && (lane & access.laneCopies || subgroup & access.subgroupCopies))
        continue;
      for (uint64_t i = 0; i < access.length(); ++i)
        move(start ^ combine(access.vector, i), offset + i, lane);
    }
    worst = std::max(worst, banks.worst(offsets, access.length()));
  }
  return worst;
}

Registers<int> pumice::tile::testing::execute(const MemoryTrip &trip, const Registers<int> &source,
                                              const LinearLayout &layout, unsigned elementBytes,
                                              const WorkgroupMemory &memory, Traffic &traffic) {
  Registers<int> result = roomFor<int>(layout);
  for (uint64_t piece = 0; piece < trip.pieces; ++piece) {
    Banks banks{elementBytes, memory, {}};
    for (uint64_t subgroup = 0; subgroup < source.subgroups; ++subgroup)
      traffic.worstStore = std::max(
          traffic.worstStore,
          forAccesses(
              trip.store, subgroup, piece, banks, true,
              [&](uint64_t reg, uint64_t offset, uint64_t lane) {
                EXPECT_LT(offset * elementBytes, trip.bytes);
                EXPECT_TRUE(banks.elements.insert({offset, source.at(subgroup, lane, reg)}).second)
                    << "an element is stored twice";
              }));
    for (uint64_t subgroup = 0; subgroup < source.subgroups; ++subgroup)
      traffic.worstLoad =
          std::max(traffic.worstLoad,
                   forAccesses(trip.load, subgroup, piece, banks, false,
                               [&](uint64_t reg, uint64_t offset, uint64_t lane) {
                                 EXPECT_TRUE(banks.elements.count(offset)) << "nothing is there";
                                 result.at(subgroup, lane, reg) = banks.elements[offset];
                               }));
  }
  for (uint64_t subgroup = 0; subgroup < result.subgroups; ++subgroup)
    for (uint64_t lane = 0; lane < result.lanes; ++lane)
      for (uint64_t reg = 0; reg < result.count; ++reg)
        result.at(subgroup, lane, reg) =
            result.at(subgroup, lane, combine(trip.load.original, reg));
  return result;
}

Registers<int> pumice::tile::testing::execute(const Conversion &conversion,
                                              const Registers<int> &source,
                                              const LinearLayout &result, unsigned elementBytes,
                                              const WorkgroupMemory &memory) {
  Traffic traffic;
  return conversion.movement == Movement::Memory
             ? execute(conversion.trip(), source, result, elementBytes, memory, traffic)
             : execute(conversion.exchange(), source);
}
