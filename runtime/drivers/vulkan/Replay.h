//===- Replay.h - a command buffer that is submitted for each replay --------===//
#pragma once

#include "runtime/drivers/vulkan/Batch.h"

namespace pumice::vulkan {

/// A graph's work as commands. It never changes, so a batch may submit it while earlier batches
/// that submitted it still run. The graph keeps the buffers and the kernels.
class Replay final : public RefCounted {
public:
  Replay(Ref<VulkanDevice> owner, std::unique_ptr<Batch> recorded)
      : owner(std::move(owner)), recorded(std::move(recorded)) {}

  const Batch &batch() const { return *recorded; }

private:
  Ref<VulkanDevice> owner; // outlives the batch
  std::unique_ptr<Batch> recorded;
};

} // namespace pumice::vulkan
