//===- Layouts.cpp - chooses layouts for a kernel's tensors -----------------===//
#include "compiler/import/triton/distribute/Layouts.h"

#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/dialect/tile/plan/Conversion.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

using namespace pumice;
using namespace pumice::triton::distribute;
using tile::LinearLayout;

/// Distributes `count` over the dimensions in this order, as far as their sizes allow. The rest
/// becomes copies along the first dimension of the order.
template <typename Order>
static std::vector<uint64_t> deal(uint64_t count, std::vector<uint64_t> &room, const Order &order) {
  std::vector<uint64_t> dealt(room.size(), 1);
  for (unsigned d : order) {
    dealt[d] = std::min(count, room[d]);
    room[d] /= dealt[d];
    count /= dealt[d];
  }
  dealt[order.front()] *= count;
  return dealt;
}

/// Moves the elements of a layout to other places, but keeps the number of copies. With this, tests
/// check that no operation relies on the layouts that are usually chosen. As usual, all tensors of
/// one shape get the same layout. The topmost registers of large layouts stay in place, because
/// loops use them to cut tensors into blocks. A tensor that cannot be cut would be unrolled, and
/// drivers take hours to compile such code.
static Result<LinearLayout> mixed(const LinearLayout &layout, uint64_t seed) {
  constexpr unsigned mostBits = 6; // the most bits of registers that are mixed
  std::vector<tile::Space> ins = layout.inputs();
  std::vector<uint64_t> columns;
  for (size_t i = ins.size(); i-- > 0;)
    for (uint64_t image : layout.columns(ins[i].name)) {
      columns.push_back(image);
      seed = seed * 31 + image;
    }
  unsigned registerBits = layout.input(tile::registerSpace).bits;
  size_t count = columns.size() - (registerBits - std::min(registerBits, mostBits));
  std::mt19937_64 random(seed);
  for (size_t i = count; i > 1; --i)
    std::swap(columns[i - 1], columns[random() % i]);
  for (size_t i = 0; i < count; ++i)
    if (size_t other = random() % (2 * count); other < i && columns[i])
      columns[i] ^= columns[other];
  return LinearLayout::fromColumns(ins, layout.outputs(), std::move(columns));
}

Result<LinearLayout> triton::distribute::blockLayout(std::span<const uint64_t> shape,
                                                     const Workgroup &workgroup,
                                                     std::span<const unsigned> order,
                                                     uint64_t perLane, uint64_t most) {
  tile::Blocking blocking;
  blocking.order.assign(order.begin(), order.end());
  if (order.empty()) {
    blocking.order.resize(shape.size());
    std::iota(blocking.order.rbegin(), blocking.order.rend(), 0u);
  }
  std::vector<uint64_t> room(shape.begin(), shape.end());
  unsigned fastest = blocking.order.front();
  blocking.perLane.assign(shape.size(), 1);
  blocking.perLane[fastest] = std::min(perLane, room[fastest]);
  room[fastest] = std::min(room[fastest], most) / blocking.perLane[fastest];
  blocking.lanes = deal(workgroup.lanes, room, blocking.order);
  // If a subgroup has one lane, neighbouring subgroups hold neighbouring elements, as lanes usually
  // do. So they access contiguous memory.
  std::vector<unsigned> slowestFirst(blocking.order.rbegin(), blocking.order.rend());
  blocking.subgroups =
      deal(workgroup.subgroups, room, workgroup.lanes == 1 ? blocking.order : slowestFirst);
  Result<LinearLayout> layout = tile::blocked(shape, blocking);
  return workgroup.seed && layout.isOk() ? mixed(*layout, workgroup.seed) : layout;
}

Result<LinearLayout> triton::distribute::oneElement(const Workgroup &workgroup) {
  return blockLayout(std::vector<uint64_t>{1}, workgroup);
}

/// Estimates the cost of a conversion.
static uint64_t costOf(const LinearLayout &from, const LinearLayout &to, unsigned bytes) {
  constexpr uint64_t impossible = 1 << 20;
  tile::WorkgroupMemory unlimited{.bytes = std::numeric_limits<uint64_t>::max()};
  Result<tile::Conversion> plan = tile::planConversion(from, to, bytes, unlimited);
  if (!plan.isOk())
    return impossible;
  uint64_t registers =
      std::max(from.input(tile::registerSpace).mask(), to.input(tile::registerSpace).mask());
  static constexpr uint64_t each[] = {0, 1, 4, 16}; // in the order of Movement
  return each[static_cast<size_t>(plan->movement)] * (registers + 1);
}

const LinearLayout &triton::distribute::cheapest(std::span<const LinearLayout> homes,
                                                 unsigned elementBytes) {
  const LinearLayout *best = nullptr;
  uint64_t least = 0;
  for (const LinearLayout &candidate : homes) {
    if (best && *best == candidate)
      continue;
    uint64_t cost = uint64_t(2) << candidate.input(tile::registerSpace).bits;
    for (const LinearLayout &home : homes)
      if (!(home == candidate))
        cost += costOf(home, candidate, elementBytes);
    if (!best || cost < least) {
      best = &candidate;
      least = cost;
    }
  }
  return *best;
}

bool triton::distribute::hasNeedlessCopies(const LinearLayout &layout) {
  auto hasZero = [&](std::string_view space) {
    return std::ranges::any_of(layout.columns(space), [](uint64_t image) { return image == 0; });
  };
  return layout.input(tile::registerSpace).bits != 0 &&
         (hasZero(tile::laneSpace) || hasZero(tile::subgroupSpace));
}
