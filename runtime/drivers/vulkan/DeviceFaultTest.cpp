//===- DeviceFaultTest.cpp - what users read of a lost device -----------------===//
#include "runtime/drivers/vulkan/DeviceFault.h"

#include <gtest/gtest.h>

#include <cstring>

namespace pumice::vulkan {
namespace {

TEST(DeviceFault, NamesTheAddresses) {
  VkDeviceFaultAddressInfoEXT addresses[] = {
      {VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT, 0x12345678, 4096},
      {VK_DEVICE_FAULT_ADDRESS_TYPE_NONE_EXT, 1, 1},
      {VK_DEVICE_FAULT_ADDRESS_TYPE_INSTRUCTION_POINTER_FAULT_EXT, 0x40, 0}};
  VkDeviceFaultVendorInfoEXT vendor{"MMU", 31, 0xff};
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  std::strcpy(info.description, "page fault");
  info.pAddressInfos = addresses;
  info.pVendorInfos = &vendor;
  EXPECT_EQ(
      faultText(info, 3, 1),
      "page fault; it wrote at 0x12345000 to 0x12345fff; the instruction was at 0x40 to 0x40; "
      "MMU (code 0x1f, 0xff)");
}

TEST(DeviceFault, TakesTextWithoutAnEnd) {
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  EXPECT_EQ(faultText(info, 0, 0), "");
  std::memset(info.description, 'x', sizeof info.description);
  EXPECT_EQ(faultText(info, 0, 0), std::string(sizeof info.description, 'x'));
}

} // namespace
} // namespace pumice::vulkan
