//===- Mix.cpp - a kernel whose result depends on the order of runs ---------===//
// Computes y[i] = 31 * y[i] + x[i] for 8192 numbers per workgroup.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  auto *y = bufferAt<uint32_t>(*launch, 0);
  auto *x = bufferAt<const uint32_t>(*launch, 1);
  for (uint64_t i = begin * 8192; i < end * 8192; ++i)
    y[i] = 31 * y[i] + x[i];
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}, {0, 1, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .bindingCount = 2, .bindings = bindings, .run = run};
