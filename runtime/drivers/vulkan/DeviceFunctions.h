//===- DeviceFunctions.h - the functions of a device ----------------------===//
#pragma once

#include "runtime/drivers/vulkan/DevicePlan.h"

#include <atomic>
#include <memory>
#include <string_view>

namespace pumice::vulkan {

/// Returns the first function that work under the plan would call and the driver lacks. Returns
/// null if all are present. A driver may list devices that cannot run anything.
const char *missingFunction(const VolkDeviceTable &vk, const DevicePlan &plan);

/// The functions of one device. `cutOff` replaces the functions: calls that submit work or wait
/// then report a lost device, and calls that destroy objects do nothing. This is for two cases. In
/// a forked child, the driver's state belongs to the parent. A device that hangs may still access
/// every object. Thread-safe, except for moves.
class FunctionTable {
public:
  FunctionTable();
  FunctionTable(FunctionTable &&other) noexcept;
  FunctionTable &operator=(FunctionTable &&) = delete;
  /// Looks up the functions of `device`. Uses the installed loader, unless `getProcAddr` is from
  /// another one. The caller holds the loader's lock.
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

/// Returns the names of all functions that `missingFunction` checks.
std::vector<std::string_view> deviceFunctions();

} // namespace pumice::vulkan
