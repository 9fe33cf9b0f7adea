//===- Allocator.cpp - torch's allocator over blocks of a device's memory ---===//
#include "python/torch_shim/device/Blocks.h"

#include <array>
#include <memory>

namespace pumice::vk {
namespace {

/// The pools of one kind of memory. They are never destroyed: tensors may be freed while the
/// process exits.
class Pools {
public:
  explicit Pools(pumice_memory kind) : kind(kind) {}
  BlockPool &of(c10::DeviceIndex device) {
    std::lock_guard lock(mutex);
    auto &pool = pools[device];
    if (!pool)
      pool = std::make_unique<BlockPool>(device, kind);
    return *pool;
  }
  std::vector<BlockPool *> all() {
    std::lock_guard lock(mutex);
    std::vector<BlockPool *> made;
    for (auto &[device, pool] : pools)
      made.push_back(pool.get());
    return made;
  }

private:
  const pumice_memory kind;
  std::mutex mutex;
  std::map<c10::DeviceIndex, std::unique_ptr<BlockPool>> pools;
};

Pools &devicePools() {
  static auto *one = new Pools(PUMICE_MEMORY_DEVICE);
  return *one;
}
Pools &pinnedPools() {
  static auto *one = new Pools(PUMICE_MEMORY_HOST);
  return *one;
}

/// The object that a DataPtr frees.
struct Held {
  BlockPool *pool;
  Block *block;
};

/// A destructor calls this, so nothing is thrown. The memory of a lost device is gone anyway.
void release(void *context) {
  auto *held = static_cast<Held *>(context);
  try {
    held->pool->free(held->block);
  } catch (const std::exception &) {
  }
  delete held;
}

c10::DataPtr take(BlockPool &pool, size_t bytes, c10::DeviceIndex device, c10::Device owner) {
  if (bytes == 0)
    return {nullptr, owner};
  c10::Stream stream = currentStream(device);
  // Pinned memory is never a graph's.
  uint64_t number = anyCaptures() && owner.type() == deviceType ? stateOf(stream).pool.load() : 0;
  Block *block = pool.allocate(bytes, stream.id(), number);
  return {block->address(), new Held{&pool, block}, release, owner};
}

void (*noteOther)(const c10::DataPtr &data, c10::Stream stream) = nullptr;

class Allocator final : public c10::DeviceAllocator {
public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DeviceIndex device = currentDevice();
    return take(devicePools().of(device), bytes, device, {deviceType, device});
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void *to, const void *from, size_t bytes) const override {
    c10::DeviceIndex device = currentDevice();
    Place target = placeOf(device, to), source = placeOf(device, from);
    check(pumice_queue_copy(currentState(device).queue, target.buffer, target.offset, source.buffer,
                            source.offset, bytes),
          "copying memory of vk");
  }

  bool initialized() override { return deviceCount() > 0; }
  void emptyCache(c10::MempoolId_t) override {
    for (BlockPool *pool : devicePools().all())
      pool->emptyCache();
    for (BlockPool *pool : pinnedPools().all())
      pool->emptyCache();
  }
  void recordStream(const c10::DataPtr &data, c10::Stream stream) override {
    if (data.get_deleter() == release) {
      auto *held = static_cast<Held *>(data.get_context());
      held->pool->recordStream(held->block, stream.id());
    } else if (noteOther)
      noteOther(data, stream);
  }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    return devicePools().of(orCurrent(device)).stats();
  }
  void resetAccumulatedStats(c10::DeviceIndex device) override {
    devicePools().of(orCurrent(device)).resetAccumulatedStats();
  }
  void resetPeakStats(c10::DeviceIndex device) override {
    devicePools().of(orCurrent(device)).resetPeakStats();
  }
  /// Devices do not report what other programs use.
  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    device = orCurrent(device);
    uint64_t total = deviceAt(device).info().memory_bytes;
    uint64_t reserved = devicePools().of(device).reservedBytes();
    return {total > reserved ? total - reserved : 0, total};
  }
};

class PinnedAllocator final : public at::HostAllocator {
public:
  c10::DataPtr allocate(size_t bytes) override {
    c10::DeviceIndex device = currentDevice();
    return take(pinnedPools().of(device), bytes, device, c10::DeviceType::CPU);
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void *to, const void *from, size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }

  bool record_event(void *address, void *, c10::Stream stream) override {
    if (!isPinned(address))
      return false;
    recordPinned(address, stream);
    return true;
  }
  void empty_cache() override {
    for (BlockPool *pool : pinnedPools().all())
      pool->emptyCache();
  }
  /// Returns the sizes of the current device's pinned memory. Times are not measured.
  at::HostStats get_stats() override {
    const auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
    auto of = pinnedPools().of(currentDevice()).stats();
    at::HostStats stats;
    stats.active_requests = of.active[all];
    stats.active_bytes = of.active_bytes[all];
    stats.allocations = of.segment[all];
    stats.allocated_bytes = of.reserved_bytes[all];
    stats.num_host_alloc = of.num_device_alloc;
    stats.num_host_free = of.num_device_free;
    return stats;
  }
  void reset_accumulated_stats() override {
    pinnedPools().of(currentDevice()).resetAccumulatedStats();
  }
  void reset_peak_stats() override { pinnedPools().of(currentDevice()).resetPeakStats(); }
};

} // namespace

std::optional<Place> findPlace(c10::DeviceIndex device, const void *address) {
  return devicePools().of(device).find(address);
}

Place placeOf(c10::DeviceIndex device, const void *address) {
  std::optional<Place> place = findPlace(device, address);
  TORCH_CHECK(place, "expected memory of vk:", int(device), ", got address ", address);
  return *place;
}

void joinPool(c10::DeviceIndex device, uint64_t pool) { devicePools().of(device).join(pool); }
void leavePool(c10::DeviceIndex device, uint64_t pool) { devicePools().of(device).leave(pool); }

void onRecordStream(void (*note)(const c10::DataPtr &data, c10::Stream stream)) {
  noteOther = note;
}

c10::DeviceAllocator *allocator() {
  static auto *one = new Allocator;
  return one;
}

at::HostAllocator *pinnedAllocator() {
  static auto *one = new PinnedAllocator;
  return one;
}

std::optional<Place> findPinned(c10::DeviceIndex device, const void *address) {
  return pinnedPools().of(device).find(address);
}

bool isPinned(const void *address) {
  for (BlockPool *pool : pinnedPools().all())
    if (pool->blockAt(address))
      return true;
  return false;
}

void recordPinned(const void *address, c10::Stream stream) {
  BlockPool &pool = pinnedPools().of(stream.device_index());
  if (Block *block = pool.blockAt(address))
    pool.recordUse(block, stream.id());
}

} // namespace pumice::vk
