//===- HostMemory.cpp - finds the memory of a host program's pointers -------===//
#include "tools/run-host/HostMemory.h"

#include "support/EnglishText.h"
#include "tools/run-host/ProgramCode.h"
#include "tools/run-host/ReservedRanges.h"

#include <cstdlib>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace pumice;
using namespace pumice::run;

static const auto pageBytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
/// Smaller allocations share pages with others. Importing uses the enclosing pages anyway.
static constexpr uint64_t ownPagesFrom = 16384;
static constexpr uint64_t usualAlignment = 64;
/// Guard pages cost little for some allocations, but much for a million. Small allocations beyond
/// this number share pages, and cannot be closed one by one.
static constexpr uint64_t mostSmallWithPages = 4096;
/// Freed memory is kept up to this size.
static constexpr uint64_t mostFreedBytes = 64 << 20;
static constexpr size_t mostFreed = 512;

static uint64_t alignUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }

static std::string text(const std::byte *pointer) {
  char buffer[24];
  std::snprintf(buffer, sizeof buffer, "0x%llx",
                static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(pointer)));
  return buffer;
}

/// Returns whether the pointer is on this thread's stack.
static bool isOnStack(const std::byte *pointer) {
#if defined(__linux__)
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return false;
  void *begin = nullptr;
  size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  auto address = reinterpret_cast<uintptr_t>(pointer), first = reinterpret_cast<uintptr_t>(begin);
  return first <= address && address - first < bytes;
#else
  (void)pointer;
  return false;
#endif
}

HostMemory::HostMemory(Ref<hal::Device> device, bool separate)
    : device(std::move(device)), separate(separate) {}

HostMemory::~HostMemory() {
  for (auto &[begin, region] : regions)
    release(region);
}

static void protect(const Region &region, int access) {
  if (region.ownPages)
    mprotect(region.begin, alignUp(region.bytes, pageBytes), access);
}

/// Frees the region's memory, except for memory that the program owns.
void HostMemory::release(Region &region) {
  if (region.closed || region.reserved)
    forgetRange(region.begin);
  if (region.closed)
    protect(region, PROT_READ | PROT_WRITE); // the driver continues to use it
  region.buffer = nullptr;
  if (region.reserved)
    munmap(region.begin, alignUp(region.bytes, pageBytes));
  if (region.kind == Region::Kind::Host)
    std::free(region.begin);
}

Result<Region *> HostMemory::insert(Region region) {
  const std::byte *begin = region.begin;
  auto [place, isNew] = regions.insert_or_assign(begin, std::move(region));
  return &place->second;
}

//===-------------------------------------------------------------------------===//
// The device's memory
//===-------------------------------------------------------------------------===//

/// Allocates a region. Memory that the host sees gets whole pages of its own, if possible.
Result<Region> HostMemory::allocateRegion(uint64_t bytes, hal::MemoryKind kind) {
  Region region;
  region.bytes = bytes;
  const hal::DeviceLimits &limits = device->info().limits;
  uint64_t withPages = alignUp(bytes, pageBytes) + pageBytes;
  bool fits = withPages <= limits.maxBufferBytes;
  PUMICE_TRY(region.buffer, device->allocate(fits ? withPages : bytes, kind));
  region.begin = region.buffer->hostPointer();
  if (region.begin && (!separate || kind == hal::MemoryKind::Host)) {
    uint64_t alignment = std::max<uint64_t>(limits.bindingAlignment, 4);
    auto address = reinterpret_cast<uintptr_t>(region.begin);
    uint64_t toPage = alignUp(address, pageBytes) - address;
    if (fits && toPage % alignment == 0) {
      region.begin += toPage;
      region.offset = toPage;
      region.ownPages = true;
    }
    return region;
  }
  void *reserved = mmap(nullptr, alignUp(bytes, pageBytes), PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED)
    return Status(StatusCode::ResourceExhausted, "no address space for " + counted(bytes, "byte"));
  region.begin = static_cast<std::byte *>(reserved);
  region.reserved = true;
  return region;
}

Result<std::byte *> HostMemory::allocate(uint64_t bytes, bool hostShared, const char *place) {
  bytes = std::max<uint64_t>(bytes, 4); // empty memrefs need distinct addresses, too
  hal::MemoryKind kind = hostShared ? hal::MemoryKind::Host : hal::MemoryKind::Device;
  Result<Region> region = allocateRegion(bytes, kind);
  if (!region.isOk() && !freed.empty()) {
    dropFreed(0, 0);
    region = allocateRegion(bytes, kind);
  }
  if (!region.isOk())
    return region.status();
  region->allocatedAt = place;
  if (region->reserved)
    rememberRange(region->begin, bytes, {place, nullptr});
  PUMICE_TRY(Region * inserted, insert(std::move(*region)));
  return inserted->begin;
}

Status HostMemory::deallocate(std::byte *pointer, const char *place) {
  auto found = regions.find(pointer);
  if (found == regions.end() || found->second.kind != Region::Kind::Device)
    return Status(StatusCode::InvalidArgument,
                  text(pointer) + " is not what a gpu.alloc has returned, or was freed already");
  Region &region = found->second;
  PUMICE_RETURN_IF_ERROR(region.checkAlive());
  keepFreed(region, place);
  return Status::ok();
}

void HostMemory::keepFreed(Region &region, const char *place) {
  region.freedAt = place;
  freed.push_back(region.begin);
  freedBytes += region.bytes;
  dropFreed(mostFreedBytes, mostFreed);
}

/// Frees the oldest regions until at most this much is kept. Work that uses the buffers keeps them.
void HostMemory::dropFreed(uint64_t keepBytes, size_t keepCount) {
  while (freedBytes > keepBytes || freed.size() > keepCount) {
    auto oldest = regions.find(freed.front());
    freed.pop_front();
    freedBytes -= oldest->second.bytes;
    release(oldest->second);
    regions.erase(oldest);
  }
}

void HostMemory::closeFreed() {
  for (auto place = freed.rbegin(); place != freed.rend(); ++place) {
    Region &region = regions.find(*place)->second;
    if (region.closed && region.kind == Region::Kind::Device)
      return; // older ones are closed, too
    if (!region.closed)
      close(region);
  }
}

void HostMemory::close(Region &region) {
  region.closed = true;
  protect(region, PROT_NONE);
  if (region.reserved)
    forgetRange(region.begin);
  rememberRange(region.begin, region.bytes, {region.allocatedAt, region.freedAt, region.freedBy()});
}

Status Region::checkAlive() const {
  if (!freedAt)
    return Status::ok();
  return Status(StatusCode::InvalidArgument,
                std::string("its memory was freed by the ") + freedBy() + " at " + freedAt +
                    (allocatedAt ? std::string(" (allocated at ") + allocatedAt + ")" : ""));
}

//===-------------------------------------------------------------------------===//
// The host's memory
//===-------------------------------------------------------------------------===//

std::byte *HostMemory::allocateHost(uint64_t bytes, uint64_t alignment, const char *place) {
  if (bytes > INT64_MAX)
    return nullptr;
  Region region;
  region.ownPages = bytes >= ownPagesFrom || ++smallAllocations <= mostSmallWithPages;
  alignment = std::max(alignment, region.ownPages ? pageBytes : usualAlignment);
  region.kind = Region::Kind::Host;
  region.allocatedAt = place;
  region.bytes = std::max<uint64_t>(bytes, 1);
  // Adds whole words beyond the end, since kernels access narrow elements through words.
  void *memory = std::aligned_alloc(alignment, alignUp(region.bytes, alignment));
  if (!memory)
    return nullptr;
  region.begin = static_cast<std::byte *>(memory);
  regions.insert_or_assign(region.begin, std::move(region));
  return static_cast<std::byte *>(memory);
}

Status HostMemory::freeHost(std::byte *pointer, const char *place) {
  Region *region = find(pointer);
  if (!region || region->kind == Region::Kind::Registered) {
    if (isOnStack(pointer))
      return Status(StatusCode::InvalidArgument,
                    text(pointer) + " is on the stack, where a memref.alloca is freed by itself; "
                                    "memref.dealloc takes what a memref.alloc has returned");
    std::free(pointer); // memory that a library of the program allocated
    return Status::ok();
  }
  PUMICE_RETURN_IF_ERROR(region->checkAlive());
  if (region->kind != Region::Kind::Host || region->begin != pointer)
    return Status(StatusCode::InvalidArgument,
                  text(pointer) + (region->kind == Region::Kind::Device
                                       ? " is memory of a gpu.alloc; free it by gpu.dealloc"
                                       : " is not what a memref.alloc has returned"));
  region->buffer = nullptr;
  region->mirrored = region->deviceNewer = false;
  keepFreed(*region, place ? place : "an unknown place");
  // `keepFreed` has released the region if it is too large to keep. Otherwise its pages can be
  // closed at once, because the device does not use them.
  if (Region *kept = find(pointer); kept && kept->ownPages)
    close(*kept);
  return Status::ok();
}

Status HostMemory::registerHost(std::byte *begin, uint64_t bytes) {
  if (bytes == 0)
    return Status::ok();
  Region *region = find(begin);
  if (!region) {
    Region made;
    made.kind = Region::Kind::Registered;
    made.begin = begin;
    made.bytes = bytes;
    PUMICE_TRY(region, insert(std::move(made)));
  }
  PUMICE_RETURN_IF_ERROR(region->checkAlive());
  region->temporary = false;
  return region->buffer ? Status::ok() : attach(*region);
}

Status HostMemory::unregisterHost(std::byte *begin) {
  Region *region = find(begin);
  if (!region)
    return Status(StatusCode::InvalidArgument, text(begin) + " was not registered");
  PUMICE_RETURN_IF_ERROR(region->checkAlive());
  if (region->kind == Region::Kind::Registered)
    regions.erase(region->begin);
  else if (region->kind == Region::Kind::Host)
    region->buffer = nullptr;
  return Status::ok();
}

/// Attaches a buffer to host memory: the memory itself, or else a mirror.
Status HostMemory::attach(Region &region) {
  const hal::DeviceLimits &limits = device->info().limits;
  uint64_t alignment = limits.hostImportAlignment;
  auto address = reinterpret_cast<uintptr_t>(region.begin);
  bool bindable = address % std::max<uint64_t>(limits.bindingAlignment, 4) == 0;
  if (alignment != 0 && bindable && !separate) {
    uintptr_t first = address / alignment * alignment;
    uint64_t bytes = alignUp(address + region.bytes, alignment) - first;
    Result<Ref<hal::Buffer>> imported = device->importHost(reinterpret_cast<void *>(first), bytes);
    if (imported.isOk()) {
      region.buffer = std::move(*imported);
      region.offset = address - first;
      region.mirrored = false;
      tally.imports.add(region.bytes);
      return Status::ok();
    }
    // Memory that cannot be pinned (constants, say) has a mirror instead.
  }
  PUMICE_TRY(region.buffer, device->allocate(region.bytes, hal::MemoryKind::Device));
  region.offset = 0;
  region.mirrored = true;
  mirrors.insert(region.begin);
  const ProgramCode *code = ProgramCode::current();
  region.constant = code && code->isConstant(reinterpret_cast<uintptr_t>(region.begin));
  region.deviceNewer = false;
  region.streams = 0;
  tally.mirrors.add(region.bytes);
  return Status::ok();
}

//===-------------------------------------------------------------------------===//
// Finding
//===-------------------------------------------------------------------------===//

Region *HostMemory::find(const std::byte *pointer) {
  auto next = regions.upper_bound(pointer);
  if (next == regions.begin())
    return nullptr;
  Region &region = std::prev(next)->second;
  return pointer < region.end() ? &region : nullptr;
}

bool HostMemory::collides(const std::byte *begin, uint64_t bytes) {
  const std::byte *end = begin + bytes;
  auto place = regions.upper_bound(begin);
  if (place != regions.begin())
    --place;
  for (; place != regions.end() && place->first < end; ++place) {
    const Region &region = place->second;
    bool holdsAll = region.begin <= begin && end <= region.end();
    if (region.kind == Region::Kind::Registered && region.end() > begin && !holdsAll)
      return true;
  }
  return false;
}

Result<Region *> HostMemory::use(std::byte *begin, uint64_t bytes) {
  Region *region = find(begin);
  if (!region) {
    auto next = regions.upper_bound(begin);
    if (next != regions.end() && next->first < begin + bytes)
      return Status(StatusCode::InvalidArgument,
                    "the memory at " + text(begin) + " runs into other memory of the program");
    Region made;
    made.kind = Region::Kind::Registered;
    made.temporary = true;
    made.begin = begin;
    made.bytes = bytes;
    PUMICE_TRY(region, insert(std::move(made)));
    temporaries.insert(begin);
  }
  PUMICE_RETURN_IF_ERROR(region->checkAlive());
  if (begin + bytes > region->end())
    return Status(StatusCode::InvalidArgument,
                  "it reaches " + counted(begin + bytes - region->end(), "byte") +
                      " beyond its memory, which has " + std::to_string(region->bytes));
  if (!region->buffer)
    PUMICE_RETURN_IF_ERROR(attach(*region));
  return region;
}

void HostMemory::dropTemporaries() {
  for (const std::byte *begin : temporaries)
    if (auto found = regions.find(begin); found != regions.end() && found->second.temporary)
      regions.erase(found);
  temporaries.clear();
}

std::vector<Region *> HostMemory::newerOnDevice() {
  std::vector<Region *> result;
  std::erase_if(mirrors, [&](const std::byte *begin) {
    auto found = regions.find(begin);
    if (found == regions.end() || !found->second.mirrored)
      return true;
    if (found->second.deviceNewer)
      result.push_back(&found->second);
    return false;
  });
  return result;
}
