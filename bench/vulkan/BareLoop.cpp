//===- BareLoop.cpp - the baseline of the runtime's benchmark ---------------===//
#include "bench/vulkan/BareLoop.h"

#include "runtime/drivers/vulkan/Status.h"

#include <cstring>

using namespace pumice;
using namespace pumice::bench;

Result<std::unique_ptr<BareLoop>> BareLoop::open(std::string_view deviceName) {
  PUMICE_TRY(std::unique_ptr<vulkan::BareDevice> device, vulkan::BareDevice::open(deviceName));
  if (!device->bufferDeviceAddress)
    return Status(StatusCode::Unsupported, "the bare loop needs bufferDeviceAddress");
  std::unique_ptr<BareLoop> loop(new BareLoop(std::move(device)));
  PUMICE_RETURN_IF_ERROR(loop->createObjects());
  return loop;
}

Status BareLoop::createObjects() {
  VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
  poolInfo.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  poolInfo.queueFamilyIndex = owner->queueFamily;
  PUMICE_RETURN_IF_ERROR(vulkan::toStatus(
      vkCreateCommandPool(owner->device, &poolInfo, nullptr, &pool), "vkCreateCommandPool"));
  VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  info.commandPool = pool;
  info.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  info.commandBufferCount = 1;
  PUMICE_RETURN_IF_ERROR(vulkan::toStatus(vkAllocateCommandBuffers(owner->device, &info, &commands),
                                          "vkAllocateCommandBuffers"));
  VkFenceCreateInfo fenceInfo{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  return vulkan::toStatus(vkCreateFence(owner->device, &fenceInfo, nullptr, &fence),
                          "vkCreateFence");
}

BareLoop::~BareLoop() {
  vkDestroyFence(owner->device, fence, nullptr);
  vkDestroyCommandPool(owner->device, pool, nullptr);
}

Result<BareBuffer> BareLoop::allocate(uint64_t bytes, bool forHost) {
  BareBuffer made;
  made.bytes = bytes;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
  PUMICE_RETURN_IF_ERROR(vulkan::toStatus(
      vkCreateBuffer(owner->device, &info, nullptr, &made.buffer), "vkCreateBuffer"));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(owner->device, made.buffer, &needs);
  constexpr VkMemoryPropertyFlags mappable =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkMemoryPropertyFlags wanted = forHost ? mappable : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  uint32_t type = UINT32_MAX;
  for (uint32_t i = 0; i < owner->memory.memoryTypeCount && type == UINT32_MAX; ++i)
    if ((needs.memoryTypeBits >> i & 1) &&
        (owner->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
      type = i;
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = type;
  Status status =
      type == UINT32_MAX
          ? Status(StatusCode::Unsupported, "no memory of the kind wanted")
          : vulkan::toStatus(vkAllocateMemory(owner->device, &allocate, nullptr, &made.memory),
                             "vkAllocateMemory");
  if (!status.isOk()) {
    vkDestroyBuffer(owner->device, made.buffer, nullptr);
    return status;
  }
  vkBindBufferMemory(owner->device, made.buffer, made.memory, 0);
  if ((owner->memory.memoryTypes[type].propertyFlags & mappable) == mappable)
    vkMapMemory(owner->device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.mapped);
  VkBufferDeviceAddressInfo address{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
  address.buffer = made.buffer;
  made.address = vkGetBufferDeviceAddress(owner->device, &address);
  return made;
}

void BareLoop::free(BareBuffer &buffer) {
  vkDestroyBuffer(owner->device, buffer.buffer, nullptr);
  vkFreeMemory(owner->device, buffer.memory, nullptr);
  buffer = {};
}

static const executable::Interface *find(const executable::Executable &contents,
                                         std::string_view name,
                                         const executable::Variant **code = nullptr) {
  for (const executable::Variant &variant : contents.variants)
    for (const executable::Interface &interface : variant.interfaces)
      if (interface.entryPoint == name) {
        if (code)
          *code = &variant;
        return &interface;
      }
  return nullptr;
}

Result<std::unique_ptr<vulkan::BarePipeline>>
BareLoop::pipeline(const executable::Executable &contents, std::string_view name) {
  const executable::Variant *variant = nullptr;
  const executable::Interface *interface = find(contents, name, &variant);
  if (!interface)
    return Status(StatusCode::NotFound, "there is no kernel '" + std::string(name) + "'");
  vulkan::PipelineRequest request;
  request.spirv.resize(variant->code.size() / sizeof(uint32_t));
  std::memcpy(request.spirv.data(), variant->code.data(), variant->code.size());
  request.symbol = interface->symbol;
  request.pushConstantBytes = interface->parameterBytes;
  return vulkan::BarePipeline::create(*owner, request);
}

std::vector<uint8_t> BareLoop::pack(const executable::Executable &contents, std::string_view name,
                                    std::span<const BareArgument> arguments) {
  const executable::Interface *interface = find(contents, name);
  std::vector<uint8_t> block((interface->parameterBytes + 3) & ~3u);
  for (const executable::ParameterField &field : interface->fields) {
    const BareArgument &argument = arguments[field.argument];
    uint64_t value = field.source == executable::FieldSource::BufferAddress  ? argument.address
                     : field.source == executable::FieldSource::BufferExtent ? argument.extent
                                                                             : argument.bits;
    std::memcpy(block.data() + field.offset, &value, std::min<size_t>(field.size, sizeof value));
  }
  return block;
}

void BareLoop::begin() {
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  vkBeginCommandBuffer(commands, &info);
}

void BareLoop::bind(const vulkan::BarePipeline &pipeline) {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.pipeline);
}

void BareLoop::dispatch(const vulkan::BarePipeline &pipeline,
                        const std::vector<uint8_t> &pushConstants, uint32_t x, uint32_t y) {
  vkCmdPushConstants(commands, pipeline.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                     static_cast<uint32_t>(pushConstants.size()), pushConstants.data());
  vkCmdDispatch(commands, x, y, 1);
}

void BareLoop::barrier() {
  constexpr VkPipelineStageFlags stages =
      VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
  memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
                         VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  vkCmdPipelineBarrier(commands, stages, stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

void BareLoop::copy(const BareBuffer &from, const BareBuffer &to) {
  VkBufferCopy region{0, 0, from.bytes};
  vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
}

void BareLoop::fill(const BareBuffer &to, uint32_t pattern) {
  vkCmdFillBuffer(commands, to.buffer, 0, to.bytes, pattern);
}

Status BareLoop::submitAndWait() {
  vkEndCommandBuffer(commands);
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  PUMICE_RETURN_IF_ERROR(
      vulkan::toStatus(vkQueueSubmit(owner->queue, 1, &info, fence), "vkQueueSubmit"));
  PUMICE_RETURN_IF_ERROR(vulkan::toStatus(
      vkWaitForFences(owner->device, 1, &fence, VK_TRUE, UINT64_MAX), "vkWaitForFences"));
  return vulkan::toStatus(vkResetFences(owner->device, 1, &fence), "vkResetFences");
}
