//===- Batch.cpp - work that is submitted at once ---------------------------===//
#include "runtime/drivers/vulkan/Batch.h"

#include "runtime/drivers/vulkan/Call.h"
#include "runtime/drivers/vulkan/Timeline.h"

namespace pumice::vulkan {

/// The largest number of commands in a batch that are measured. For more, the queue starts another
/// batch.
static constexpr uint32_t maxMeasured = Scheduler::maxBatchCommands;

Batch::~Batch() {
  releaseAll();
  device.vk().vkDestroyQueryPool(device.handle(), queries, nullptr);
  device.vk().vkDestroyQueryPool(device.handle(), timeQueries, nullptr);
  device.vk().vkDestroyCommandPool(device.handle(), pool, nullptr);
}

Status Batch::makeCommands() {
  const VolkDeviceTable &vk = device.vk();
  if (!pool) {
    VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    info.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
    info.queueFamilyIndex = device.plan.queueFamily;
    PUMICE_RETURN_IF_ERROR(
        device.check(PUMICE_VK(vk., vkCreateCommandPool, device.handle(), &info, nullptr, &pool),
                     "vkCreateCommandPool"));
  }
  if (commands)
    return Status::ok();
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer made = VK_NULL_HANDLE;
  PUMICE_RETURN_IF_ERROR(
      device.check(PUMICE_VK(vk., vkAllocateCommandBuffers, device.handle(), &allocate, &made),
                   "vkAllocateCommandBuffers"));
  commands = made;
  return Status::ok();
}

Status Batch::begin(bool isReplayed) {
  if (begun)
    return Status::ok();
  PUMICE_RETURN_IF_ERROR(makeCommands());
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = isReplayed ? VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
                          : VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  PUMICE_RETURN_IF_ERROR(device.check(
      PUMICE_VK(device.vk()., vkBeginCommandBuffer, commands, &info), "vkBeginCommandBuffer"));
  begun = true;
  return Status::ok();
}

Status Batch::end() {
  if (!begun)
    return Status::ok();
  // After the batch, the host may read whatever was written.
  VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  device.vk().vkCmdPipelineBarrier(
      commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
      VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, nullptr, 0, nullptr);
  return device.check(PUMICE_VK(device.vk()., vkEndCommandBuffer, commands), "vkEndCommandBuffer");
}

void Batch::noteUnnamedWork() {
  if (!unnamed)
    device.unnamedWork.fetch_add(1, std::memory_order_relaxed);
  unnamed = true;
}

void Batch::endUnnamedWork() {
  if (unnamed)
    device.unnamedWork.fetch_sub(1, std::memory_order_release);
  unnamed = false;
}

void Batch::releaseAll() {
  endUnnamedWork();
  for (const RefCounted *object : kept)
    object->release();
  kept.clear();
}

Status Batch::reset() {
  releaseAll();
  landings.clear();
  waits.clear();
  signals.clear();
  callbacks.clear();
  records.clear();
  times.clear();
  notes.clear();
  sequence = commandCount = 0;
  failure = Status::ok();
  replayed = VK_NULL_HANDLE;
  begun = false;
  PUMICE_RETURN_IF_ERROR(descriptors.reset());
  if (!pool)
    return Status::ok();
  return device.check(PUMICE_VK(device.vk()., vkResetCommandPool, device.handle(), pool, 0),
                      "vkResetCommandPool");
}

Status Batch::makeQueries(uint32_t count, VkQueryPool &made) {
  if (made)
    return Status::ok();
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = count;
  return device.check(
      PUMICE_VK(device.vk()., vkCreateQueryPool, device.handle(), &info, nullptr, &made),
      "vkCreateQueryPool");
}

Status Batch::writeTime(hal::TimeSink then) {
  PUMICE_RETURN_IF_ERROR(makeQueries(mostTimes, timeQueries));
  auto index = static_cast<uint32_t>(times.size());
  times.push_back(0);
  device.vk().vkCmdResetQueryPool(commands, timeQueries, index, 1);
  device.vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, timeQueries,
                                  index);
  callbacks.push_back([this, index, then = std::move(then)](const Status &status) {
    then(status, status.isOk() ? times[index] : 0);
  });
  return Status::ok();
}

Status Batch::readTimes() {
  if (times.empty())
    return Status::ok();
  auto count = static_cast<uint32_t>(times.size());
  PUMICE_RETURN_IF_ERROR(
      device.check(PUMICE_VK(device.vk()., vkGetQueryPoolResults, device.handle(), timeQueries, 0,
                             count, count * sizeof(uint64_t), times.data(), sizeof(uint64_t),
                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                   "vkGetQueryPoolResults"));
  for (uint64_t &time : times)
    time = device.clock.nanoseconds(time);
  return Status::ok();
}

Status Batch::beginProfile(hal::ProfileRecord record) {
  records.push_back(std::move(record));
  if (!device.timestampBits)
    return Status::ok();
  if (Status status = makeQueries(2 * maxMeasured, queries); !status.isOk()) {
    records.pop_back();
    return status;
  }
  uint32_t index = static_cast<uint32_t>(records.size() - 1) * 2;
  device.vk().vkCmdResetQueryPool(commands, queries, index, 2);
  device.vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, index);
  return Status::ok();
}

void Batch::endProfile() {
  if (device.timestampBits)
    device.vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries,
                                    static_cast<uint32_t>(records.size()) * 2 - 1);
}

Status Batch::readProfile(std::vector<hal::ProfileRecord> &to) {
  Status status;
  if (queries && !records.empty()) {
    std::vector<uint64_t> ticks(records.size() * 2);
    status =
        device.check(PUMICE_VK(device.vk()., vkGetQueryPoolResults, device.handle(), queries, 0,
                               static_cast<uint32_t>(ticks.size()), ticks.size() * 8, ticks.data(),
                               8, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                     "vkGetQueryPoolResults");
    for (size_t i = 0; status.isOk() && i < records.size(); ++i) {
      records[i].deviceBegin = device.clock.nanoseconds(ticks[2 * i]);
      records[i].deviceEnd = device.clock.nanoseconds(ticks[2 * i + 1]);
    }
  }
  for (hal::ProfileRecord &record : records)
    to.push_back(std::move(record));
  records.clear();
  return status;
}

} // namespace pumice::vulkan
