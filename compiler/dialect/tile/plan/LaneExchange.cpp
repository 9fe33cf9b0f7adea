//===- LaneExchange.cpp - from one layout to another within each subgroup ---===//
// Let A be the source's map and B the result's. Let C map the result's places to places of the
// source that hold the same elements: A(C(x)) = B(x). In the round with number c, lane l receives
// register c ^ T(l) of the result, for some linear T. It reads from the source in lane F(l) ^ f(c)
// and register P(l) ^ p(c).
//
// If F is invertible, exactly one lane reads from every lane. The source lane then also knows which
// register is needed: P(F⁻¹(own lane)) ^ p(c). So the algorithm looks for pairs of places with
// equal elements, such that F is invertible. Each pair is (T(l), l) in the result and (P(l), F(l))
// in the source.
//
// All such pairs form a linear space, in which invertible maps are built step by step. The search
// starts with maps that need no selects (T = P = 0) and keep the lane (F(l) = l). It ends with maps
// that need both.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/plan/LaneExchange.h"
#include "compiler/dialect/tile/layout/LayoutText.h"

#include <algorithm>

using namespace pumice;
using namespace pumice::tile;

//===-------------------------------------------------------------------------===//
// Choice of a plan
//===-------------------------------------------------------------------------===//

bool LaneExchange::moves(const Round &round) const {
  if (round.laneXor || std::ranges::any_of(fromLane.bySubgroup, [](uint64_t lane) { return lane; }))
    return true;
  for (size_t bit = 0; bit < fromLane.byLane.size(); ++bit)
    if (fromLane.byLane[bit] != uint64_t(1) << bit)
      return true;
  return false;
}

unsigned LaneExchange::shuffles() const {
  unsigned count = 0;
  for (size_t i = 0; i < rounds.size(); ++i)
    count += moves(rounds[i]) &&
             std::find(rounds.begin(), rounds.begin() + static_cast<ptrdiff_t>(i), rounds[i]) ==
                 rounds.begin() + static_cast<ptrdiff_t>(i);
  return count;
}

unsigned LaneExchange::selects() const {
  return before.rank() * sourceRegisters +
         after.rank() * std::max<unsigned>(resultRegisters, static_cast<unsigned>(rounds.size()));
}

bool LaneExchange::isNothing() const {
  if (!before.isZero() || !after.isZero() || rounds.size() != sourceRegisters)
    return false;
  for (size_t i = 0; i < rounds.size(); ++i)
    if (rounds[i].sends != i || moves(rounds[i]))
      return false;
  return true;
}

//===-------------------------------------------------------------------------===//
// Feasibility
//===-------------------------------------------------------------------------===//

/// Returns whether the images of each bit in both layouts differ only by a vector of `span`.
static bool agree(std::span<const uint64_t> a, std::span<const uint64_t> b, const BitSpan &span) {
  for (size_t bit = 0; bit < a.size(); ++bit)
    if (!span.contains(a[bit] ^ b[bit]))
      return false;
  return true;
}

static bool allIn(std::span<const uint64_t> vectors, const BitSpan &span) {
  return std::ranges::all_of(vectors, [&](uint64_t vector) { return span.contains(vector); });
}

bool pumice::tile::staysInLane(const LinearLayout &from, const LinearLayout &to) {
  Distributed a(from), b(to);
  BitSpan own(a.registers);
  return allIn(b.registers, own) && agree(a.lanes, b.lanes, own) &&
         agree(a.subgroups, b.subgroups, own);
}

bool pumice::tile::staysInSubgroup(const LinearLayout &from, const LinearLayout &to) {
  Distributed a(from), b(to);
  BitSpan own(a.registers);
  for (uint64_t lane : a.lanes)
    own.add(lane);
  return allIn(b.registers, own) && allIn(b.lanes, own) && agree(a.subgroups, b.subgroups, own);
}

//===-------------------------------------------------------------------------===//
// Pairs of lanes
//===-------------------------------------------------------------------------===//

namespace {

/// A place of the result and one of the source that hold the same element.
struct Pair {
  uint64_t lane = 0, reg = 0;         // of the result
  uint64_t fromLane = 0, fromReg = 0; // of the source

  Pair operator^(const Pair &other) const {
    return {lane ^ other.lane, reg ^ other.reg, fromLane ^ other.fromLane, fromReg ^ other.fromReg};
  }
};

/// A map from lanes to lanes that is built from pairs until all lanes are mapped. Except for
/// copies, different lanes map to different ones.
class LaneMap {
public:
  explicit LaneMap(size_t laneBits) : laneBits(laneBits) {}

  bool isComplete() const { return pairs.size() == laneBits; }

  /// Adds lanes that are copies of lane 0, and so read the same lane as lane 0.
  void addCopies(std::span<const uint64_t> copies) {
    for (uint64_t lane : copies)
      if (!lanes.contains(lane))
        add({.lane = lane});
  }

  /// Adds as many pairs as possible from the space that `candidates` span.
  void extend(std::span<const Pair> candidates) {
    while (const std::optional<Pair> next = find(candidates))
      add(*next);
  }

  /// Returns the pair of each single lane bit of the result, or of the source. Lanes that are never
  /// read have no pair, and may send anything.
  std::vector<Pair> byLane() const { return byBit(lanes); }
  std::vector<Pair> byFromLane() const { return byBit(fromLanes); }

private:
  void add(const Pair &pair) {
    lanes.add(pair.lane);
    fromLanes.add(pair.fromLane);
    pairs.push_back(pair);
  }

  /// Returns a pair that is new to both sides: `lanes` does not span its lane, and `fromLanes` does
  /// not span its source lane. If one candidate is new only to one side, and another only to the
  /// other side, their XOR is new to both.
  std::optional<Pair> find(std::span<const Pair> candidates) const {
    std::optional<Pair> left, right;
    for (const Pair &pair : candidates) {
      if (!left && !lanes.contains(pair.lane))
        left = pair;
      if (!right && !fromLanes.contains(pair.fromLane))
        right = pair;
    }
    if (!left || !right)
      return std::nullopt;
    if (!fromLanes.contains(left->fromLane))
      return left;
    return lanes.contains(right->lane) ? *left ^ *right : *right;
  }

  std::vector<Pair> byBit(BitSpan side) const {
    for (size_t bit = 0; bit < laneBits; ++bit)
      side.add(uint64_t(1) << bit);
    std::vector<Pair> result;
    for (size_t bit = 0; bit < laneBits; ++bit) {
      Pair sum;
      uint64_t which = side.express(uint64_t(1) << bit).value_or(0);
      which &= (uint64_t(1) << pairs.size()) - 1;
      for (; which; which &= which - 1)
        sum = sum ^ pairs[static_cast<size_t>(std::countr_zero(which))];
      result.push_back(sum);
    }
    return result;
  }

  size_t laneBits;
  std::vector<Pair> pairs;
  BitSpan lanes, fromLanes;
};

/// The places of a result and a source as bits of one vector, for the search for pairs with equal
/// elements.
struct Unknowns {
  std::vector<uint64_t> columns;
  std::vector<Pair> meanings;

  void add(uint64_t column, Pair meaning) {
    columns.push_back(column);
    meanings.push_back(meaning);
  }
  /// Returns a basis of the space of all pairs.
  std::vector<Pair> solve() const {
    std::vector<Pair> result;
    BitSpan span(columns);
    for (uint64_t relation : span.relations()) {
      Pair sum;
      for (; relation; relation &= relation - 1)
        sum = sum ^ meanings[static_cast<size_t>(std::countr_zero(relation))];
      result.push_back(sum);
    }
    return result;
  }
};

struct Planner {
  Distributed a, b;
  std::vector<uint64_t> results; // b.registers, and further elements that are received

  Planner(const LinearLayout &from, const LinearLayout &to)
      : a(from), b(to), results(b.registers.begin(), b.registers.end()) {}

  void addRegisters(Unknowns &unknowns) const {
    for (size_t bit = 0; bit < a.registers.size(); ++bit)
      unknowns.add(a.registers[bit], {.fromReg = uint64_t(1) << bit});
    for (size_t bit = 0; bit < results.size(); ++bit)
      unknowns.add(results[bit], {.reg = uint64_t(1) << bit});
  }
  void addSameLanes(Unknowns &unknowns) const {
    for (size_t bit = 0; bit < a.lanes.size(); ++bit)
      unknowns.add(a.lanes[bit] ^ b.lanes[bit],
                   {.lane = uint64_t(1) << bit, .fromLane = uint64_t(1) << bit});
  }
  void addLanes(Unknowns &unknowns) const {
    for (size_t bit = 0; bit < a.lanes.size(); ++bit) {
      unknowns.add(b.lanes[bit], {.lane = uint64_t(1) << bit});
      unknowns.add(a.lanes[bit], {.fromLane = uint64_t(1) << bit});
    }
  }

  LaneMap mapLanes(bool inLane);
  LaneExchange build(const LaneMap &map) const;
  Pair holderOf(uint64_t element, std::optional<size_t> preferred) const;
};

} // namespace

LaneMap Planner::mapLanes(bool inLane) {
  auto grow = [&](LaneMap &map, bool withRegisters, bool sameLanes) {
    Unknowns unknowns;
    if (withRegisters)
      addRegisters(unknowns);
    sameLanes ? addSameLanes(unknowns) : addLanes(unknowns);
    map.extend(unknowns.solve());
  };
  LaneMap map(a.lanes.size());
  grow(map, false, true);
  if (!inLane) {
    BitSpan copies(b.lanes);
    map.addCopies(copies.relations());
    grow(map, false, false);
  }
  grow(map, true, true);
  if (inLane)
    return map;
  grow(map, true, false);
  // If a source is copied to several subgroups, some lanes hold elements that only other subgroups
  // need. Other lanes would have to send several registers at once. In this case all elements are
  // received, and some are dropped.
  BitSpan reached(results);
  for (uint64_t lane : b.lanes)
    reached.add(lane);
  for (auto source : {a.lanes, a.registers})
    for (uint64_t element : source)
      if (!map.isComplete() && reached.add(element)) {
        results.push_back(element);
        grow(map, true, false);
      }
  return map;
}

/// Returns a place of the source that holds an element. Prefers register number `preferred` of the
/// same lane, then other registers of the lane, then other lanes of the subgroup.
Pair Planner::holderOf(uint64_t element, std::optional<size_t> preferred) const {
  if (preferred && *preferred < a.registers.size() && a.registers[*preferred] == element)
    return {.fromReg = uint64_t(1) << *preferred};
  BitSpan places(a.registers);
  for (uint64_t lane : a.lanes)
    places.add(lane);
  uint64_t found = places.express(element).value_or(0);
  return {.fromLane = found >> a.registers.size(),
          .fromReg = found & ((uint64_t(1) << a.registers.size()) - 1)};
}

LaneExchange Planner::build(const LaneMap &map) const {
  LaneExchange plan;
  plan.sourceRegisters = 1u << a.registers.size();
  plan.resultRegisters = 1u << b.registers.size();
  for (const Pair &pair : map.byLane()) {
    plan.fromLane.byLane.push_back(pair.fromLane);
    plan.after.byLane.push_back(pair.reg);
  }
  for (const Pair &pair : map.byFromLane())
    plan.before.byLane.push_back(pair.fromReg);
  // The source's register and lane depend on the subgroup and on the round. Here, `sent` leaves out
  // what `before` already adds for the sender's lane.
  auto sent = [&](const Pair &pair) {
    return pair.fromReg ^ combine(plan.before.byLane, pair.fromLane);
  };
  for (size_t bit = 0; bit < a.subgroups.size(); ++bit) {
    Pair pair = holderOf(a.subgroups[bit] ^ b.subgroups[bit], std::nullopt);
    plan.fromLane.bySubgroup.push_back(pair.fromLane);
    plan.before.bySubgroup.push_back(sent(pair));
    plan.after.bySubgroup.push_back(0);
  }
  plan.rounds = {{0, 0}};
  for (size_t bit = 0; bit < results.size(); ++bit) {
    Pair pair = holderOf(results[bit], bit);
    for (size_t i = 0, count = plan.rounds.size(); i < count; ++i)
      plan.rounds.push_back(
          {plan.rounds[i].sends ^ sent(pair), plan.rounds[i].laneXor ^ pair.fromLane});
  }
  return plan;
}

Result<LaneExchange> pumice::tile::planLaneExchange(const LinearLayout &from,
                                                    const LinearLayout &to) {
  PUMICE_RETURN_IF_ERROR(checkConvertible(from, to));
  if (!staysInSubgroup(from, to))
    return Status(StatusCode::InvalidArgument,
                  print(to) + " needs elements that " + print(from) + " holds in other subgroups");
  Planner planner(from, to);
  LaneMap map = planner.mapLanes(staysInLane(from, to));
  if (!map.isComplete())
    return Status(StatusCode::Internal,
                  "no exchange of lanes was found from " + print(from) + " to " + print(to));
  return planner.build(map);
}
