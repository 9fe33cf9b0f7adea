//===- TestKernels.h - devices and native kernels of the driver's tests -----===//
#pragma once

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/drivers/cpu/Device.h"
#include "support/Platform.h"

#include <gtest/gtest.h>

namespace pumice::cpu_driver::testing {

/// Returns the shared object that was compiled from runtime/drivers/cpu/kernels/NAME.cpp.
inline std::vector<uint8_t> codeOf(const std::string &name) {
  Result<std::string> file = readFile(PUMICE_TEST_KERNELS "/" + name + ".so");
  EXPECT_TRUE(file.isOk()) << file.status().toString();
  return file.isOk() ? std::vector<uint8_t>(file->begin(), file->end()) : std::vector<uint8_t>();
}

inline Ref<CpuDevice> makeDevice(Options options = {.threads = 4}) {
  return CpuDevice::create(describe(hostCpu(), uint64_t{1} << 36), options);
}

struct Source : hal::KernelSource {
  explicit Source(const std::string &name, std::vector<hal::BindingSlot> slots = {},
                  uint32_t pushBytes = 0)
      : bytes(codeOf(name)) {
    kind = executable::VariantKind::Native;
    code = bytes;
    symbol = label = name;
    bindings = std::move(slots);
    pushConstantBytes = pushBytes;
  }
  std::vector<uint8_t> bytes;
};

inline Ref<hal::Kernel> makeKernel(hal::Device &device, const std::string &name,
                                   std::vector<hal::BindingSlot> slots = {},
                                   uint32_t pushBytes = 0) {
  Result<Ref<hal::Kernel>> kernel = device.createKernel(Source(name, std::move(slots), pushBytes));
  EXPECT_TRUE(kernel.isOk()) << kernel.status().toString();
  return kernel.isOk() ? *kernel : nullptr;
}

inline Status launch(hal::Queue &queue, hal::Kernel &kernel, std::array<uint32_t, 3> groups,
                     std::span<const hal::BufferRange> bindings = {},
                     std::span<const std::byte> push = {}) {
  std::vector<hal::BufferUse> uses;
  for (const hal::BufferRange &range : bindings)
    uses.push_back({range.buffer});
  hal::Dispatch work;
  work.kernel = &kernel;
  work.groups = groups;
  work.bindings = bindings;
  work.uses = uses;
  work.pushConstants = push;
  return queue.dispatch(work);
}

template <typename T> T *wordsOf(hal::Buffer &buffer) {
  return reinterpret_cast<T *>(buffer.hostPointer());
}

} // namespace pumice::cpu_driver::testing
