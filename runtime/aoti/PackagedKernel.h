//===- PackagedKernel.h - a kernel in a package of AOTInductor --------------===//
// A package of AOTInductor holds one shared object for each kernel. Its symbol with the kernel's
// name is a PackagedKernel, in writable memory. python/pumice_triton/aoti.py writes these objects.
//===-------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>

namespace pumice::aoti {

class LoadedKernel;

struct PackagedKernel {
  static constexpr uint64_t expectedMagic = 0x314e'4b45'4349'4d50; // "PMICEKN1"

  uint64_t magic;
  uint64_t executableBytes;
  std::atomic<LoadedKernel *> loaded; // set by the first launch
  uint32_t argumentCount;
  uint32_t slotBytes; // the size of the slots, padded to a multiple of 16
  // uint32_t slots[argumentCount]: for each argument, its index in the launcher's array.
  // The executable follows after `slotBytes` bytes.

  const uint32_t *slots() const { return reinterpret_cast<const uint32_t *>(this + 1); }
  const void *executable() const { return reinterpret_cast<const char *>(this + 1) + slotBytes; }
};
static_assert(sizeof(PackagedKernel) == 32);

} // namespace pumice::aoti
