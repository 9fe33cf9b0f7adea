//===- Interpreter.cpp - runs a compiled MSL kernel on the host -------------===//
#include "tests/metal/host/Interpreter.h"

#include "tests/metal/host/Fibres.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

namespace pumice::msl {
namespace {

enum class State : uint8_t { Ready, Exchange, Barrier, SimdBarrier, Done };

struct Lane {
  shim::Thread thread;
  State state = State::Ready;
  const void *given = nullptr;
  size_t bytes = 0;
  shim::Exchange *met = nullptr;
};

/// Returns whether the place of `a` comes before that of `b`: the text, and the turns of the loops.
/// The result is negative, zero or positive.
int comparePlaces(const shim::Thread &a, const shim::Thread &b) {
  for (uint32_t i = 0;; ++i) {
    uint32_t x = i < a.depth ? a.loops[i] : a.site, y = i < b.depth ? b.loops[i] : b.site;
    if (x != y)
      return x < y ? -1 : 1;
    if (i >= a.depth || i >= b.depth)
      return int(a.depth > i) - int(b.depth > i);
  }
}

/// Runs one threadgroup after the other.
class Machine {
public:
  Machine(const shim::Kernel &kernel, std::span<void *const> buffers, const Grid &grid)
      : kernel(kernel), buffers(buffers), grid(grid),
        lanes(size_t(grid.threads[0]) * grid.threads[1] * grid.threads[2]) {
    interpreter.self = this;
    interpreter.table.exchange = exchange;
    interpreter.table.done = done;
    interpreter.table.barrier = barrier;
    interpreter.table.fail = fail;
    kernel.use(&interpreter.table);
  }

  Status runGroup(shim::Triple group, bool needsFibres);
  Counts counts;

private:
  struct Table {
    shim::Interpreter table; // first, so that a pointer to it is one to this
    Machine *self = nullptr;
  };
  static Machine &of(shim::Interpreter &table) { return *reinterpret_cast<Table &>(table).self; }
  static shim::Exchange *exchange(shim::Interpreter &table, const void *value, size_t bytes);
  static void done(shim::Interpreter &table, shim::Exchange *met);
  static void barrier(shim::Interpreter &table, bool ofSimdGroup);
  static void fail(shim::Interpreter &table, const char *what);

  void place(Lane &lane, uint32_t index, shim::Triple group);
  void stop(State state);
  Status schedule();
  bool meet(size_t begin, size_t end);
  bool passSimdBarrier(size_t begin, size_t end);
  shim::Exchange *take();

  const shim::Kernel &kernel;
  std::span<void *const> buffers;
  const Grid grid;
  std::vector<Lane> lanes;
  std::deque<shim::Exchange> exchanges;
  std::vector<shim::Exchange *> unused;
  Table interpreter;
  Fibres fibres;
  unsigned running = 0;
  bool backwards = false; // another order in every second group finds races
  std::string failure;
};

void Machine::place(Lane &lane, uint32_t index, shim::Triple group) {
  shim::Thread &thread = lane.thread;
  const auto &size = grid.threads;
  thread.inGroup = {index % size[0], index / size[0] % size[1], index / size[0] / size[1]};
  thread.group = group;
  thread.groups = {grid.groups[0], grid.groups[1], grid.groups[2]};
  thread.size = {size[0], size[1], size[2]};
  thread.index = index;
  thread.lanes = grid.lanes;
  thread.lane = index % grid.lanes;
  thread.simd = index / grid.lanes;
  thread.simds = (lanes.size() + grid.lanes - 1) / grid.lanes;
  thread.site = thread.depth = 0;
  thread.buffers = buffers.data();
  lane.state = State::Ready;
  lane.met = nullptr;
}

void Machine::stop(State state) {
  lanes[running].state = state;
  fibres.leave();
}

shim::Exchange *Machine::take() {
  if (unused.empty()) {
    exchanges.emplace_back();
    return &exchanges.back();
  }
  shim::Exchange *taken = unused.back();
  unused.pop_back();
  return taken;
}

shim::Exchange *Machine::exchange(shim::Interpreter &table, const void *value, size_t bytes) {
  Machine &self = of(table);
  Lane &lane = self.lanes[self.running];
  lane.given = value;
  lane.bytes = bytes;
  self.stop(State::Exchange);
  return self.lanes[self.running].met;
}

void Machine::done(shim::Interpreter &table, shim::Exchange *met) {
  if (--met->readers == 0)
    of(table).unused.push_back(met);
}

void Machine::barrier(shim::Interpreter &table, bool ofSimdGroup) {
  of(table).stop(ofSimdGroup ? State::SimdBarrier : State::Barrier);
}

void Machine::fail(shim::Interpreter &table, const char *what) {
  Machine &self = of(table);
  if (self.failure.empty())
    self.failure = what;
  self.stop(State::Barrier); // the schedule ends before it continues
}

/// Lets the lanes of one SIMD group continue that have come to the earliest place.
bool Machine::meet(size_t begin, size_t end) {
  Lane *first = nullptr;
  for (size_t i = begin; i < end; ++i)
    if (lanes[i].state == State::Exchange &&
        (!first || comparePlaces(lanes[i].thread, first->thread) < 0))
      first = &lanes[i];
  if (!first)
    return false;
  shim::Exchange *met = take();
  met->active = 0;
  met->readers = 0;
  const shim::Thread place = first->thread;
  for (size_t i = begin; i < end; ++i) {
    Lane &lane = lanes[i];
    if (lane.state != State::Exchange || comparePlaces(lane.thread, place) != 0)
      continue;
    met->active |= uint64_t(1) << (i - begin);
    ++met->readers;
    std::memcpy(met->values[i - begin], lane.given, lane.bytes);
    lane.met = met;
    lane.state = State::Ready;
  }
  ++counts.exchanges;
  return true;
}

bool Machine::passSimdBarrier(size_t begin, size_t end) {
  bool any = false;
  for (size_t i = begin; i < end; ++i) {
    if (lanes[i].state != State::SimdBarrier && lanes[i].state != State::Done)
      return false;
    any |= lanes[i].state == State::SimdBarrier;
  }
  for (size_t i = begin; i < end; ++i)
    if (lanes[i].state == State::SimdBarrier)
      lanes[i].state = State::Ready;
  return any;
}

Status Machine::schedule() {
  const size_t count = lanes.size();
  while (true) {
    for (size_t i = 0; i < count; ++i) {
      running = unsigned(backwards ? count - 1 - i : i);
      if (lanes[running].state != State::Ready)
        continue;
      interpreter.table.thread = &lanes[running].thread;
      fibres.enter(running);
      if (fibres.isDone(running))
        lanes[running].state = State::Done;
      if (!failure.empty())
        return Status(StatusCode::Internal, failure);
    }
    bool moved = false;
    for (size_t begin = 0; begin < count; begin += grid.lanes) {
      size_t end = std::min(count, begin + grid.lanes);
      moved |= meet(begin, end) || passSimdBarrier(begin, end);
    }
    if (moved)
      continue;
    size_t waiting = 0;
    const Lane *first = nullptr;
    bool same = true;
    for (const Lane &lane : lanes)
      if (lane.state == State::Barrier) {
        ++waiting;
        same &= !first || comparePlaces(first->thread, lane.thread) == 0;
        first = &lane;
      }
    if (waiting == 0) {
      for (const Lane &lane : lanes)
        if (lane.state != State::Done)
          return Status(StatusCode::Internal, "not all lanes reach a barrier of their SIMD group");
      return Status::ok();
    }
    if (waiting < count || !same)
      return Status(StatusCode::Internal, "a barrier is reached by " + std::to_string(waiting) +
                                              " of " + std::to_string(count) +
                                              " threads of a threadgroup" +
                                              (same ? "" : ", in several places"));
    ++counts.barriers;
    for (Lane &lane : lanes)
      lane.state = State::Ready;
  }
}

Status Machine::runGroup(shim::Triple group, bool needsFibres) {
  for (uint32_t i = 0; i < lanes.size(); ++i)
    place(lanes[i], i, group);
  counts.threads += lanes.size();
  if (!needsFibres) {
    for (Lane &lane : lanes) {
      interpreter.table.thread = &lane.thread;
      kernel.run(lane.thread);
    }
    return Status::ok();
  }
  auto begin = [](void *machine, unsigned fibre) {
    auto &self = *static_cast<Machine *>(machine);
    self.kernel.run(self.lanes[fibre].thread);
  };
  if (!fibres.start(unsigned(lanes.size()), begin, this))
    return Status(StatusCode::ResourceExhausted, "no memory for the stacks of a threadgroup");
  Status status = schedule();
  backwards = !backwards;
  return status;
}

} // namespace

Result<Counts> run(const shim::Kernel &kernel, bool needsFibres, std::span<void *const> buffers,
                   const Grid &grid) {
  Machine machine(kernel, buffers, grid);
  for (uint32_t z = 0; z < grid.groups[2]; ++z)
    for (uint32_t y = 0; y < grid.groups[1]; ++y)
      for (uint32_t x = 0; x < grid.groups[0]; ++x)
        PUMICE_RETURN_IF_ERROR(machine.runGroup({x, y, z}, needsFibres));
  return machine.counts;
}

} // namespace pumice::msl
