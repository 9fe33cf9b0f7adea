//===- QueueDispatch.cpp - launches -----------------------------------------===//
// This file also has the code that runs before and after each command, so that the compiler inlines
// it into launches.
//===-------------------------------------------------------------------------===//
#include "runtime/drivers/vulkan/Queue.h"

#include <algorithm>

namespace pumice::vulkan {
namespace {

bool sameRanges(std::span<const hal::BufferRange> a, std::span<const hal::BufferRange> b) {
  return std::ranges::equal(a, b, [](const hal::BufferRange &x, const hal::BufferRange &y) {
    return x.buffer == y.buffer && x.offset == y.offset && x.bytes == y.bytes;
  });
}

bool exceeds(const std::array<uint32_t, 3> &groups, const std::array<uint32_t, 3> &most) {
  return groups[0] > most[0] || groups[1] > most[1] || groups[2] > most[2];
}

/// Returns the kernel that replaces one that reads the number of workgroups, when its grid is
/// split.
[[gnu::cold]] Result<Ref<VulkanKernel>> forParts(const VulkanKernel &kernel,
                                                 const std::array<uint32_t, 3> &groups,
                                                 const std::array<uint32_t, 3> &most) {
  Result<Ref<VulkanKernel>> made = kernel.forGrid(groups);
  if (made.isOk())
    return made;
  auto text = [](const std::array<uint32_t, 3> &v) {
    return std::to_string(v[0]) + " x " + std::to_string(v[1]) + " x " + std::to_string(v[2]);
  };
  return Status(made.status())
      .at("kernel '" + kernel.label() + "': " + text(groups) +
          " workgroups, of which the device takes " + text(most) + " at once");
}

} // namespace

[[gnu::always_inline]] inline Status VulkanQueue::beginInline(uint8_t stage, bool unnamed) {
  Batch &open = openBatch();
  if (!open.hasCommands()) [[unlikely]]
    PUMICE_RETURN_IF_ERROR(beginCommands());
  std::optional<BarrierNeed> need = hazards.add(touches, stage, unnamed);
  if (need)
    barrier(*need);
  else if (profiling && open.commandCount) // profiled commands do not overlap
    barrier({ComputeStage | TransferStage, NoStage});
  for (const Touch &touch : touches)
    if (touch.firstInBatch) {
      // `touches` also contains the bound kernel, without a range.
      if (touch.buffer == bound) {
        open.keep(bound);
        continue;
      }
      if (recording) [[unlikely]]
        continue; // the graph keeps the buffers, and replays note them
      const auto *used = static_cast<const hal::Buffer *>(touch.buffer);
      const auto *buffer = static_cast<const VulkanBuffer *>(used);
      stream->uses.note(buffer->number(), open.sequence);
      if (buffer->takeFreshSlack()) [[unlikely]]
        clearSlack(*buffer);
    }
  if (unnamed && !recording)
    open.noteUnnamedWork();
  return profiling ? open.beginProfile(std::move(measuring)) : Status::ok();
}

/// Clears slack that the host cannot access, before a kernel reads it.
[[gnu::cold]] void VulkanQueue::clearSlack(const VulkanBuffer &buffer) {
  const VolkDeviceTable &vk = device.vk();
  uint64_t slack = buffer.slackEachSide();
  uint64_t behind = slack + VulkanBuffer::wholeWords(buffer.bytes());
  vk.vkCmdFillBuffer(batch->commands, buffer.handle(), 0, slack, 0);
  vk.vkCmdFillBuffer(batch->commands, buffer.handle(), behind, slack, 0);
  barrier({TransferStage, TransferStage});
}

Status VulkanQueue::beginCommand(uint8_t stage, bool unnamed) {
  return beginInline(stage, unnamed);
}

void VulkanQueue::endCommand() {
  if (profiling) [[unlikely]]
    endMeasuring();
  countCommand();
}

void VulkanQueue::countCommand() {
  ++batch->commandCount;
  if (++sinceLook >= lookAfter || batch->commandCount >= Scheduler::maxBatchCommands ||
      ticks() - lookedAt > longTicks + sinceLook * slowTicks)
    submitAtTimes();
}

void VulkanQueue::nameTouches(std::span<const hal::BufferUse> uses, const VulkanKernel *kernel) {
  size_t count = uses.size() + (kernel ? 1 : 0);
  if (touches.size() != count) // launches mostly use as many buffers as the last one
    touches.resize(count);
  Touch *place = touches.data();
  for (const hal::BufferUse &use : uses) {
    bool none = use.access == executable::Access::None;
    bool writes = executable::writes(use.access);
    *place++ = {use.buffer, 0, none ? 0 : use.buffer->bytes(), writes};
  }
  if (kernel)
    *place = {kernel};
}

/// Rejects a grid that needs too many parts. Each part is a command, so recording them would take
/// hours.
static Status checkParts(const hal::Dispatch &dispatch, const std::array<uint32_t, 3> &most) {
  constexpr uint64_t mostParts = 1 << 16;
  uint64_t parts = 1; // at most 2^16 times 2^32
  for (size_t d = 0; d < 3 && parts <= mostParts; ++d)
    parts *= (uint64_t(dispatch.groups[d]) + most[d] - 1) / most[d];
  if (parts <= mostParts)
    return Status::ok();
  auto text = [](const std::array<uint32_t, 3> &sizes) {
    return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " +
           std::to_string(sizes[2]);
  };
  return Status(StatusCode::InvalidArgument,
                "a grid of " + text(dispatch.groups) +
                    " workgroups is too large: one dispatch of the device has at most " +
                    text(most) + ", and Pumice splits a grid into at most " +
                    std::to_string(mostParts) + " dispatches; launch it in several calls");
}

Status VulkanQueue::dispatchImpl(const hal::Dispatch &dispatch) {
  const auto *given = static_cast<const VulkanKernel *>(dispatch.kernel);
  const auto &most = device.info().limits.maxGroups;
  bool split = exceeds(dispatch.groups, most);
  if (split)
    PUMICE_RETURN_IF_ERROR(checkParts(dispatch, most));
  Ref<VulkanKernel> parts;
  if (split && given->countsWorkgroups()) [[unlikely]] {
    PUMICE_TRY(parts, forParts(*given, dispatch.groups, most));
    given = parts.get(); // the batch keeps it
  }
  const VulkanKernel &kernel = *given;
  Lock lock(*this);
  startRecord(hal::ProfileRecord::Kind::Dispatch, kernel.label(), 0);
  openBatch();
  bool rebind = bound != &kernel;
  nameTouches(dispatch.uses, rebind ? &kernel : nullptr);
  if (rebind) {
    bound = &kernel;
    boundRanges.clear();
  }
  Status begun = beginInline(ComputeStage, dispatch.touchesUnnamedMemory);
  if (!begun.isOk()) {
    bound = nullptr;
    return begun;
  }
  batch->notes.add(&kernel, dispatch.uses);
  for (const Touch &touch : touches)
    hal::Buffer::prefetch(hazards.guessAfter(touch));
  const VolkDeviceTable &vk = device.vk();
  VkCommandBuffer commands = batch->commands;
  if (rebind)
    vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.pipeline());
  if (!dispatch.bindings.empty() && !sameRanges(boundRanges, dispatch.bindings))
    if (Status status = bindDescriptors(kernel, dispatch); !status.isOk()) {
      endCommand(); // nothing runs, but the command has begun
      return status;
    }
  if (!dispatch.pushConstants.empty())
    vk.vkCmdPushConstants(commands, kernel.layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0,
                          static_cast<uint32_t>(dispatch.pushConstants.size()),
                          dispatch.pushConstants.data());
  if (split) [[unlikely]]
    dispatchGrid(dispatch.groups);
  else
    vk.vkCmdDispatch(commands, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
  endCommand();
  return Status::ok();
}

void VulkanQueue::dispatchGrid(const std::array<uint32_t, 3> &groups) {
  const auto &most = device.info().limits.maxGroups;
  for (uint64_t z = 0; z < groups[2]; z += most[2])
    for (uint64_t y = 0; y < groups[1]; y += most[1])
      for (uint64_t x = 0; x < groups[0]; x += most[0])
        device.vk().vkCmdDispatchBase(
            batch->commands, static_cast<uint32_t>(x), static_cast<uint32_t>(y),
            static_cast<uint32_t>(z),
            static_cast<uint32_t>(std::min<uint64_t>(most[0], groups[0] - x)),
            static_cast<uint32_t>(std::min<uint64_t>(most[1], groups[1] - y)),
            static_cast<uint32_t>(std::min<uint64_t>(most[2], groups[2] - z)));
}

Status VulkanQueue::allocateSets(const VulkanKernel &kernel) {
  sets.assign(kernel.setLayouts().size(), VK_NULL_HANDLE);
  for (size_t set = 0; set < sets.size(); ++set) {
    auto count = std::ranges::count(kernel.bindings(), set, &hal::BindingSlot::set);
    PUMICE_TRY(sets[set],
               batch->descriptors.allocate(kernel.setLayouts()[set], static_cast<uint32_t>(count)));
  }
  return Status::ok();
}

Status VulkanQueue::bindDescriptors(const VulkanKernel &kernel, const hal::Dispatch &dispatch) {
  const VolkDeviceTable &vk = device.vk();
  std::span<const hal::BindingSlot> slots = kernel.bindings();
  boundRanges.clear();
  if (!kernel.pushesDescriptors())
    PUMICE_RETURN_IF_ERROR(allocateSets(kernel));
  bufferInfos.clear();
  writes.clear();
  bufferInfos.reserve(slots.size()); // writes point into the vector
  for (size_t i = 0; i < slots.size(); ++i) {
    const hal::BufferRange &range = dispatch.bindings[i];
    uint64_t room = VulkanBuffer::wholeWords(range.buffer->bytes()) - range.offset;
    const auto &buffer = static_cast<const VulkanBuffer &>(*range.buffer);
    if (slots[i].uniform && !(buffer.whole().usage & VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT))
      return Status(StatusCode::InvalidArgument,
                    "kernel '" + kernel.label() + "' reads argument " + std::to_string(i) +
                        " as a uniform buffer; the application made its VkBuffer without "
                        "VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT");
    bufferInfos.push_back({buffer.handle(), buffer.base() + range.offset,
                           std::min(VulkanBuffer::wholeWords(range.length()), room)});
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = kernel.pushesDescriptors() ? VK_NULL_HANDLE : sets[slots[i].set];
    write.dstBinding = slots[i].binding;
    write.dstArrayElement = slots[i].element;
    write.descriptorCount = 1;
    write.descriptorType =
        slots[i].uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &bufferInfos.back();
    writes.push_back(write);
  }
  auto count = static_cast<uint32_t>(writes.size());
  if (kernel.pushesDescriptors()) {
    vk.vkCmdPushDescriptorSetKHR(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout(),
                                 slots[0].set, count, writes.data());
  } else {
    vk.vkUpdateDescriptorSets(device.handle(), count, writes.data(), 0, nullptr);
    vk.vkCmdBindDescriptorSets(batch->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel.layout(), 0,
                               static_cast<uint32_t>(sets.size()), sets.data(), 0, nullptr);
  }
  boundRanges.assign(dispatch.bindings.begin(), dispatch.bindings.end());
  return Status::ok();
}

} // namespace pumice::vulkan
