//===- Graph.h - work of a stream that runs again ---------------------------===//
#pragma once

#include "python/torch_shim/device/Device.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>

#include <functional>
#include <optional>

namespace pumice::vk {

/// Captures what a stream is given, and runs it again. Thread-safe.
class Graph {
public:
  Graph() = default;
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;
  ~Graph();

  /// Begins a capture on the calling thread's stream. Tensors that are made meanwhile get memory of
  /// the pool; {0, 0} means a pool of its own.
  void begin(c10::MempoolId_t pool);
  /// Ends the capture. If it failed, throws its error.
  void end();
  /// Runs the work on the calling thread's stream.
  void replay();
  /// Forgets the work, and leaves the pool.
  void reset();
  c10::MempoolId_t pool() const;
  /// Returns how many launches, copies and fills a replay runs.
  size_t size() const;

  /// Has `run` called before each replay, on the stream of the replay.
  void beforeReplays(std::function<void()> run);

private:
  void leavePool();

  mutable std::mutex mutex;
  std::optional<c10::Stream> stream; // which it captures
  c10::DeviceIndex device = -1;
  pumice_graph *graph = nullptr;
  uint64_t poolNumber = 0; // 0: none
  std::vector<std::function<void()>> before;
};

/// Returns the id of a new pool.
c10::MempoolId_t newGraphPool();

/// While it lives, tensors of a capture get memory outside the graph's pool.
class OutsidePool {
public:
  explicit OutsidePool(c10::DeviceIndex device)
      : state(currentState(device)), before(state.pool.exchange(0)) {}
  ~OutsidePool() { state.pool = before; }
  OutsidePool(const OutsidePool &) = delete;
  OutsidePool &operator=(const OutsidePool &) = delete;

private:
  StreamState &state;
  uint64_t before;
};

/// Returns the graph that captures the calling thread's stream of a device, or null.
Graph *capturingGraph(c10::DeviceIndex device);

} // namespace pumice::vk
