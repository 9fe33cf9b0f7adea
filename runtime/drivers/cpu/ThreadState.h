//===- ThreadState.h - a thread's state for running workgroups --------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace pumice::cpu_driver {

/// Memory of the calling thread, aligned to 64 bytes, with at least the requested sizes. It grows
/// on demand, and is freed with the thread. Its contents are undefined. Pointers are null if no
/// memory is left.
struct ThreadMemory {
  void *workgroup = nullptr;
  void *scratch = nullptr;
};
ThreadMemory threadMemory(uint64_t workgroupBytes, uint64_t scratchBytes);

/// Makes kernels round to nearest and keep denormals, whatever mode the program has set for the
/// calling thread. Results must not depend on the thread that runs a workgroup.
class FloatEnvironment {
public:
  FloatEnvironment();
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment &) = delete;
  FloatEnvironment &operator=(const FloatEnvironment &) = delete;

private:
  uint64_t before;
};

} // namespace pumice::cpu_driver
