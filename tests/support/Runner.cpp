//===- Runner.cpp - executes the cases of a run file on one device ----------===//
#include "tests/support/Runner.h"

#include "runtime/drivers/vulkan/VulkanStatus.h"
#include "tests/support/Files.h"

#include "llvm/ADT/ScopeExit.h"

#include <cstring>

using namespace pumice::vulkan;

namespace pumice::tests {

Runner::~Runner() { vkDestroyCommandPool(device.device, pool, nullptr); }

Status Runner::allocate(uint64_t size, DeviceBuffer &made) {
  made.size = size;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = (size + 3) & ~uint64_t(3); // whole words, as executables ask for
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  if (device.bufferDeviceAddress)
    create.usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkCreateBuffer(device.device, &create, nullptr, &made.buffer), "vkCreateBuffer"));

  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.device, made.buffer, &needs);
  constexpr VkMemoryPropertyFlags wanted =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  uint32_t type = 0;
  while (type < device.memory.memoryTypeCount &&
         !(needs.memoryTypeBits >> type & 1 &&
           (device.memory.memoryTypes[type].propertyFlags & wanted) == wanted))
    ++type;
  if (type == device.memory.memoryTypeCount)
    return Status(StatusCode::Unsupported, "no host-visible memory can hold a storage buffer");

  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.pNext = device.bufferDeviceAddress ? &flags : nullptr;
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = type;
  PUMICE_RETURN_IF_ERROR(toStatus(vkAllocateMemory(device.device, &allocate, nullptr, &made.memory),
                                  "vkAllocateMemory"));
  PUMICE_RETURN_IF_ERROR(toStatus(vkBindBufferMemory(device.device, made.buffer, made.memory, 0),
                                  "vkBindBufferMemory"));
  void *mapped = nullptr;
  PUMICE_RETURN_IF_ERROR(toStatus(
      vkMapMemory(device.device, made.memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory"));
  made.mapped = static_cast<uint8_t *>(mapped);
  if (device.bufferDeviceAddress) {
    VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    info.buffer = made.buffer;
    made.address = vkGetBufferDeviceAddress(device.device, &info);
  }
  return Status::ok();
}

Status Runner::createBuffers(const Case &test, Buffers &buffers) {
  for (const BufferData &data : test.buffers) {
    DeviceBuffer &made = buffers[data.name];
    PUMICE_RETURN_IF_ERROR(allocate(data.initial.size(), made).at("buffer " + data.name));
    made.data = &data;
    std::memcpy(made.mapped, data.initial.data(), data.initial.size());
  }
  for (const BufferData &data : test.buffers)
    for (const AddressPatch &patch : data.addresses) {
      Result<uint64_t> address = addressOf(buffers, patch.buffer);
      if (!address.isOk())
        return address.status();
      uint64_t value = *address + patch.offset;
      std::memcpy(buffers[data.name].mapped + patch.at, &value, sizeof value);
    }
  return Status::ok();
}

Result<const DeviceBuffer *> Runner::find(const Buffers &buffers, std::string_view name) const {
  auto found = buffers.find(name);
  if (found == buffers.end())
    return Status(StatusCode::InvalidArgument, "there is no buffer '" + std::string(name) + "'");
  return &found->second;
}

Result<uint64_t> Runner::addressOf(const Buffers &buffers, std::string_view name) const {
  Result<const DeviceBuffer *> found = find(buffers, name);
  if (!found.isOk())
    return found.status();
  if (!device.bufferDeviceAddress)
    return Status(StatusCode::Unsupported, "the device lacks bufferDeviceAddress");
  return (*found)->address;
}

Result<PreparedDispatch> Runner::prepareModule(const Dispatch &dispatch, const Buffers &buffers) {
  PreparedDispatch prepared;
  Result<std::vector<uint32_t>> words = readWords(dispatch.module);
  if (!words.isOk())
    return words.status();
  prepared.request.spirv = std::move(*words);
  prepared.request.symbol = dispatch.entry.empty() ? "main" : dispatch.entry;
  for (const auto &[name, buffer] : buffers)
    if (buffer.data && buffer.data->slot) {
      auto [set, binding] = *buffer.data->slot;
      prepared.request.buffers.push_back({set, binding, buffer.data->uniform});
      prepared.bound.push_back(&buffer);
    }
  for (const PushConstant &constant : dispatch.pushConstants) {
    std::vector<uint8_t> bytes = constant.bytes;
    if (!constant.buffer.empty()) {
      Result<uint64_t> address = addressOf(buffers, constant.buffer);
      if (!address.isOk())
        return address.status();
      uint64_t value = *address + constant.offset;
      bytes.resize(sizeof value);
      std::memcpy(bytes.data(), &value, sizeof value);
    }
    if (prepared.pushConstants.size() < constant.at + bytes.size())
      prepared.pushConstants.resize((constant.at + bytes.size() + 3) & ~size_t(3));
    std::memcpy(prepared.pushConstants.data() + constant.at, bytes.data(), bytes.size());
  }
  return prepared;
}

Status Runner::record(const PreparedDispatch &dispatch) {
  Result<std::unique_ptr<BarePipeline>> created = BarePipeline::create(device, dispatch.request);
  if (!created.isOk())
    return created.status();
  BarePipeline &pipeline = **created;

  // One pool a dispatch: small, and gone with it.
  VkDescriptorPool descriptors = VK_NULL_HANDLE;
  auto freeDescriptors =
      llvm::scope_exit([&] { vkDestroyDescriptorPool(device.device, descriptors, nullptr); });
  std::vector<VkDescriptorSet> sets(pipeline.setLayouts.size());
  if (!sets.empty()) {
    auto buffers = static_cast<uint32_t>(dispatch.bound.size());
    VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers},
                                    {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, buffers}};
    VkDescriptorPoolCreateInfo create{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    create.maxSets = static_cast<uint32_t>(sets.size());
    create.poolSizeCount = 2;
    create.pPoolSizes = sizes;
    PUMICE_RETURN_IF_ERROR(
        toStatus(vkCreateDescriptorPool(device.device, &create, nullptr, &descriptors),
                 "vkCreateDescriptorPool"));
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = descriptors;
    allocate.descriptorSetCount = create.maxSets;
    allocate.pSetLayouts = pipeline.setLayouts.data();
    PUMICE_RETURN_IF_ERROR(toStatus(vkAllocateDescriptorSets(device.device, &allocate, sets.data()),
                                    "vkAllocateDescriptorSets"));
  }
  for (size_t i = 0; i < dispatch.bound.size(); ++i) {
    const BufferSlot &slot = dispatch.request.buffers[i];
    VkDescriptorBufferInfo info{dispatch.bound[i]->buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = sets[slot.set];
    write.dstBinding = slot.binding;
    write.descriptorCount = 1;
    write.descriptorType =
        slot.uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    write.pBufferInfo = &info;
    vkUpdateDescriptorSets(device.device, 1, &write, 0, nullptr);
  }

  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  PUMICE_RETURN_IF_ERROR(toStatus(vkAllocateCommandBuffers(device.device, &allocate, &commands),
                                  "vkAllocateCommandBuffers"));
  auto freeCommands =
      llvm::scope_exit([&] { vkFreeCommandBuffers(device.device, pool, 1, &commands); });

  VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  PUMICE_RETURN_IF_ERROR(toStatus(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer"));
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
  if (!sets.empty())
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout, 0,
                            static_cast<uint32_t>(sets.size()), sets.data(), 0, nullptr);
  if (!dispatch.pushConstants.empty())
    vkCmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       static_cast<uint32_t>(dispatch.pushConstants.size()),
                       dispatch.pushConstants.data());
  vkCmdDispatch(commands, dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
  VkMemoryBarrier toHost{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  toHost.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
  toHost.dstAccessMask = VK_ACCESS_HOST_READ_BIT;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                       0, 1, &toHost, 0, nullptr, 0, nullptr);
  PUMICE_RETURN_IF_ERROR(toStatus(vkEndCommandBuffer(commands), "vkEndCommandBuffer"));
  return submit(commands);
}

Status Runner::submit(VkCommandBuffer commands) {
  VkFenceCreateInfo create{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  PUMICE_RETURN_IF_ERROR(
      toStatus(vkCreateFence(device.device, &create, nullptr, &fence), "vkCreateFence"));
  VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  Status done = toStatus(vkQueueSubmit(device.queue, 1, &submit, fence), "vkQueueSubmit");
  constexpr uint64_t minute = 60'000'000'000;
  if (done.isOk())
    done = toStatus(vkWaitForFences(device.device, 1, &fence, VK_TRUE, minute), "vkWaitForFences");
  vkDestroyFence(device.device, fence, nullptr);
  return done;
}

Status Runner::check(const Case &test, const Buffers &buffers, std::string &printed) {
  Status first;
  for (const BufferData &data : test.buffers) {
    const DeviceBuffer &buffer = buffers.at(data.name);
    std::span<const uint8_t> bytes(buffer.mapped, data.initial.size());
    if (data.print)
      printed += data.name + ": " + printElements(data.type, bytes) + "\n";
    if (data.expected && first.isOk())
      first = compareElements(data.type, bytes, *data.expected, data.tolerance)
                  .at("buffer " + data.name);
  }
  return first;
}

void Runner::destroy(Buffers &buffers) {
  for (auto &[name, buffer] : buffers) {
    vkDestroyBuffer(device.device, buffer.buffer, nullptr);
    vkFreeMemory(device.device, buffer.memory, nullptr);
  }
}

Status Runner::run(const Case &test, std::string &printed) {
  if (!pool) {
    VkCommandPoolCreateInfo create{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    create.queueFamilyIndex = device.queueFamily;
    PUMICE_RETURN_IF_ERROR(toStatus(vkCreateCommandPool(device.device, &create, nullptr, &pool),
                                    "vkCreateCommandPool"));
  }
  Buffers buffers;
  auto freeBuffers = llvm::scope_exit([&] { destroy(buffers); });
  PUMICE_RETURN_IF_ERROR(createBuffers(test, buffers));
  for (const Dispatch &dispatch : test.dispatches) {
    Result<PreparedDispatch> prepared = dispatch.executable.empty()
                                            ? prepareModule(dispatch, buffers)
                                            : prepareExecutable(test, dispatch, buffers);
    if (!prepared.isOk())
      return prepared.status();
    PipelineRequest &request = prepared->request;
    prepared->groups = dispatch.groups;
    request.pushConstantBytes = static_cast<uint32_t>(prepared->pushConstants.size());
    if (dispatch.subgroupSize)
      request.requiredSubgroupSize = dispatch.subgroupSize;
    request.fullSubgroups |= dispatch.fullSubgroups;
    for (const SpecializationData &constant : dispatch.constants) {
      SpecializationConstant one{constant.id, static_cast<uint32_t>(constant.bytes.size()), 0};
      std::memcpy(&one.bits, constant.bytes.data(), constant.bytes.size());
      request.constants.push_back(one);
    }
    PUMICE_RETURN_IF_ERROR(record(*prepared));
  }
  return check(test, buffers, printed);
}

} // namespace pumice::tests
