//===- Spin.cpp - runs until it is cancelled --------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *launch, void *, void *, uint64_t, uint64_t) {
  while (!launch->cancel || __atomic_load_n(launch->cancel, __ATOMIC_RELAXED) == 0) {
  }
  return 1;
}

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .run = run};
