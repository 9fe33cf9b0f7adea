//===- CodeGate.h - no work is submitted while a pipeline is made -----------===//
// NVIDIA's driver (580.159.04, H200) puts the code of a new pipeline where other threads' kernels
// run: it loses the device, or kernels do nothing. A bare Vulkan program failed in 26 of 39 runs; with
// creation and submission kept apart as here in none of 30 beside them; with a mutex around creation
// alone in 26 of 30. Other drivers pay nothing.
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
