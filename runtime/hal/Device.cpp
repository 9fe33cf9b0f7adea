//===- Device.cpp - checks that hold for every driver's devices -------------===//
#include "runtime/hal/Device.h"

#include "runtime/hal/Choose.h"
#include "runtime/hal/FragmentProbe.h"
#include "runtime/hal/Invalid.h"
#include "runtime/hal/KernelLimits.h"
#include "runtime/hal/Log.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <ctime>

namespace pumice::hal {

namespace {

Status checkConstants(const std::vector<SpecializationConstant> &constants) {
  for (size_t i = 0; i < constants.size(); ++i) {
    uint32_t bytes = constants[i].bytes;
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
      return invalid("specialization constant " + std::to_string(constants[i].id) + " has " +
                     counted(bytes, "byte") + "; expected 1, 2, 4 or 8");
    // A negative number may have been sign-extended to all 64 bits.
    uint64_t bits = constants[i].bits, above = bytes < 8 ? bits >> 8 * bytes : 0;
    bool isSign = bytes < 8 && int64_t(bits) >> (8 * bytes - 1) == -1;
    if (above && !isSign)
      return invalid("specialization constant " + std::to_string(constants[i].id) + " is " +
                     std::to_string(bits) + ", which does not fit its " + counted(bytes, "byte"));
    for (size_t j = 0; j < i; ++j)
      if (constants[j].id == constants[i].id)
        return invalid("specialization constant " + std::to_string(constants[i].id) +
                       " is given twice");
  }
  return Status::ok();
}

Status checkSubgroups(const KernelSource &source, const DeviceLimits &limits) {
  uint32_t size = source.requiredSubgroupSize;
  if (size == 0)
    return Status::ok();
  if ((size & (size - 1)) != 0)
    return invalid("a subgroup size of " + std::to_string(size) + " is not a power of two");
  bool fixed = limits.minSubgroupSize == size && limits.maxSubgroupSize == size;
  if (size < limits.minSubgroupSize || size > limits.maxSubgroupSize ||
      (!limits.subgroupSizeControl && !fixed))
    return Status(StatusCode::Unsupported,
                  "subgroups of " + std::to_string(size) +
                      " lanes were requested, but the device has " +
                      std::to_string(limits.minSubgroupSize) + " to " +
                      std::to_string(limits.maxSubgroupSize) +
                      (limits.subgroupSizeControl ? "" : " and lacks subgroupSizeControl"));
  return Status::ok();
}

Status checkRobustAccess(const KernelSource &source, const DeviceInfo &info) {
  if (!source.robustAccess)
    return Status::ok();
  if (!info.features.contains("robustBufferAccess"))
    return Status(StatusCode::Unsupported,
                  "robust access was requested, but " + info.id + " lacks robustBufferAccess");
  if (source.kind == executable::VariantKind::Native)
    return Status(
        StatusCode::Unsupported,
        "robust access was requested, but native code cannot be changed; load SPIR-V instead");
  return Status::ok();
}

Status checkSource(const KernelSource &source, const DeviceInfo &info) {
  if (std::find(info.kinds.begin(), info.kinds.end(), source.kind) == info.kinds.end())
    return Status(StatusCode::Unsupported, info.id + " " + doesNotRun(info, source.kind));
  if (source.code.empty())
    return invalid("the code is empty");
  if (source.pushConstantBytes % 4 != 0)
    return invalid(counted(source.pushConstantBytes, "byte") +
                   " of push constants, which is not a multiple of 4");
  if (source.pushConstantBytes > info.limits.maxPushConstantBytes)
    return Status(StatusCode::Unsupported, counted(source.pushConstantBytes, "byte") +
                                               " of push constants; maxPushConstantsSize is " +
                                               std::to_string(info.limits.maxPushConstantBytes));
  std::vector<BindingSlot> slots = source.bindings;
  std::sort(slots.begin(), slots.end());
  auto place = [](const BindingSlot &slot) { return std::pair(slot.set, slot.binding); };
  for (size_t i = 1; i < slots.size(); ++i)
    if (place(slots[i]) == place(slots[i - 1]) &&
        (slots[i].element == slots[i - 1].element || slots[i].uniform != slots[i - 1].uniform))
      return invalid("set " + std::to_string(slots[i].set) + " binding " +
                     std::to_string(slots[i].binding) + " is named twice");
  PUMICE_RETURN_IF_ERROR(checkConstants(source.constants));
  PUMICE_RETURN_IF_ERROR(checkRobustAccess(source, info));
  PUMICE_RETURN_IF_ERROR(checkSubgroups(source, info.limits));
  return meetsLimits(info, source);
}

} // namespace

Status Device::whyLost() const {
  std::lock_guard lock(lossMutex);
  return loss;
}

Status Device::markLost(Status reason) {
  std::lock_guard lock(lossMutex);
  if (!isLost.load(std::memory_order_relaxed)) {
    loss = Status(StatusCode::DeviceLost, description.id + ": " + reason.message());
    lostAt = std::chrono::system_clock::now();
    isLost.store(true, std::memory_order_release);
    if (!leftBehind) // after a fork, a thread of the parent may hold the lock
      log(LogLevel::Error, loss.message());
  }
  return loss;
}

Status Device::lostWith(std::string_view what) const {
  std::lock_guard lock(lossMutex);
  std::time_t when = std::chrono::system_clock::to_time_t(lostAt);
  std::tm parts{};
#ifdef _WIN32
  localtime_s(&parts, &when);
#else
  localtime_r(&when, &parts);
#endif
  char clock[16];
  std::strftime(clock, sizeof clock, "%H:%M:%S", &parts);
  auto ago =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now() - lostAt);
  return Status(StatusCode::DeviceLost,
                std::string(what) + " was lost with the device at " + clock + ", " +
                    std::to_string(std::max<int64_t>(ago.count(), 0)) +
                    " s ago; make it again. The device was lost because: " + loss.message());
}

void Device::loseInChild(Status reason) {
  leftBehind = true;
  new (&lossMutex) std::mutex; // the thread that held it may not exist in this process
  (void)markLost(std::move(reason));
}

DeviceInfo Device::measuredInfo() {
  DeviceInfo info = description;
  std::lock_guard lock(mapsMutex);
  if (!fragmentMaps)
    fragmentMaps = measureFragments(*this);
  info.fragmentMaps = fragmentMaps;
  return info;
}

std::string Device::targetEnvironment() {
  bool isCpu = !description.architecture.empty();
  return targetEnvironmentJson(isCpu ? description : measuredInfo());
}

Result<Ref<Buffer>> Device::allocate(uint64_t bytes, MemoryKind kind) {
  PUMICE_RETURN_IF_ERROR(health());
  if (bytes == 0)
    return invalid("a buffer needs at least one byte");
  if (kind == MemoryKind::Imported)
    return invalid("memory of kind Imported cannot be allocated; use importHost");
  if (bytes > description.limits.maxBufferBytes)
    return Status(StatusCode::ResourceExhausted,
                  "a buffer of " + counted(bytes, "byte") + " is too large; the limit of " +
                      description.id + " is " + std::to_string(description.limits.maxBufferBytes));
  return allocateImpl(bytes, kind);
}

Result<Ref<Buffer>> Device::importHost(void *memory, uint64_t bytes) {
  PUMICE_RETURN_IF_ERROR(health());
  if (!memory || bytes == 0)
    return invalid("imported memory needs an address and at least one byte");
  uint64_t alignment = description.limits.hostImportAlignment;
  if (alignment == 0)
    return Status(StatusCode::Unsupported,
                  description.id + " cannot use host memory in place: allocate and upload");
  if (reinterpret_cast<uintptr_t>(memory) % alignment != 0 || bytes % alignment != 0)
    return Status(
        StatusCode::Unsupported,
        "host memory that is used in place needs an address and a size that are multiples of " +
            std::to_string(alignment) + " bytes; its size is " + std::to_string(bytes) +
            ", and its address is " +
            std::to_string(reinterpret_cast<uintptr_t>(memory) % alignment) +
            " past a multiple; allocate a buffer and upload instead");
  return importHostImpl(memory, bytes);
}

Result<Ref<Kernel>> Device::createKernel(const KernelSource &source) {
  PUMICE_RETURN_IF_ERROR(health());
  Status checked = checkSource(source, description);
  if (!checked.isOk())
    return std::move(checked).at("kernel '" + source.label + "'");
  Result<Ref<Kernel>> made = createKernelImpl(source);
  if (kernelLook && made.isOk())
    kernelLook(source);
  return made;
}

Result<Ref<Queue>> Device::createQueue(const QueueOptions &options) {
  PUMICE_RETURN_IF_ERROR(health());
  return createQueueImpl(options);
}

Result<Ref<Timeline>> Device::createTimeline(uint64_t initial) {
  PUMICE_RETURN_IF_ERROR(health());
  return createTimelineImpl(initial);
}

Status Device::setOption(std::string_view name, int64_t value) {
  PUMICE_RETURN_IF_ERROR(health());
  return setOptionImpl(name, value);
}

Status Device::setOptionImpl(std::string_view name, int64_t) {
  return Status(StatusCode::NotFound,
                description.id + " has no option '" + std::string(name) + "'; it has no options");
}

} // namespace pumice::hal
