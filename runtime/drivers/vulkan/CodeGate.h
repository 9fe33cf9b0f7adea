//===- CodeGate.h - no work is submitted while a pipeline is made -----------===//
// NVIDIA's driver (580.159.04, H200) runs stale code where one thread makes a pipeline while
// another submits: kernels do nothing, or the device is lost. Other drivers pay nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"

#include <mutex>
#include <shared_mutex>

namespace pumice::vulkan {

class CodeGate {
public:
  explicit CodeGate(VkDriverId driver) : isShut(driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY) {}

  /// Held while a pipeline is made; waits for submissions.
  std::unique_lock<std::shared_mutex> making() const {
    return isShut ? std::unique_lock(mutex) : std::unique_lock<std::shared_mutex>();
  }
  /// Held while work is submitted; waits for pipelines.
  std::shared_lock<std::shared_mutex> submitting() const {
    return isShut ? std::shared_lock(mutex) : std::shared_lock<std::shared_mutex>();
  }

private:
  static inline std::shared_mutex mutex; // devices of one process share the driver's memory of code
  bool isShut;
};

} // namespace pumice::vulkan
