//===- ProgramMemory.cpp - OpenCL's variables of program scope --------------===//
#include "runtime/drivers/cpu/ProgramMemory.h"

#include "runtime/drivers/cpu/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

namespace pumice::cpu_driver {

using executable::NativeAddress;
using executable::NativeKernelInfo;

namespace {

std::span<const uint8_t> imageOf(const NativeKernelInfo &info) {
  return {info.programImage, info.programImageBytes};
}
std::span<const NativeAddress> addressesOf(const NativeKernelInfo &info) {
  return {info.programAddresses, info.programAddressCount};
}

struct AllMemories final : RefCounted {
  ForkSafeMutex mutex;
  std::vector<Ref<ProgramMemory>> memories;
};

} // namespace

ProgramMemory::ProgramMemory(const NativeKernelInfo &info, void *memory)
    : bytes(info.programBytes), image(imageOf(info).begin(), imageOf(info).end()),
      addresses(addressesOf(info).begin(), addressesOf(info).end()), memory(memory) {
  auto *begin = static_cast<std::byte *>(memory);
  std::memset(begin, 0, bytes);
  if (!image.empty())
    std::memcpy(begin, image.data(), image.size());
  for (const NativeAddress &address : addresses) {
    uint64_t target = reinterpret_cast<uintptr_t>(memory) + address.target;
    std::memcpy(begin + address.offset, &target, sizeof target);
  }
}

ProgramMemory::~ProgramMemory() { freeMemory(memory); }

Result<Ref<ProgramMemory>> ProgramMemory::create(const NativeKernelInfo &info) {
  void *memory = allocateMemory(info.programBytes);
  if (!memory)
    return Status(StatusCode::ResourceExhausted, "there is no memory for " +
                                                     std::to_string(info.programBytes) +
                                                     " bytes of variables of program scope");
  return Ref<ProgramMemory>::adopt(new ProgramMemory(info, memory));
}

bool ProgramMemory::isFor(const NativeKernelInfo &info) const {
  return bytes == info.programBytes && std::ranges::equal(image, imageOf(info)) &&
         std::ranges::equal(addresses, addressesOf(info),
                            [](const NativeAddress &a, const NativeAddress &b) {
                              return a.offset == b.offset && a.target == b.target;
                            });
}

Result<Ref<ProgramMemory>> programMemory(hal::ProgramScope *scope, const NativeKernelInfo &info) {
  if (info.version < executable::nativeCodeWithProgram || info.programBytes == 0)
    return Ref<ProgramMemory>();
  if (!scope)
    return ProgramMemory::create(info);
  Ref<AllMemories> all = scope->state<AllMemories>();
  std::lock_guard lock(all->mutex);
  for (const Ref<ProgramMemory> &memory : all->memories)
    if (memory->isFor(info))
      return memory;
  PUMICE_TRY(Ref<ProgramMemory> made, ProgramMemory::create(info));
  all->memories.push_back(made);
  return made;
}

} // namespace pumice::cpu_driver
