//===- Saxpy.cpp - y += a * x -----------------------------------------------===//
// Computes y[i] = a * x[i] + y[i] for 64 elements per workgroup.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  struct Push {
    float a;
    uint32_t count;
  };
  auto *push = static_cast<const Push *>(launch->pushConstants);
  auto *x = bufferAt<const float>(*launch, 0);
  auto *y = bufferAt<float>(*launch, 1);
  for (uint64_t i = begin * 64; i < end * 64 && i < push->count; ++i)
    y[i] = push->a * x[i] + y[i];
  return 0;
}

// The order differs from the order of the binding numbers, so that a driver that ignores the
// numbers fails.
static constexpr NativeBinding bindings[] = {{0, 4, 0}, {0, 2, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 8,
                        .workgroupSize = {64, 1, 1},
                        .bindingCount = 2,
                        .pushConstantBytes = 8,
                        .bindings = bindings,
                        .run = run};
