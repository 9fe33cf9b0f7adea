//===- Visits.cpp - counts workgroups ---------------------------------------===//
// Each workgroup adds one to its own word.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  auto *visits = bufferAt<uint32_t>(*launch, 0);
  uint64_t words = launch->buffers[0].bytes / 4;
  forEachGroup(*launch, begin, end, [&](const Group &group) {
    uint64_t at = group.id[0] + uint64_t{launch->groups[0]} *
                                    (group.id[1] + uint64_t{launch->groups[1]} * group.id[2]);
    if (at < words)
      __atomic_fetch_add(&visits[at], 1, __ATOMIC_RELAXED);
  });
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .bindingCount = 1, .bindings = bindings, .run = run};
