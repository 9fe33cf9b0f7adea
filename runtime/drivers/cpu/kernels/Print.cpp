//===- Print.cpp - prints numbers -------------------------------------------===//
// Each workgroup prints its number to the only buffer, as record 0 in the format of docs/printf.md.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  auto *words = bufferAt<uint32_t>(*launch, 0);
  uint64_t room = launch->buffers[0].bytes / 4 - 1;
  for (uint64_t group = begin; group < end; ++group) {
    uint32_t at = __atomic_fetch_add(&words[0], 2, __ATOMIC_RELAXED);
    if (uint64_t{at} + 2 > room)
      continue;
    words[1 + at] = 2u << 16;
    words[2 + at] = static_cast<uint32_t>(group);
  }
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .bindingCount = 1, .bindings = bindings, .run = run};
