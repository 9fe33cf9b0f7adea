//===- Kernel.h - native kernels for tests, in the compiler's form ----------===//
// Each file here becomes a separate shared object that needs no library.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/NativeCode.h"

using pumice::executable::NativeBinding;
using pumice::executable::NativeKernelInfo;
using pumice::executable::NativeLaunch;

struct Group {
  uint64_t number;
  uint32_t id[3];
};

/// Calls `body` for each workgroup of [begin, end).
template <typename Body>
inline void forEachGroup(const NativeLaunch &launch, uint64_t begin, uint64_t end, Body body) {
  for (uint64_t i = begin; i < end; ++i) {
    uint64_t row = i / launch.groups[0];
    body(Group{i,
               {static_cast<uint32_t>(i % launch.groups[0]) + launch.firstGroup[0],
                static_cast<uint32_t>(row % launch.groups[1]) + launch.firstGroup[1],
                static_cast<uint32_t>(row / launch.groups[1]) + launch.firstGroup[2]}});
  }
}

template <typename T> inline T *bufferAt(const NativeLaunch &launch, unsigned index) {
  return static_cast<T *>(launch.buffers[index].address);
}

#define PUMICE_EXPORT_KERNEL                                                                       \
  extern "C" __attribute__((visibility("default"))) const NativeKernelInfo pumice_native_kernel
