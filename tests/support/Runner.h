//===- Runner.h - executes the cases of a run file on one device ------------===//
#pragma once

#include "runtime/drivers/vulkan/BarePipeline.h"
#include "tests/support/RunFile.h"

#include <memory>

namespace pumice::tests {

/// A buffer in host-visible memory of the device, mapped for as long as it lives.
struct DeviceBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint8_t *mapped = nullptr;
  uint64_t size = 0, address = 0; // address 0: the device has none
  const BufferData *data = nullptr;
};

/// A dispatch with names resolved: what pipeline creation and recording need.
struct PreparedDispatch {
  vulkan::PipelineRequest request;
  std::vector<const DeviceBuffer *> bound; // beside request.buffers
  std::vector<uint8_t> pushConstants;
  std::array<uint32_t, 3> groups{1, 1, 1};
};

class Runner {
public:
  explicit Runner(vulkan::BareDevice &device) : device(device) {}
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Runs one case from allocation to comparison. Printed buffers are appended to `printed`.
  /// Errors: DataCorrupt when a buffer does not hold what is expected.
  Status run(const Case &test, std::string &printed);

private:
  using Buffers = std::map<std::string, DeviceBuffer, std::less<>>;

  Status allocate(uint64_t size, DeviceBuffer &made);
  Status createBuffers(const Case &test, Buffers &buffers);
  Result<const DeviceBuffer *> find(const Buffers &buffers, std::string_view name) const;
  Result<uint64_t> addressOf(const Buffers &buffers, std::string_view name) const;
  /// For SPIR-V as it is: bindings and push constants are the run file's.
  Result<PreparedDispatch> prepareModule(const Dispatch &dispatch, const Buffers &buffers);
  /// For an executable: bindings and the parameter block follow from the variant's interface.
  Result<PreparedDispatch> prepareExecutable(const Case &test, const Dispatch &dispatch,
                                             Buffers &buffers);
  Status record(const PreparedDispatch &dispatch);
  Status submit(VkCommandBuffer commands);
  Status check(const Case &test, const Buffers &buffers, std::string &printed);
  void destroy(Buffers &buffers);

  vulkan::BareDevice &device;
  VkCommandPool pool = VK_NULL_HANDLE;
};

} // namespace pumice::tests
