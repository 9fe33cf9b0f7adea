//===- Newer.cpp - code for a processor that does not exist yet -------------===//
#include "Kernel.h"

static uint32_t run(const NativeLaunch *, void *, void *, uint64_t, uint64_t) { __builtin_trap(); }

PUMICE_EXPORT_KERNEL = {.subgroupSize = 4, .run = run};

extern "C" __attribute__((visibility("default"))) const char pumice_native_processor[] =
    "x86-64-v9";
