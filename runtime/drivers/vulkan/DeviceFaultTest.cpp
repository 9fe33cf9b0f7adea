//===- DeviceFaultTest.cpp - messages about lost devices --------------------===//
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
      faultText(info, 3, 1, {}),
      "page fault; it wrote at 0x12345000 to 0x12345fff; the instruction was at 0x40 to 0x40; "
      "MMU (code 0x1f, 0xff)");
}

TEST(DeviceFault, TakesTextWithoutAnEnd) {
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  EXPECT_EQ(faultText(info, 0, 0, {}), "");
  std::memset(info.description, 'x', sizeof info.description);
  EXPECT_EQ(faultText(info, 0, 0, {}), std::string(sizeof info.description, 'x'));
}

/// Returns the text for one access, with two kernels unfinished.
std::string told(VkDeviceFaultAddressTypeEXT type, uint64_t address, uint64_t precision = 1) {
  VkDeviceFaultAddressInfoEXT at{type, address, precision};
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  info.pAddressInfos = &at;
  LossContext context;
  context.suspects = {{"add", "x", 0x100000, 4096, false},
                      {"add", "out", 0x200000, 4096, true},
                      {"copy", "", 0x300000, 1, true}};
  context.kernels = {"add", "copy"};
  context.buffers = {{0x100000, 4096}, {0x200000, 4096}, {0x300000, 1}, {0x380000, 64}};
  return faultText(info, 1, 0, context);
}

constexpr auto read = VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT;
constexpr auto write = VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT;

TEST(DeviceFault, NamesTheNearestArgument) {
  EXPECT_EQ(told(read, 0x101040),
            "kernel 'add', argument 'x': it read 64 bytes past the end of its storage "
            "of 4096 bytes, at 0x101040 to 0x101040");
  EXPECT_EQ(told(write, 0x1ffff0), "kernel 'add', argument 'out': it wrote 16 bytes before its "
                                   "storage of 4096 bytes, at 0x1ffff0 to 0x1ffff0");
  EXPECT_EQ(told(read, 0x300040),
            "kernel 'copy': it read 63 bytes past the end of its storage of 1 byte, at "
            "0x300040 to 0x300040");
}

TEST(DeviceFault, KnowsAddressesUpToTheirPrecision) {
  EXPECT_EQ(told(read, 0x102345, 4096),
            "kernel 'add', argument 'x': it read 4096 to 8191 bytes "
            "past the end of its storage of 4096 bytes, at 0x102000 to 0x102fff");
  EXPECT_EQ(told(read, 0x100010, 65536),
            "kernel 'add', argument 'x': it read up to 61439 bytes "
            "past the end of its storage of 4096 bytes, at 0x100000 to 0x10ffff");
}

TEST(DeviceFault, NamesAnotherBufferThatIsNearer) {
  EXPECT_EQ(told(read, 0x380048), "kernel 'copy': it read 524359 bytes past the end of its storage "
                                  "of 1 byte (8 bytes past the end of "
                                  "another buffer of 64 bytes), at 0x380048 to 0x380048");
}

TEST(DeviceFault, NamesNullPointers) {
  EXPECT_EQ(told(read, 0x40),
            "it read through a pointer that is null or nearly null, at 0x40 to 0x40");
}

TEST(DeviceFault, NamesUnfinishedKernels) {
  LossContext context;
  EXPECT_EQ(unfinishedText("", context), "");
  context.kernels = {"add"};
  context.oldest = std::chrono::milliseconds(100);
  EXPECT_EQ(unfinishedText("", context), "kernel 'add' was not done");
  context.kernels = {"a", "b", "c", "d", "e", "f", "g"};
  EXPECT_EQ(unfinishedText("", context),
            "kernels 'a', 'b', 'c', 'd', 'e' and 2 more were not done");
}

TEST(DeviceFault, RecognizesTimeOuts) {
  LossContext context;
  context.kernels = {"add"};
  context.oldest = std::chrono::milliseconds(10'100);
  EXPECT_EQ(
      unfinishedText("GPU Timeout on ring 3", context),
      "kernel 'add' was not done; that is a time-out of the GPU, after 10.1 s: drivers reset a "
      "GPU whose work takes seconds; launch it in smaller parts");
  EXPECT_EQ(
      unfinishedText("", context),
      "kernel 'add' was not done; it looks like a time-out of the GPU, after 10.1 s without a "
      "bad address: drivers reset a GPU whose work takes seconds; launch it in smaller parts");
  EXPECT_EQ(unfinishedText("it read at 0x10 to 0x20", context), "kernel 'add' was not done");
}

} // namespace
} // namespace pumice::vulkan
