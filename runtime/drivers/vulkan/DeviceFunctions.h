//===- DeviceFunctions.h - the functions of a device ------------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <atomic>
#include <memory>
#include <string_view>

namespace pumice::vulkan {

/// Returns the name of the first function that the driver lacks and that work under the plan would
/// call. Returns null if all functions are present. Drivers may list devices that cannot run
/// anything.
const char *missingFunction(const VolkDeviceTable &vk, const DevicePlan &plan);

/// The functions of one device. After `cutOff`, calls that submit work or wait report a lost
/// device, and calls that destroy objects do nothing. This is for two cases. In a forked child, the
/// driver's state belongs to the parent. And a device that hangs may still access every object.
/// Thread-safe, except for moves.
class FunctionTable {
public:
  FunctionTable();
  FunctionTable(FunctionTable &&other) noexcept;
  FunctionTable &operator=(FunctionTable &&) = delete;
  /// Looks up the functions of `device` with `getProcAddr`, or with the installed loader if that is
  /// null. The caller holds the lock of the loader.
  void load(VkDevice device, PFN_vkGetDeviceProcAddr getProcAddr = nullptr);
  void set(const VolkDeviceTable &functions);

  const VolkDeviceTable *operator->() const { return current.load(std::memory_order_acquire); }
  const VolkDeviceTable &operator*() const { return *operator->(); }
  void cutOff() { current.store(cut.get(), std::memory_order_release); }
  bool isCutOff() const { return operator->() == cut.get(); }

private:
  std::unique_ptr<VolkDeviceTable> own, cut;
  std::atomic<const VolkDeviceTable *> current;
};

/// Returns the names of all functions for which `missingFunction` checks.
std::vector<std::string_view> deviceFunctions();

} // namespace pumice::vulkan
