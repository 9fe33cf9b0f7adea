//===- ModuleNeeds.cpp - checks a module's declarations against a device ----===//
#include "runtime/hal/ModuleNeeds.h"

#include "executable/FieldPath.h"
#include "executable/SpirvNeeds.h"

#include <algorithm>
#include <set>

using namespace pumice::executable;

namespace pumice::hal {
namespace {

bool holds(std::string_view words, std::string_view wanted) {
  return std::ranges::any_of(splitWords(words), [&](auto word) { return word == wanted; });
}

bool hasCapability(const DeviceInfo &device, std::string_view capability) {
  return isAlwaysThere(capability) ||
         std::ranges::any_of(allFeatures(),
                             [&](const FeatureInfo &info) {
                               return device.features.contains(info.name) &&
                                      holds(info.capabilities, capability);
                             }) ||
         std::ranges::any_of(allSubgroupOperations(),
                             [&](const SubgroupOperationInfo &info) {
                               return info.capability == capability &&
                                      (device.subgroupOperations & info.bit);
                             }) ||
         std::ranges::any_of(allExtensions(), [&](const ExtensionInfo &info) {
           return holds(info.capabilities, capability) && device.hasExtension(info.name);
         });
}

/// Returns whether the device supports a SPIR-V extension. If no table lists the extension, it
/// either comes with the capabilities that it defines, or requires nothing.
bool hasSpirvExtension(const DeviceInfo &device, std::string_view extension) {
  bool known = false;
  for (const ExtensionInfo &info : allExtensions())
    if (info.spirvExtension == extension) {
      known = true;
      if (device.hasExtension(info.name))
        return true;
    }
  return !known;
}

/// Returns whether the module has an array of descriptors without a length. The capability does not
/// show this, because glslang declares RuntimeDescriptorArray for any runtime array of a block by
/// reference.
bool hasOpenDescriptorArrays(const SpirvWords &module) {
  std::set<uint32_t> arrays, pointers;
  for (SpirvInstruction instruction : module) {
    uint32_t opcode = instruction.opcode();
    if (opcode == spirv::OpTypeRuntimeArray)
      arrays.insert(instruction.operand(0));
    else if (opcode == spirv::OpTypePointer && arrays.contains(instruction.operand(2)))
      pointers.insert(instruction.operand(0));
    else if (opcode == spirv::OpVariable && pointers.contains(instruction.operand(0)))
      return true;
  }
  return false;
}

/// Returns a text such as "the capability Float64 (shaderFloat64)".
std::string describeCapability(uint32_t number, std::string_view name) {
  if (name.empty())
    return concat("the capability ", number, " (none that Pumice knows)");
  std::string bringers = whatBringsCapability(name);
  return concat("the capability ", name, " (",
                bringers.empty() ? "nothing that Pumice enables provides it" : bringers, ")");
}

} // namespace

Status meetsModule(const DeviceInfo &device, const SpirvWords &module) {
  std::string missing;
  auto add = [&](const std::string &what) { missing += (missing.empty() ? "" : "; ") + what; };
  uint32_t version = module.headerWord(1), major = version >> 16 & 0xff,
           minor = version >> 8 & 0xff;
  uint32_t newest = newestSpirvMinor(device.versionMajor, device.versionMinor,
                                     device.extensions.contains("VK_KHR_spirv_1_4"));
  if (major != 1 || minor > newest)
    add(concat("SPIR-V ", major, ".", minor, " (Vulkan ", device.versionMajor, ".",
               device.versionMinor, " takes up to 1.", newest, ")"));
  for (SpirvInstruction instruction : module) {
    // Capabilities come first in a module, and then extensions. No other instructions matter here.
    if (instruction.opcode() == spirv::OpCapability) {
      uint32_t number = instruction.operand(0);
      std::string_view name = capabilityName(number);
      if (name.empty() || (!hasCapability(device, name) &&
                           (name != "RuntimeDescriptorArray" || hasOpenDescriptorArrays(module))))
        add(describeCapability(number, name));
      continue;
    }
    std::string_view extension;
    if (instruction.opcode() != spirv::OpExtension)
      break;
    if (instruction.text(0, extension) && !hasSpirvExtension(device, extension))
      add(concat("the SPIR-V extension ", extension, " (", whatBringsSpirvExtension(extension),
                 ")"));
  }
  if (missing.empty())
    return Status::ok();
  return Status(StatusCode::Unsupported, concat("the module needs what ", device.name, " (",
                                                device.id, ") lacks: ", missing));
}

} // namespace pumice::hal
