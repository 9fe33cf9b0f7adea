//===- Drivers.cpp - the drivers that this build has ------------------------===//
#include "runtime/drivers/Drivers.h"

#include "runtime/drivers/cpu/Driver.h"
#include "runtime/drivers/metal/Driver.h"
#include "runtime/drivers/opencl/Driver.h"
#include "runtime/drivers/vulkan/Driver.h"

#include <cassert>

namespace pumice {

Status registerDrivers(hal::Registry &registry) {
  PUMICE_RETURN_IF_ERROR(registry.add("vulkan", vulkan::VulkanDriver::create));
  PUMICE_RETURN_IF_ERROR(registry.add("cpu", cpu_driver::CpuDriver::create));
  PUMICE_RETURN_IF_ERROR(registry.add("opencl", opencl_driver::OpenClDriver::create));
  return registry.add("metal", metal_driver::MetalDriver::create);
}

hal::Registry &hal::Registry::global() {
  // The registry is never destroyed, because threads of drivers and of callers may outlive static
  // objects.
  static Registry &registry = *[] {
    auto *made = new Registry;
    Status added = registerDrivers(*made);
    assert(added.isOk() && "two drivers have one name");
    (void)added;
    return made;
  }();
  return registry;
}

} // namespace pumice
