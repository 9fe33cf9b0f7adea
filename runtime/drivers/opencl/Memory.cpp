//===- Memory.cpp - memory that kernels reach by address --------------------===//
#include "runtime/drivers/opencl/Memory.h"

#include "support/EnglishText.h"

namespace pumice::opencl_driver {
namespace {

/// Whole words, because kernels and the HAL round the end of a buffer up.
uint64_t roundedUp(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

Status exhausted(const Context &context, uint64_t bytes, const std::string &why) {
  return Status(StatusCode::ResourceExhausted, context.facts.name + " has no memory left for " +
                                                   counted(bytes, "byte") + ": " + why);
}

/// Returns the failure to allocate. Drivers report it by several codes, some of which also mean
/// something else in other calls.
Status allocated(const Context &context, uint64_t bytes, cl_int result, const void *made,
                 const char *call) {
  if (result == CL_SUCCESS && made)
    return Status::ok();
  if (meansLost(result))
    return toStatus(result, call);
  return exhausted(context, bytes,
                   std::string(call) + " returned " +
                       (result == CL_SUCCESS ? "nothing" : describe(result)));
}

bool hostSees(const Context &context, hal::MemoryKind kind) {
  return kind == hal::MemoryKind::Host || (context.facts.type & CL_DEVICE_TYPE_CPU) ||
         context.facts.sharesHostMemory;
}

} // namespace

Status Memory::allocateUsm(Allocation &allocation, hal::MemoryKind kind) {
  // A processor's own memory is the host's. Shared memory is at one address for both.
  bool shared = kind != hal::MemoryKind::Host && hostSees(context, kind) && context.facts.sharedUsm;
  cl_int result = CL_SUCCESS;
  void *made = nullptr;
  const char *call = nullptr;
  uint64_t bytes = roundedUp(allocation.bytes);
  if (kind == hal::MemoryKind::Host) {
    call = "clHostMemAllocINTEL";
    made =
        PUMICE_CL_MAKE(result, context.usm, clHostMemAllocINTEL, context.handle, nullptr, bytes, 0);
  } else if (shared) {
    call = "clSharedMemAllocINTEL";
    made = PUMICE_CL_MAKE(result, context.usm, clSharedMemAllocINTEL, context.handle,
                          context.facts.device, nullptr, bytes, 0);
  } else {
    call = "clDeviceMemAllocINTEL";
    made = PUMICE_CL_MAKE(result, context.usm, clDeviceMemAllocINTEL, context.handle,
                          context.facts.device, nullptr, bytes, 0);
  }
  PUMICE_RETURN_IF_ERROR(allocated(context, bytes, result, made, call));
  allocation.address = reinterpret_cast<uintptr_t>(made);
  if (shared || kind == hal::MemoryKind::Host)
    allocation.host = static_cast<std::byte *>(made);
  return Status::ok();
}

Status Memory::allocateSvm(Allocation &allocation, hal::MemoryKind kind) {
  bool fine = context.addressing == Addressing::FineSvm;
  cl_bitfield flags = CL_MEM_READ_WRITE | (fine ? CL_MEM_SVM_FINE_GRAIN_BUFFER : 0);
  uint64_t bytes = roundedUp(allocation.bytes);
  cl_int fault = injectedFault("clSVMAlloc");
  void *made = fault ? nullptr : context.cl.clSVMAlloc(context.handle, flags, bytes, 0);
  PUMICE_RETURN_IF_ERROR(allocated(context, bytes, fault, made, "clSVMAlloc"));
  allocation.address = reinterpret_cast<uintptr_t>(made);
  if (fine || kind == hal::MemoryKind::Host)
    allocation.host = static_cast<std::byte *>(made);
  if (fine || kind != hal::MemoryKind::Host)
    return Status::ok();
  Status mapped = PUMICE_CL_STATUS(context.cl, clEnqueueSVMMap, context.mapping, CL_TRUE,
                                   CL_MAP_READ | CL_MAP_WRITE, made, bytes, 0, nullptr, nullptr);
  allocation.isLent = mapped.isOk();
  if (!mapped.isOk())
    context.cl.clSVMFree(context.handle, made);
  return mapped;
}

Status Memory::allocateObject(Allocation &allocation, hal::MemoryKind kind) {
  cl_int result = CL_SUCCESS;
  uint64_t bytes = roundedUp(allocation.bytes);
  allocation.object = PUMICE_CL_MAKE(result, context.cl, clCreateBuffer, context.handle,
                                     CL_MEM_READ_WRITE, bytes, nullptr);
  PUMICE_RETURN_IF_ERROR(allocated(context, bytes, result, allocation.object, "clCreateBuffer"));
  if (kind == hal::MemoryKind::Host) {
    allocation.copy.reset(new (std::nothrow) std::byte[bytes]());
    if (!allocation.copy) {
      context.cl.clReleaseMemObject(allocation.object);
      return exhausted(context, bytes, "the host has no memory left");
    }
    allocation.host = allocation.copy.get();
    allocation.isLent = true;
  }
  constexpr uint64_t alignment = 4096, gap = 1 << 20; // so that overruns reach no other buffer
  std::lock_guard lock(mutex);
  allocation.address = nextNumber;
  nextNumber += (bytes + gap + alignment - 1) / alignment * alignment;
  return Status::ok();
}

Status Memory::allocateInto(Allocation &allocation, hal::MemoryKind kind) {
  switch (context.addressing) {
  case Addressing::Usm:
    return allocateUsm(allocation, kind);
  case Addressing::FineSvm:
  case Addressing::CoarseSvm:
    return allocateSvm(allocation, kind);
  case Addressing::Buffers:
    break;
  }
  return allocateObject(allocation, kind);
}

Result<const Allocation *> Memory::allocate(uint64_t bytes, hal::MemoryKind kind) {
  Allocation allocation;
  allocation.bytes = bytes;
  PUMICE_RETURN_IF_ERROR(allocateInto(allocation, kind));
  std::lock_guard lock(mutex);
  uint64_t address = allocation.address;
  return &allocations.insert_or_assign(address, std::move(allocation)).first->second;
}

void Memory::release(const Allocation &allocation) {
  if (context.isAbandoned())
    return;
  auto *memory = reinterpret_cast<void *>(allocation.address);
  if (context.addressing == Addressing::Usm)
    context.usm.clMemFreeINTEL(context.handle, memory);
  else if (context.addressing == Addressing::Buffers)
    context.cl.clReleaseMemObject(allocation.object);
  else {
    if (allocation.isLent) { // it must not be mapped any more
      (void)context.cl.clEnqueueSVMUnmap(context.mapping, memory, 0, nullptr, nullptr);
      (void)context.cl.clFinish(context.mapping);
    }
    context.cl.clSVMFree(context.handle, memory);
  }
}

void Memory::free(const Allocation *allocation) {
  Allocation last;
  {
    std::lock_guard lock(mutex);
    auto found = allocations.find(allocation->address);
    last = std::move(found->second);
    allocations.erase(found); // before the address can be used again
    freed.fetch_add(1, std::memory_order_release);
  }
  release(last);
}

const Allocation *Memory::around(uint64_t address) const {
  std::lock_guard lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  const Allocation &before = std::prev(after)->second;
  return address - before.address < roundedUp(before.bytes) ? &before : nullptr;
}

std::vector<void *> Memory::addresses() const {
  std::lock_guard lock(mutex);
  std::vector<void *> list;
  for (const auto &[address, allocation] : allocations)
    list.push_back(reinterpret_cast<void *>(address));
  return list;
}

std::vector<const Allocation *> Memory::lent() const {
  std::lock_guard lock(mutex);
  std::vector<const Allocation *> list;
  for (const auto &[address, allocation] : allocations)
    if (allocation.isLent)
      list.push_back(&allocation);
  return list;
}

Status Memory::take(cl_command_queue queue, const Allocation &allocation) {
  if (context.addressing == Addressing::Buffers)
    return PUMICE_CL_STATUS(context.cl, clEnqueueWriteBuffer, queue, allocation.object, CL_FALSE, 0,
                            roundedUp(allocation.bytes), allocation.host, 0, nullptr, nullptr);
  return PUMICE_CL_STATUS(context.cl, clEnqueueSVMUnmap, queue,
                          reinterpret_cast<void *>(allocation.address), 0, nullptr, nullptr);
}

Status Memory::giveBack(cl_command_queue queue, const Allocation &allocation) {
  if (context.addressing == Addressing::Buffers)
    return PUMICE_CL_STATUS(context.cl, clEnqueueReadBuffer, queue, allocation.object, CL_FALSE, 0,
                            roundedUp(allocation.bytes), allocation.host, 0, nullptr, nullptr);
  return PUMICE_CL_STATUS(context.cl, clEnqueueSVMMap, queue, CL_FALSE, CL_MAP_READ | CL_MAP_WRITE,
                          reinterpret_cast<void *>(allocation.address), roundedUp(allocation.bytes),
                          0, nullptr, nullptr);
}

} // namespace pumice::opencl_driver
