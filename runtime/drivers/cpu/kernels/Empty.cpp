//===- Empty.cpp - a kernel that does nothing -------------------------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *, void *, void *, uint64_t, uint64_t) { return 0; }

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .run = run};
