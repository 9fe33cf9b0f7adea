//===- Blocks.cpp - cuts blocks from buffers, and joins them again ----------===//
#include "python/torch_shim/device/Blocks.h"

#include <c10/util/Exception.h>

#include <algorithm>
#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace pumice::vk {
namespace {

constexpr uint64_t unit = 512;           // sizes and offsets are multiples of it
constexpr uint64_t mostSmall = 1u << 20; // larger blocks come from other buffers
constexpr uint64_t smallSegment = 2u << 20;
constexpr uint64_t middleSegment = 20u << 20, mostMiddle = 10u << 20;
/// A kernel that reads a little outside its tensor reads other data, as it does on CUDA.
constexpr uint64_t slack = 64u << 10;

uint64_t roundedUp(uint64_t bytes, uint64_t to) { return (bytes + to - 1) / to * to; }

uint64_t segmentBytes(uint64_t bytes) {
  if (bytes <= mostSmall)
    return smallSegment;
  return bytes < mostMiddle ? middleSegment : roundedUp(bytes, smallSegment);
}

/// Reserves addresses that no access may use. They name memory that has no address.
std::byte *reserveAddresses(uint64_t bytes) {
#ifdef _WIN32
  void *made = VirtualAlloc(nullptr, bytes, MEM_RESERVE, PAGE_NOACCESS);
  TORCH_CHECK(made, "the system has no addresses left for ", bytes, " bytes");
#else
  void *made = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  TORCH_CHECK(made != MAP_FAILED, "the system has no addresses left for ", bytes, " bytes");
#endif
  return static_cast<std::byte *>(made);
}

void releaseAddresses(std::byte *reserved, uint64_t bytes) {
#ifdef _WIN32
  VirtualFree(reserved, 0, MEM_RELEASE);
#else
  munmap(reserved, bytes);
#endif
}

} // namespace

template <typename Change> void BlockPool::count(bool isSmall, Change &&change) {
  using c10::CachingAllocator::StatType;
  change(static_cast<size_t>(StatType::AGGREGATE));
  change(static_cast<size_t>(isSmall ? StatType::SMALL_POOL : StatType::LARGE_POOL));
}

Block *BlockPool::allocate(uint64_t bytes, c10::StreamId stream, uint64_t pool) {
  uint64_t requested = bytes;
  TORCH_CHECK_WITH(OutOfMemoryError, bytes <= UINT64_MAX / 4, "cannot allocate ", bytes, " bytes");
  bytes = roundedUp(bytes, unit);
  bool isSmall = bytes <= mostSmall;
  std::lock_guard lock(mutex);
  processWaiting();
  Block *block = takeFree(bytes, stream, isSmall, pool);
  if (!block)
    block = makeSegment(bytes, stream, isSmall, pool);
  // A large block keeps a rest that is too small for other large blocks.
  uint64_t rest = block->bytes - bytes;
  if (isSmall ? rest >= unit : rest > mostSmall)
    split(block, bytes);
  block->isUsed = true;
  block->requested = requested;
  used.emplace(block->address(), block);
  count(isSmall, [&](size_t type) {
    counted.allocation[type].increase(1);
    counted.allocated_bytes[type].increase(block->bytes);
    counted.active[type].increase(1);
    counted.active_bytes[type].increase(block->bytes);
    counted.requested_bytes[type].increase(requested);
  });
  return block;
}

Block *BlockPool::takeFree(uint64_t bytes, c10::StreamId stream, bool isSmall, uint64_t pool) {
  Lists &list = isSmall ? small : large;
  Segment none{};
  none.pool = pool;
  Block key{&none, 0, bytes, stream};
  auto entry = list.lower_bound(&key);
  if (entry == list.end() || (*entry)->stream != stream || (*entry)->segment->pool != pool)
    return nullptr;
  Block *block = *entry;
  list.erase(entry);
  return block;
}

pumice_status BlockPool::makeBuffer(uint64_t bytes, pumice_buffer **buffer) {
  return pumice_buffer_create(deviceAt(device).handle(), bytes + 2 * slack, kind, buffer);
}

Block *BlockPool::makeSegment(uint64_t bytes, c10::StreamId stream, bool isSmall, uint64_t pool) {
  uint64_t whole = segmentBytes(bytes);
  pumice_buffer *buffer = nullptr;
  pumice_status status = makeBuffer(whole, &buffer);
  if (status == PUMICE_RESOURCE_EXHAUSTED) {
    ++counted.num_alloc_retries;
    for (Waiting &one : waiting)
      if (one.point != afterCapture)
        deviceAt(device).stream(one.stream).wait(one.point);
    processWaiting();
    releaseUnused();
    status = makeBuffer(whole, &buffer);
  }
  if (status == PUMICE_RESOURCE_EXHAUSTED)
    outOfMemory(bytes);
  check(status, "allocating memory of vk");
  auto *segment = new Segment{buffer, whole, nullptr, nullptr, 0, isSmall, pool};
  Device &owner = deviceAt(device);
  auto *address = static_cast<std::byte *>(
      kind == PUMICE_MEMORY_HOST || owner.computesInHostMemory() ? pumice_buffer_map(buffer)
                                                                 : nullptr);
  if (!address)
    address = reinterpret_cast<std::byte *>(pumice_buffer_address(buffer));
  if (!address) {
    segment->reservedBytes = whole + 2 * slack;
    address = segment->reserved = reserveAddresses(segment->reservedBytes);
  }
  segment->base = address + slack;
  segments.emplace(segment->base, segment);
  ++counted.num_device_alloc;
  count(isSmall, [&](size_t type) {
    counted.segment[type].increase(1);
    counted.reserved_bytes[type].increase(whole);
  });
  return new Block{segment, 0, whole, stream};
}

void BlockPool::outOfMemory(uint64_t bytes) {
  ++counted.num_ooms;
  const auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  TORCH_CHECK_WITH(OutOfMemoryError, false, "vk:", int(device), " has no memory left for ", bytes,
                   " bytes; tensors use ", counted.allocated_bytes[all].current, " bytes of ",
                   counted.reserved_bytes[all].current,
                   " reserved ones. Free tensors, or use a smaller batch");
}

/// Cuts `block` after `bytes`. The rest becomes a free block.
void BlockPool::split(Block *block, uint64_t bytes) {
  auto *rest =
      new Block{block->segment, block->offset + bytes, block->bytes - bytes, block->stream};
  rest->before = block;
  rest->after = block->after;
  if (rest->after)
    rest->after->before = rest;
  block->after = rest;
  block->bytes = bytes;
  listOf(*rest).insert(rest);
}

void BlockPool::free(Block *block) {
  std::lock_guard lock(mutex);
  used.erase(block->address());
  block->isUsed = false;
  count(block->segment->isSmall, [&](size_t type) {
    counted.allocation[type].decrease(1);
    counted.allocated_bytes[type].decrease(block->bytes);
    counted.requested_bytes[type].decrease(block->requested);
  });
  for (c10::StreamId stream : block->otherStreams) {
    waiting.push_back({pointOf(stream), stream, block});
    ++block->pending;
  }
  block->otherStreams.clear();
  if (block->pending == 0)
    giveBack(block);
}

/// Records a point of a stream. While the stream captures, it can have none.
uint64_t BlockPool::pointOf(c10::StreamId stream) {
  StreamState &state = deviceAt(device).stream(stream);
  return state.capture.load() ? afterCapture : state.record();
}

/// Joins two neighbours of which `other` is free. Returns the block that is left.
Block *BlockPool::merge(Block *block, Block *other) {
  if (!other || other->isUsed || other->pending || other->stream != block->stream)
    return block;
  listOf(*other).erase(other);
  Block *first = block->offset < other->offset ? block : other;
  Block *second = first == block ? other : block;
  first->bytes += second->bytes;
  first->after = second->after;
  if (first->after)
    first->after->before = first;
  delete second;
  return first;
}

void BlockPool::giveBack(Block *block) {
  count(block->segment->isSmall, [&](size_t type) {
    counted.active[type].decrease(1);
    counted.active_bytes[type].decrease(block->bytes);
  });
  block = merge(block, block->before);
  block = merge(block, block->after);
  if (isLeft(block->segment->pool) && !block->before && !block->after)
    return freeSegment(block);
  listOf(*block).insert(block);
}

void BlockPool::join(uint64_t pool) {
  std::lock_guard lock(mutex);
  ++graphs[pool];
}

void BlockPool::leave(uint64_t pool) {
  std::lock_guard lock(mutex);
  if (--graphs[pool] > 0)
    return;
  graphs.erase(pool);
  releaseUnused([pool](const Segment &segment) { return segment.pool == pool; });
}

void BlockPool::recordStream(Block *block, c10::StreamId stream) {
  std::lock_guard lock(mutex);
  if (stream != block->stream)
    block->otherStreams.insert(stream);
}

void BlockPool::recordUse(Block *block, c10::StreamId stream) {
  std::lock_guard lock(mutex);
  block->otherStreams.insert(stream);
}

void BlockPool::processWaiting() {
  std::erase_if(waiting, [this](Waiting &one) {
    if (one.point == afterCapture)
      one.point = pointOf(one.stream);
    if (one.point == afterCapture)
      return false;
    if (!deviceAt(device).stream(one.stream).isDone(one.point))
      return false;
    if (--one.block->pending == 0)
      giveBack(one.block);
    return true;
  });
}

void BlockPool::freeSegment(Block *block) {
  Segment *segment = block->segment;
  segments.erase(segment->base);
  ++counted.num_device_free;
  count(segment->isSmall, [&](size_t type) {
    counted.segment[type].decrease(1);
    counted.reserved_bytes[type].decrease(segment->bytes);
  });
  pumice_buffer_release(segment->buffer);
  if (segment->reserved)
    releaseAddresses(segment->reserved, segment->reservedBytes);
  delete segment;
  delete block;
}

void BlockPool::releaseUnused() {
  // Replays of graphs use the free memory of their pools.
  releaseUnused([](const Segment &segment) { return segment.pool == 0; });
}

template <typename Wanted> void BlockPool::releaseUnused(Wanted &&wanted) {
  for (Lists *list : {&small, &large})
    for (auto entry = list->begin(); entry != list->end();) {
      Block *block = *entry;
      bool isWhole = !block->before && !block->after && wanted(*block->segment);
      entry = isWhole ? list->erase(entry) : std::next(entry);
      if (isWhole)
        freeSegment(block);
    }
}

void BlockPool::emptyCache() {
  std::lock_guard lock(mutex);
  processWaiting();
  releaseUnused();
}

std::optional<Place> BlockPool::find(const void *address) {
  std::lock_guard lock(mutex);
  auto *wanted = static_cast<const std::byte *>(address);
  auto entry = segments.upper_bound(wanted);
  if (entry == segments.begin())
    return std::nullopt;
  Segment *segment = std::prev(entry)->second;
  auto offset = static_cast<uint64_t>(wanted - segment->base);
  if (offset >= segment->bytes + slack)
    return std::nullopt;
  return Place{segment->buffer, slack + offset, segment->bytes + slack - offset};
}

Block *BlockPool::blockAt(const void *address) {
  std::lock_guard lock(mutex);
  auto *wanted = static_cast<const std::byte *>(address);
  auto entry = used.upper_bound(wanted);
  if (entry == used.begin())
    return nullptr;
  Block *block = std::prev(entry)->second;
  return wanted < block->address() + block->bytes ? block : nullptr;
}

c10::CachingDeviceAllocator::DeviceStats BlockPool::stats() {
  std::lock_guard lock(mutex);
  return counted;
}

uint64_t BlockPool::reservedBytes() {
  std::lock_guard lock(mutex);
  const auto all = static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return static_cast<uint64_t>(counted.reserved_bytes[all].current);
}

namespace {

template <typename Reset>
void resetAll(c10::CachingDeviceAllocator::DeviceStats &stats, const Reset &reset) {
  for (auto *array : {&stats.allocation, &stats.segment, &stats.active, &stats.inactive_split,
                      &stats.allocated_bytes, &stats.reserved_bytes, &stats.active_bytes,
                      &stats.inactive_split_bytes, &stats.requested_bytes})
    for (auto &one : *array)
      reset(one);
}

} // namespace

void BlockPool::resetAccumulatedStats() {
  std::lock_guard lock(mutex);
  resetAll(counted, [](auto &one) { one.reset_accumulated(); });
  counted.num_alloc_retries = counted.num_ooms = 0;
}

void BlockPool::resetPeakStats() {
  std::lock_guard lock(mutex);
  resetAll(counted, [](auto &one) { one.reset_peak(); });
}

} // namespace pumice::vk
