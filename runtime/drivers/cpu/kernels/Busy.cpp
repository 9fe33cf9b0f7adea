//===- Busy.cpp - a kernel that runs for some time --------------------------===//
// Runs for some time. Word 0 of the push constants is the number of steps of each workgroup. The
// workgroup stores its last value to a word of its own.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  uint32_t steps = *static_cast<const uint32_t *>(launch->pushConstants);
  auto *words = bufferAt<uint32_t>(*launch, 0);
  for (uint64_t i = begin; i < end; ++i) {
    uint32_t value = words[i];
    for (uint32_t step = 0; step < steps; ++step)
      value = value * 1664525u + 1013904223u;
    words[i] = value;
  }
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}};

PUMICE_EXPORT_KERNEL = {
    .subgroupSize = 4, .bindingCount = 1, .pushConstantBytes = 4, .bindings = bindings, .run = run};
