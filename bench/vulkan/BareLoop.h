//===- BareLoop.h - the loop that the runtime is compared with --------------===//
// This is the Vulkan program that someone would write by hand for one kernel: one command buffer,
// one fence, buffers that are passed by address, and no checks. It runs the same SPIR-V with the
// same bytes as push constants.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/Executable.h"
#include "runtime/drivers/vulkan/BarePipeline.h"

#include <memory>
#include <span>

namespace pumice::bench {

/// Memory that the device reads fastest, as one VkBuffer.
struct BareBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  uint64_t bytes = 0, address = 0;
  void *mapped = nullptr; // null: the host does not see this memory
};

/// One argument of a kernel, as a value of its parameter block. A buffer sets the address and the
/// extent, and a scalar sets the bits.
struct BareArgument {
  uint64_t address = 0; // for buffers
  uint32_t extent = 0;  // the extent of a buffer's only dimension
  uint32_t bits = 0;    // for scalars
};

class BareLoop {
public:
  static Result<std::unique_ptr<BareLoop>> open(std::string_view deviceName);
  ~BareLoop();

  Result<BareBuffer> allocate(uint64_t bytes, bool forHost = false);
  void free(BareBuffer &buffer);

  /// Makes the pipeline for the kernel `name` in `contents`. Only the driver's own cache is used.
  Result<std::unique_ptr<vulkan::BarePipeline>> pipeline(const executable::Executable &contents,
                                                         std::string_view name);
  /// Returns the bytes of its push constants.
  static std::vector<uint8_t> pack(const executable::Executable &contents, std::string_view name,
                                   std::span<const BareArgument> arguments);

  void begin();
  void bind(const vulkan::BarePipeline &pipeline);
  void dispatch(const vulkan::BarePipeline &pipeline, const std::vector<uint8_t> &pushConstants,
                uint32_t x, uint32_t y = 1);
  /// Makes earlier writes visible to later reads and writes.
  void barrier();
  void copy(const BareBuffer &from, const BareBuffer &to);
  void fill(const BareBuffer &to, uint32_t pattern);
  Status submitAndWait();

  vulkan::BareDevice &device() { return *owner; }

private:
  explicit BareLoop(std::unique_ptr<vulkan::BareDevice> device) : owner(std::move(device)) {}
  Status createObjects();

  std::unique_ptr<vulkan::BareDevice> owner;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
};

} // namespace pumice::bench
