//===- NativeModule.cpp - loads and checks a native kernel ------------------===//
#include "runtime/drivers/cpu/NativeModule.h"

#include "runtime/drivers/cpu/Describe.h"
#include "runtime/hal/Choose.h"

#include <algorithm>

namespace pumice::cpu_driver {
namespace {

Status corrupt(std::string why) {
  return Status(StatusCode::DataCorrupt,
                "the native code describes its kernel wrongly: " + std::move(why));
}

constexpr uint64_t mostScratch = uint64_t{1} << 32;
constexpr uint64_t mostProgram = uint64_t{1} << 40;
constexpr uint32_t mostBindings = 1u << 16, mostLanes = 1024;

Status checkProgram(const executable::NativeKernelInfo &info) {
  uint64_t bytes = info.programBytes, image = info.programImageBytes;
  if (bytes > mostProgram)
    return corrupt(std::to_string(bytes) + " bytes of variables; at most " +
                   std::to_string(mostProgram) + " are supported");
  if (image > bytes || (image && !info.programImage))
    return corrupt(std::to_string(image) + " bytes of initial values for " + std::to_string(bytes) +
                   " bytes of variables");
  uint64_t count = info.programAddressCount;
  if (count > image / sizeof(uint64_t) || (count && !info.programAddresses))
    return corrupt(std::to_string(count) + " addresses in " + std::to_string(image) +
                   " bytes of initial values");
  for (uint64_t i = 0; i < count; ++i)
    if (info.programAddresses[i].offset > image - sizeof(uint64_t))
      return corrupt("an address at byte " + std::to_string(info.programAddresses[i].offset) +
                     " of " + std::to_string(image) + " bytes of initial values");
  return Status::ok();
}

} // namespace

Status checkInfo(const executable::NativeKernelInfo &info) {
  if (info.version < executable::oldestNativeCode || info.version > executable::nativeCodeVersion)
    return Status(StatusCode::Unsupported,
                  "the native code is of version " + std::to_string(info.version) +
                      "; this driver runs versions " +
                      std::to_string(executable::oldestNativeCode) + " to " +
                      std::to_string(executable::nativeCodeVersion) + ": compile it again");
  if (!info.run)
    return corrupt("there is no function to run");
  uint32_t lanes = info.subgroupSize;
  if (lanes == 0 || lanes > mostLanes || (lanes & (lanes - 1)))
    return corrupt("subgroups of " + std::to_string(lanes) +
                   " lanes; expected a power of two up to " + std::to_string(mostLanes));
  uint64_t invocations = 1;
  for (uint32_t size : info.workgroupSize) {
    if (size == 0)
      return corrupt("workgroups of size 0 along an axis; expected at least 1");
    invocations = std::min(invocations * size, uint64_t{UINT32_MAX});
  }
  if (invocations > maxWorkgroupInvocations)
    return Status(StatusCode::Unsupported,
                  "the native code has workgroups of " + std::to_string(invocations) +
                      " invocations; at most " + std::to_string(maxWorkgroupInvocations) +
                      " are supported");
  if (info.bindingCount > mostBindings || (info.bindingCount && !info.bindings))
    return corrupt(std::to_string(info.bindingCount) + " bindings; expected a list of at most " +
                   std::to_string(mostBindings));
  constexpr uint64_t mostPrintfs = 1 << 16; // a record has 16 bits for the number of its format
  if (info.printfCount > mostPrintfs || (info.printfCount && !info.printfs))
    return corrupt(std::to_string(info.printfCount) +
                   " printf formats; expected a list of at most " + std::to_string(mostPrintfs));
  if (info.workgroupMemoryBytes > maxWorkgroupMemoryBytes)
    return Status(StatusCode::Unsupported,
                  "the native code has " + std::to_string(info.workgroupMemoryBytes) +
                      " bytes of workgroup memory; at most " +
                      std::to_string(maxWorkgroupMemoryBytes) + " are supported");
  if (info.scratchBytes > mostScratch)
    return corrupt(std::to_string(info.scratchBytes) + " bytes of scratch memory; at most " +
                   std::to_string(mostScratch) + " are supported");
  if (info.pushConstantBytes > maxPushConstantBytes)
    return Status(StatusCode::Unsupported,
                  "the native code has " + std::to_string(info.pushConstantBytes) +
                      " bytes of push constants; at most " + std::to_string(maxPushConstantBytes) +
                      " are supported");
  if (info.version >= executable::nativeCodeWithGroupPlace &&
      info.groupPlace != executable::noGroupPlace &&
      (info.groupPlace % 8 != 0 || info.scratchBytes < 8 ||
       info.groupPlace > info.scratchBytes - 8))
    return corrupt("the workgroup's number at byte " + std::to_string(info.groupPlace) + " of " +
                   std::to_string(info.scratchBytes) +
                   " bytes of scratch memory; expected a multiple of 8 inside it");
  return info.version < executable::nativeCodeWithProgram ? Status::ok() : checkProgram(info);
}

/// Checks the processor. Older code does not name its processor, and is accepted.
static Status checkProcessor(const CodeImage &image, std::string_view architecture) {
  auto *wanted = static_cast<const char *>(image.symbol(executable::nativeProcessorSymbol));
  if (!wanted || hal::runsArchitecture(architecture, wanted))
    return Status::ok();
  std::string own(architecture);
  return Status(StatusCode::Unsupported, std::string("the native code needs ") + wanted +
                                             ", this device runs " + own + ": compile it for " +
                                             own + ", or load SPIR-V");
}

Result<Ref<NativeModule>> NativeModule::load(std::span<const uint8_t> bytes, std::string_view name,
                                             std::string_view architecture) {
  PUMICE_TRY(CodeImage image, CodeImage::load(bytes, name));
  auto *info =
      static_cast<const executable::NativeKernelInfo *>(image.symbol(executable::nativeInfoSymbol));
  if (!info)
    return Status(StatusCode::DataCorrupt, std::string("the native code has no '") +
                                               executable::nativeInfoSymbol +
                                               "': it is not a kernel");
  PUMICE_RETURN_IF_ERROR(checkProcessor(image, architecture));
  PUMICE_RETURN_IF_ERROR(checkInfo(*info));
  return Ref<NativeModule>::adopt(new NativeModule(std::move(image), info));
}

} // namespace pumice::cpu_driver
