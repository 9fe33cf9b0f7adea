//===- Driver.h - Vulkan's devices for the runtime --------------------------===//
#pragma once

#include "runtime/drivers/vulkan/PhysicalDevice.h"
#include "runtime/hal/Driver.h"

#include <mutex>

namespace pumice::vulkan {

class VulkanDriver final : public hal::Driver {
public:
  /// Creates the driver. Errors: NotFound if Vulkan is not installed or has no driver, and those of
  /// Instance::create.
  static Result<Ref<hal::Driver>> create();

private:
  explicit VulkanDriver(Ref<Instance> instance);

  struct Listed {
    DeviceFacts facts;
    hal::DeviceInfo info;
  };
  Result<std::vector<Listed>> list();
  Result<std::vector<hal::DeviceInfo>> devicesImpl() override;
  Result<Ref<hal::Device>> openImpl(size_t index) override;
  std::vector<Status> leftOutImpl() const override;

  Ref<Instance> instance;
  mutable std::mutex mutex;
  std::vector<Status> unusable;
  // The devices of the last listing. They are kept because some drivers take long to report the
  // facts about a device.
  std::vector<Listed> known;
};

} // namespace pumice::vulkan
