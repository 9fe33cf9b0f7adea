//===- CodeGate.h - no work is submitted while a pipeline is made -----------===//
// NVIDIA's driver (580.159.04, H200) runs stale code if one thread makes a pipeline while another
// thread submits work: kernels do nothing, or the device is lost. For other drivers, the lock costs
// nothing.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/drivers/vulkan/Vulkan.h"

#include <mutex>
#include <shared_mutex>

namespace pumice::vulkan {

class CodeGate {
public:
  explicit CodeGate(VkDriverId driver) : isShut(driver == VK_DRIVER_ID_NVIDIA_PROPRIETARY) {}

  /// Returns a lock to hold while making a pipeline. Waits for submissions that are in progress.
  std::unique_lock<std::shared_mutex> making() const {
    return isShut ? std::unique_lock(mutex) : std::unique_lock<std::shared_mutex>();
  }
  /// Returns a lock to hold while submitting work. Waits until no pipeline is being made.
  std::shared_lock<std::shared_mutex> submitting() const {
    return isShut ? std::shared_lock(mutex) : std::shared_lock<std::shared_mutex>();
  }

private:
  // All devices share one mutex, because the driver's memory for code belongs to the process.
  static inline std::shared_mutex mutex;
  bool isShut;
};

} // namespace pumice::vulkan
