//===- QueueReplay.cpp - graphs, recorded once and submitted for each replay ===//
#include "runtime/drivers/vulkan/Queue.h"
#include "runtime/drivers/vulkan/Replay.h"
#include "runtime/hal/Graph.h"

namespace pumice::vulkan {

/// Records the graph's work on a queue that submits nothing.
Status VulkanQueue::prepareImpl(hal::Graph &graph) {
  if (graph.size() == 0)
    return Status::ok();
  PUMICE_RETURN_IF_ERROR(clearSlackOf(graph));
  PUMICE_TRY(Ref<VulkanQueue> recorder, create(device, stream->vulkanQueue(), {}));
  recorder->recording = true;
  PUMICE_RETURN_IF_ERROR(graph.issue(*recorder));
  std::unique_ptr<Batch> recorded;
  {
    Lock lock(*recorder);
    recorded = std::move(recorder->batch);
    recorder->bound = nullptr;
  }
  if (!recorded)
    return Status::ok(); // nothing runs
  PUMICE_RETURN_IF_ERROR(recorded->end());
  graph.prepared = makeRef<Replay>(Ref<VulkanDevice>(&device), std::move(recorded));
  return Status::ok();
}

/// Clears slack that no kernel has read yet, so that not each replay clears it.
Status VulkanQueue::clearSlackOf(const hal::Graph &graph) {
  Lock lock(*this);
  for (const hal::Buffer *used : graph.buffers()) {
    const auto *buffer = static_cast<const VulkanBuffer *>(used);
    if (!buffer->takeFreshSlack())
      continue;
    touches.clear();
    touch({const_cast<hal::Buffer *>(used), 0, 0}, false);
    openBatch();
    PUMICE_RETURN_IF_ERROR(beginCommand(TransferStage, false));
    clearSlack(*buffer);
    if (profiling)
      batch->records.pop_back(); // not the user's work
    countCommand();
  }
  return Status::ok();
}

Status VulkanQueue::replayImpl(hal::Graph &graph) {
  if (profiling) // each launch is measured
    return graph.issue(*this);
  auto *replay = static_cast<Replay *>(graph.prepared.get());
  if (!replay)
    return Status::ok();
  Lock lock(*this);
  Batch &open = openBatch();
  // The commands begin with a barrier of their own. Later work waits for all of them.
  (void)hazards.add({}, ComputeStage | TransferStage, true);
  for (const hal::Buffer *buffer : graph.buffers())
    stream->uses.note(static_cast<const VulkanBuffer *>(buffer)->number(), open.sequence);
  if (graph.touchesUnnamedMemory())
    open.noteUnnamedWork();
  open.notes.add(replay->batch().notes);
  open.keep(&graph);
  open.replayed = replay->batch().commands;
  Status status = closeBatch();
  stream->flush();
  keepWhileLocked();
  (void)stream->retire(); // the next wait reports a failure
  return status;
}

} // namespace pumice::vulkan
