//===- Meet.cpp - a kernel that waits for other workgroups ------------------===//
// Each workgroup adds one to the word at an address, and waits until the word reaches a given
// count. Then it sets the first word of its buffer to 1. The driver does not know which buffer
// contains the counted word.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  struct Push {
    uint32_t *word;
    uint32_t wanted, steps;
  };
  auto *push = static_cast<const Push *>(launch->pushConstants);
  for (uint64_t group = begin; group < end; ++group) {
    __atomic_fetch_add(push->word, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(push->word, __ATOMIC_RELAXED) < push->wanted)
      if (launch->cancel && __atomic_load_n(launch->cancel, __ATOMIC_RELAXED) != 0)
        return 1;
    volatile uint32_t spent = 0; // makes the kernel long enough to run together
    while (spent < push->steps)
      spent = spent + 1;
  }
  *bufferAt<uint32_t>(*launch, 0) = 1;
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4,
                        .bindingCount = 1,
                        .pushConstantBytes = 16,
                        .bindings = bindings,
                        .run = run};
