//===- PipelineCache.cpp - compiled pipelines, kept between runs ------------===//
#include "runtime/drivers/vulkan/PipelineCache.h"

#include "runtime/drivers/vulkan/Call.h"
#include "support/Version.h"

#include <bit>
#include <cstring>
#include <vector>

namespace pumice::vulkan {
namespace {

constexpr std::string_view kind = "vulkan";

/// Returns a file name that contains everything that decides whether the driver can use the data.
/// The driver checks most of that itself, but with separate names, devices and builds do not
/// replace each other's files.
std::string nameFor(const DeviceFacts &facts) {
  const VkPhysicalDeviceProperties &p = facts.properties;
  std::string name;
  auto add = [&](const auto &bytes) {
    for (uint8_t byte : bytes) {
      constexpr char digits[] = "0123456789abcdef";
      name += digits[byte >> 4];
      name += digits[byte & 15];
    }
    name += '-';
  };
  add(facts.deviceUuid);
  add(facts.driverUuid);
  add(p.pipelineCacheUUID);
  return name + std::to_string(p.vendorID) + "-" + std::to_string(p.deviceID) + "-" +
         std::to_string(p.driverVersion) + "-" PUMICE_VERSION_TEXT;
}

/// Checks the header that Vulkan prescribes for such data. Drivers have crashed on data that other
/// drivers wrote.
bool fits(const std::vector<uint8_t> &data, const VkPhysicalDeviceProperties &properties) {
  VkPipelineCacheHeaderVersionOne header{};
  if (data.size() < sizeof header)
    return false;
  std::memcpy(&header, data.data(), sizeof header);
  return header.headerVersion == VK_PIPELINE_CACHE_HEADER_VERSION_ONE &&
         header.headerSize <= data.size() && header.vendorID == properties.vendorID &&
         header.deviceID == properties.deviceID &&
         std::memcmp(header.pipelineCacheUUID, properties.pipelineCacheUUID, VK_UUID_SIZE) == 0;
}

} // namespace

PipelineCache::PipelineCache(const FunctionTable &vk, VkDevice device, const DeviceFacts &facts,
                             const DiskCache *kept)
    : vk(vk), device(device), properties(facts.properties), gate(facts.driver) {
  if (kept) {
    disk = *kept;
    fileName = nameFor(facts);
  }
  cache = load(&isOnDisk);
  savedBytes = dataBytes();
  seenBytes = savedBytes;
}

PipelineCache::~PipelineCache() {
  save();
  vk->vkDestroyPipelineCache(device, cache, nullptr);
}

VkPipelineCache PipelineCache::load(bool *found) {
  std::optional<std::vector<uint8_t>> data;
  if (disk)
    data = disk->read(kind, fileName);
  if (data && !fits(*data, properties))
    data.reset();
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache made = VK_NULL_HANDLE;
  for (bool withData : {true, false}) {
    if (withData && !data)
      continue;
    info.initialDataSize = withData ? data->size() : 0;
    info.pInitialData = withData ? data->data() : nullptr;
    if (PUMICE_VK(vk->, vkCreatePipelineCache, device, &info, nullptr, &made) == VK_SUCCESS) {
      if (found)
        *found = withData;
      return made;
    }
  }
  return VK_NULL_HANDLE; // pipelines can also be created without a cache
}

size_t PipelineCache::dataBytes() {
  size_t bytes = 0;
  if (!cache ||
      PUMICE_VK(vk->, vkGetPipelineCacheData, device, cache, &bytes, nullptr) != VK_SUCCESS)
    return 0;
  return bytes;
}

std::vector<uint8_t> PipelineCache::dataOf(VkPipelineCache from) {
  size_t bytes = 0;
  std::vector<uint8_t> data;
  VkResult result = VK_INCOMPLETE; // other threads added pipelines between the two calls
  while (result == VK_INCOMPLETE) {
    result = PUMICE_VK(vk->, vkGetPipelineCacheData, device, from, &bytes, nullptr);
    data.resize(bytes);
    if (result == VK_SUCCESS)
      result = PUMICE_VK(vk->, vkGetPipelineCacheData, device, from, &bytes, data.data());
  }
  data.resize(result == VK_SUCCESS ? bytes : 0);
  return data;
}

VkResult PipelineCache::create(const VkComputePipelineCreateInfo &info, VkPipeline &pipeline) {
  // Drivers lock the cache themselves. So kernels can be compiled in parallel, except on drivers
  // for which CodeGate has a lock.
  VkResult result;
  {
    auto alone = gate.making();
    result = PUMICE_VK(vk->, vkCreateComputePipelines, device, cache, 1, &info, nullptr, &pipeline);
  }
  if (result == VK_SUCCESS && disk && isTimeToSave())
    save();
  return result;
}

bool PipelineCache::isTimeToSave() {
  size_t bytes = dataBytes();
  if (bytes == seenBytes.exchange(bytes))
    return false; // the cache already had the pipeline
  constexpr uint32_t often = 16;
  uint32_t count = fresh.fetch_add(1) + 1;
  return count < often ? std::has_single_bit(count) : count % often == 0;
}

void PipelineCache::save() {
  std::lock_guard lock(mutex);
  size_t bytesNow = dataBytes();
  if (!disk || !cache || (isOnDisk && bytesNow == savedBytes))
    return;
  // Other processes may have written the file in the meantime, and their pipelines are kept, too.
  // The merge needs a separate cache, because its target must not be in use, and other threads may
  // be compiling into `cache`.
  VkPipelineCache all = load();
  if (all && PUMICE_VK(vk->, vkMergePipelineCaches, device, all, 1, &cache) != VK_SUCCESS) {
    vk->vkDestroyPipelineCache(device, all, nullptr);
    all = VK_NULL_HANDLE;
  }
  std::vector<uint8_t> data = dataOf(all ? all : cache);
  vk->vkDestroyPipelineCache(device, all, nullptr);
  if (data.empty() || !disk->write(kind, fileName, data).isOk())
    return;
  savedBytes = bytesNow;
  isOnDisk = true;
}

} // namespace pumice::vulkan
