//===- DeviceFault.cpp - why a device was lost ------------------------------===//
#include "runtime/drivers/vulkan/DeviceFault.h"

#include "runtime/drivers/vulkan/Call.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <vector>

namespace pumice::vulkan {
namespace {

const char *nameOf(VkDeviceFaultAddressTypeEXT type) {
  switch (type) {
  case VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT:
    return "it read";
  case VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT:
    return "it wrote";
  case VK_DEVICE_FAULT_ADDRESS_TYPE_EXECUTE_INVALID_EXT:
    return "it executed";
  case VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_UNKNOWN_EXT:
  case VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_INVALID_EXT:
  case VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_EXT:
    return "the instruction was";
  default:
    return "it was";
  }
}

/// A driver's text: of fixed size, and perhaps without an end.
template <size_t Size> std::string textOf(const char (&text)[Size]) {
  return {text, std::find(text, text + Size, 0)};
}

void append(std::string &text, const std::string &part) {
  if (!part.empty())
    text += (text.empty() ? "" : "; ") + part;
}

} // namespace

std::string faultText(const VkDeviceFaultInfoEXT &info, uint32_t addresses, uint32_t vendors) {
  std::string text = textOf(info.description);
  char line[96];
  for (uint32_t i = 0; i < addresses; ++i) {
    const VkDeviceFaultAddressInfoEXT &at = info.pAddressInfos[i];
    if (at.addressType == VK_DEVICE_FAULT_ADDRESS_TYPE_NONE_EXT)
      continue;
    // The address is known up to its precision, a power of two.
    uint64_t precision = at.addressPrecision ? at.addressPrecision : 1;
    uint64_t first = at.reportedAddress & ~(precision - 1);
    std::snprintf(line, sizeof line, "%s at 0x%" PRIx64 " to 0x%" PRIx64, nameOf(at.addressType),
                  first, first + (precision - 1));
    append(text, line);
  }
  for (uint32_t i = 0; i < vendors; ++i) {
    const VkDeviceFaultVendorInfoEXT &own = info.pVendorInfos[i];
    std::snprintf(line, sizeof line, " (code 0x%" PRIx64 ", 0x%" PRIx64 ")", own.vendorFaultCode,
                  own.vendorFaultData);
    append(text, textOf(own.description) + line);
  }
  return text;
}

std::string describeFault(const VolkDeviceTable &vk, VkDevice device) {
  VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
  if (PUMICE_VK(vk., vkGetDeviceFaultInfoEXT, device, &counts, nullptr) != VK_SUCCESS)
    return {};
  std::vector<VkDeviceFaultAddressInfoEXT> addresses(counts.addressInfoCount);
  std::vector<VkDeviceFaultVendorInfoEXT> vendors(counts.vendorInfoCount);
  counts.vendorBinarySize = 0; // a dump for the vendor's tools
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  info.pAddressInfos = addresses.data();
  info.pVendorInfos = vendors.data();
  VkResult result = PUMICE_VK(vk., vkGetDeviceFaultInfoEXT, device, &counts, &info);
  // Incomplete: for want of room for the dump.
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return {};
  return faultText(info, std::min<uint32_t>(counts.addressInfoCount, addresses.size()),
                   std::min<uint32_t>(counts.vendorInfoCount, vendors.size()));
}

} // namespace pumice::vulkan
