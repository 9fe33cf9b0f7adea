//===- DeviceFault.cpp - why a device was lost ------------------------------===//
#include "runtime/drivers/vulkan/DeviceFault.h"

#include "runtime/drivers/vulkan/Call.h"
#include "support/EnglishText.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <vector>

namespace pumice::vulkan {
namespace {

/// Drivers place no buffer below this address, so an address below it comes from a null pointer.
constexpr uint64_t nullEnd = 64u << 10;

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

bool isAccess(VkDeviceFaultAddressTypeEXT type) {
  return type == VK_DEVICE_FAULT_ADDRESS_TYPE_READ_INVALID_EXT ||
         type == VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT;
}

/// Returns a driver's text in an array of fixed size. The terminating zero may be missing.
template <size_t Size> std::string textOf(const char (&text)[Size]) {
  return {text, std::find(text, text + Size, 0)};
}

void append(std::string &text, const std::string &part) {
  if (!part.empty())
    text += (text.empty() ? "" : "; ") + part;
}

/// The bytes that an access may have touched. This is a range, because drivers report addresses
/// with limited precision.
struct Touched {
  uint64_t first, last;
};

/// Returns the distance between the ranges, or 0 if they overlap.
uint64_t distance(const Touched &touched, uint64_t address, uint64_t bytes) {
  if (touched.last < address)
    return address - touched.last;
  return touched.first >= address + bytes ? touched.first - (address + bytes) + 1 : 0;
}

std::string bytesBetween(uint64_t low, uint64_t high) {
  return (low == high ? "" : std::to_string(low) + " to ") + counted(high, "byte");
}

/// Returns a text such as "64 bytes past the end of".
std::string placeText(const Touched &touched, uint64_t address, uint64_t bytes) {
  uint64_t end = address + bytes;
  if (touched.last < address)
    return bytesBetween(address - touched.last, address - touched.first) + " before";
  if (touched.first >= end)
    return bytesBetween(touched.first - end, touched.last - end) + " past the end of";
  if (touched.last >= end) // accesses inside the buffer cannot cause a fault
    return "up to " + counted(touched.last - end, "byte") + " past the end of";
  return "within";
}

const Suspect *nearestSuspect(const Touched &touched, bool writes, const LossContext &context) {
  const Suspect *best = nullptr;
  auto rank = [&](const Suspect &one) {
    return std::pair(distance(touched, one.address, one.bytes), one.isWritten != writes);
  };
  for (const Suspect &one : context.suspects)
    if (one.address != 0 && (!best || rank(one) < rank(*best)))
      best = &one;
  return best;
}

/// If an argument is known, returns a text such as "kernel 'add', argument 'x': it wrote 64 bytes
/// past the end of its storage of 4096 bytes".
std::string whose(const Touched &touched, VkDeviceFaultAddressTypeEXT type,
                  const LossContext &context) {
  if (!isAccess(type))
    return "";
  const char *did = nameOf(type);
  bool isNull = touched.first < nullEnd;
  if (isNull && context.kernels.size() == 1)
    return "kernel '" + context.kernels[0] + "': " + did +
           " through a pointer that is null or nearly null";
  if (isNull)
    return std::string(did) + " through a pointer that is null or nearly null";
  bool writes = type == VK_DEVICE_FAULT_ADDRESS_TYPE_WRITE_INVALID_EXT;
  const Suspect *near = nearestSuspect(touched, writes, context);
  if (!near)
    return "";
  uint64_t far = distance(touched, near->address, near->bytes);
  std::string text = "kernel '" + near->kernel + "'" +
                     (near->argument.empty() ? "" : ", argument '" + near->argument + "'") + ": " +
                     did + " " + placeText(touched, near->address, near->bytes) +
                     " its storage of " + counted(near->bytes, "byte");
  auto nearer = std::ranges::find_if(context.buffers, [&](const AddressRange &other) {
    return distance(touched, other.address, other.bytes) < far;
  });
  if (nearer != context.buffers.end())
    text += " (" + placeText(touched, nearer->address, nearer->bytes) + " another buffer of " +
            counted(nearer->bytes, "byte") + ")";
  return text;
}

bool speaksOfTime(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const char *word : {"timeout", "time-out", "timed out", "watchdog", "tdr", "hang", "hung"})
    if (text.find(word) != std::string::npos)
      return true;
  return false;
}

} // namespace

std::string faultText(const VkDeviceFaultInfoEXT &info, uint32_t addresses, uint32_t vendors,
                      const LossContext &context) {
  std::string text = textOf(info.description);
  char line[96];
  for (uint32_t i = 0; i < addresses; ++i) {
    const VkDeviceFaultAddressInfoEXT &at = info.pAddressInfos[i];
    if (at.addressType == VK_DEVICE_FAULT_ADDRESS_TYPE_NONE_EXT)
      continue;
    // The driver reports the address rounded to its precision, which is a power of two.
    uint64_t precision = at.addressPrecision ? at.addressPrecision : 1;
    Touched touched{at.reportedAddress & ~(precision - 1), at.reportedAddress | (precision - 1)};
    std::string told = whose(touched, at.addressType, context);
    std::snprintf(line, sizeof line, "%s at 0x%" PRIx64 " to 0x%" PRIx64,
                  told.empty() ? nameOf(at.addressType) : ",", touched.first, touched.last);
    append(text, told + line);
  }
  for (uint32_t i = 0; i < vendors; ++i) {
    const VkDeviceFaultVendorInfoEXT &own = info.pVendorInfos[i];
    std::snprintf(line, sizeof line, " (code 0x%" PRIx64 ", 0x%" PRIx64 ")", own.vendorFaultCode,
                  own.vendorFaultData);
    append(text, textOf(own.description) + line);
  }
  return text;
}

std::string unfinishedText(const std::string &fault, const LossContext &context) {
  constexpr size_t most = 5;
  constexpr std::chrono::duration<double> shortestWatchdog{1.5}; // drivers usually wait 2 to 10 s
  std::string text;
  for (size_t i = 0; i < context.kernels.size() && i < most; ++i)
    text += (i ? ", '" : "'") + context.kernels[i] + "'";
  if (context.kernels.size() > most)
    text += " and " + std::to_string(context.kernels.size() - most) + " more";
  if (!text.empty())
    text = (context.kernels.size() == 1 ? "kernel " : "kernels ") + text +
           (context.kernels.size() == 1 ? " was" : " were") + " not done";
  bool told = speaksOfTime(fault);
  bool likely = fault.find(" at 0x") == std::string::npos && context.oldest > shortestWatchdog;
  if (!told && !likely)
    return text;
  char line[160];
  std::snprintf(line, sizeof line,
                "%s after %.1f s%s: drivers reset a GPU whose work takes seconds; launch it in "
                "smaller parts",
                told ? "that is a time-out of the GPU," : "it looks like a time-out of the GPU,",
                std::max(context.oldest.count(), 0.0), told ? "" : " without a bad address");
  append(text, line);
  return text;
}

std::string describeFault(const VolkDeviceTable &vk, VkDevice device, const LossContext &context) {
  VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
  if (PUMICE_VK(vk., vkGetDeviceFaultInfoEXT, device, &counts, nullptr) != VK_SUCCESS)
    return {};
  std::vector<VkDeviceFaultAddressInfoEXT> addresses(counts.addressInfoCount);
  std::vector<VkDeviceFaultVendorInfoEXT> vendors(counts.vendorInfoCount);
  counts.vendorBinarySize = 0; // skips the dump, which is for tools of the vendor
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  info.pAddressInfos = addresses.data();
  info.pVendorInfos = vendors.data();
  VkResult result = PUMICE_VK(vk., vkGetDeviceFaultInfoEXT, device, &counts, &info);
  // VK_INCOMPLETE: the dump had no room.
  if (result != VK_SUCCESS && result != VK_INCOMPLETE)
    return {};
  return faultText(info, std::min<uint32_t>(counts.addressInfoCount, addresses.size()),
                   std::min<uint32_t>(counts.vendorInfoCount, vendors.size()), context);
}

} // namespace pumice::vulkan
