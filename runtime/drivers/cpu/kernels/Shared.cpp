//===- Shared.cpp - workgroup and scratch memory ----------------------------===//
// Each workgroup reverses 256 words through workgroup memory, with a copy in scratch memory. It
// sets its word 256 if either memory was not aligned.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *memory, void *scratch, uint64_t begin,
                    uint64_t end) {
  auto *data = bufferAt<uint32_t>(*launch, 0);
  auto *shared = static_cast<uint32_t *>(memory);
  auto *saved = static_cast<uint32_t *>(scratch);
  bool aligned =
      (reinterpret_cast<uintptr_t>(memory) | reinterpret_cast<uintptr_t>(scratch)) % 64 == 0;
  for (uint64_t group = begin; group < end; ++group) {
    uint32_t *words = data + group * 257;
    for (uint32_t i = 0; i < 256; ++i)
      shared[i] = saved[1000 + i] = words[i];
    for (uint32_t i = 0; i < 256; ++i)
      words[i] = i % 2 ? shared[255 - i] : saved[1255 - i];
    words[256] = !aligned;
  }
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4,
                        .workgroupSize = {256, 1, 1},
                        .bindingCount = 1,
                        .workgroupMemoryBytes = 1024,
                        .scratchBytes = 8192,
                        .bindings = bindings,
                        .run = run};
