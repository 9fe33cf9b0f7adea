//===- Graph.cpp - captures and replays a stream's work ---------------------===//
#include "python/torch_shim/device/Graph.h"

#include "python/torch_shim/device/Allocator.h"

#include <c10/util/Exception.h>

#include <utility>

namespace pumice::vk {

c10::MempoolId_t newGraphPool() {
  static std::atomic<uint64_t> last = 0;
  return {0, ++last};
}

Graph *capturingGraph(c10::DeviceIndex device) {
  return anyCaptures() ? currentState(device).capture.load() : nullptr;
}

Graph::~Graph() {
  try {
    reset();
  } catch (const std::exception &) {
    // The device was lost, and the memory with it.
  }
}

void Graph::begin(c10::MempoolId_t pool) {
  std::lock_guard lock(mutex);
  TORCH_CHECK(!graph && !stream, "the graph has captured already: call reset() first");
  TORCH_CHECK(pool.first == 0, "expected a pool of graph_pool_handle(), got (", pool.first, ", ",
              pool.second, ")");
  c10::Stream current = currentStream(-1);
  device = current.device_index();
  StreamState &state = stateOf(current);
  poolNumber = pool.second ? pool.second : newGraphPool().second;
  state.beginCapture(this, poolNumber);
  stream = current;
  joinPool(device, poolNumber);
}

void Graph::end() {
  std::lock_guard lock(mutex);
  TORCH_CHECK(stream, "the graph is not capturing: call capture_begin() first");
  StreamState &state = stateOf(*std::exchange(stream, std::nullopt));
  try {
    graph = state.endCapture();
  } catch (const std::exception &) {
    before.clear();
    leavePool();
    throw;
  }
}

void Graph::replay() {
  std::lock_guard lock(mutex);
  TORCH_CHECK(graph, "the graph has no work: capture some first");
  StreamState &state = currentState(device);
  state.expectNoCapture("replaying a graph");
  HoldWork hold; // what comes before is submitted together with the graph
  for (const auto &run : before)
    run();
  check(pumice_queue_replay(state.queue, graph), "replaying a graph");
}

void Graph::leavePool() {
  if (uint64_t number = std::exchange(poolNumber, 0))
    vk::leavePool(device, number);
}

void Graph::reset() {
  std::lock_guard lock(mutex);
  if (stream)
    stateOf(*std::exchange(stream, std::nullopt)).dropCapture();
  pumice_graph_release(std::exchange(graph, nullptr));
  before.clear();
  leavePool();
}

c10::MempoolId_t Graph::pool() const {
  std::lock_guard lock(mutex);
  TORCH_CHECK(poolNumber, "the graph has no pool: capture some work first");
  return {0, poolNumber};
}

size_t Graph::size() const {
  std::lock_guard lock(mutex);
  return pumice_graph_size(graph);
}

void Graph::beforeReplays(std::function<void()> run) {
  // The graph is capturing, so no replay reads the list.
  before.push_back(std::move(run));
}

} // namespace pumice::vk
