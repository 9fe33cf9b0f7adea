//===- ThreadState.cpp - the state of a thread that runs workgroups ---------===//
#include "runtime/drivers/cpu/ThreadState.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Memory.h"

#include <algorithm>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace pumice::cpu_driver {
namespace {

class GrowingMemory {
public:
  ~GrowingMemory() { freeMemory(memory); }

  void *atLeast(uint64_t wanted) {
    if (wanted <= bytes) [[likely]]
      return memory;
    freeMemory(memory);
    bytes = 0;
    memory = allocateMemory(wanted);
    if (memory)
      bytes = wanted;
    return memory;
  }

private:
  void *memory = nullptr;
  uint64_t bytes = 0;
};

} // namespace

ThreadMemory threadMemory(uint64_t workgroupBytes, uint64_t scratchBytes) {
  static thread_local GrowingMemory workgroup, scratch;
  // `| 1` makes the result null only if memory is exhausted. Code may form addresses in memory that
  // it does not use. Kernels find the memory of a generic pointer by its address, so a workgroup's
  // memory has the same size for all of them (GenericPointers.cpp).
  return {workgroup.atLeast(std::max<uint64_t>(workgroupBytes, maxWorkgroupMemoryBytes)),
          scratch.atLeast(scratchBytes | 1)};
}

#if defined(__x86_64__) || defined(__i386__)

static constexpr unsigned usual = 0x1f80; // exceptions masked, to nearest, with denormals

FloatEnvironment::FloatEnvironment() : before(_mm_getcsr()) {
  if ((before & ~0x3fu) != usual) // the low bits only record past exceptions
    _mm_setcsr(usual);
}
FloatEnvironment::~FloatEnvironment() {
  if ((before & ~0x3fu) != usual)
    _mm_setcsr(static_cast<unsigned>(before));
}

#elif defined(__aarch64__)

FloatEnvironment::FloatEnvironment() {
  __asm__ volatile("mrs %0, fpcr" : "=r"(before));
  if (before)
    __asm__ volatile("msr fpcr, %0" : : "r"(uint64_t{0}));
}
FloatEnvironment::~FloatEnvironment() {
  if (before)
    __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

FloatEnvironment::FloatEnvironment() : before(0) {}
FloatEnvironment::~FloatEnvironment() { (void)before; }

#endif

} // namespace pumice::cpu_driver
