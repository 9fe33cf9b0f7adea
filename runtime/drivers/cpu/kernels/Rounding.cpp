//===- Rounding.cpp - depends on the floating-point environment -------------===//
// Each workgroup divides 1 by 3, and halves the smallest normal number. The results depend on the
// floating-point environment of the thread.
//===-------------------------------------------------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t begin, uint64_t end) {
  auto *values = bufferAt<float>(*launch, 0);
  volatile float one = 1, three = 3, smallest = 1.17549435e-38f, half = 0.5f;
  for (uint64_t group = begin; group < end; ++group) {
    values[2 * group] = one / three;
    values[2 * group + 1] = smallest * half;
  }
  return 0;
}

static constexpr NativeBinding bindings[] = {{0, 0, 0}};

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .bindingCount = 1, .bindings = bindings, .run = run};
