//===- NativeModule.h - a native kernel, loaded and looked over --------------===//
#pragma once

#include "executable/NativeCode.h"
#include "runtime/drivers/cpu/HostCpu.h"
#include "support/CodeImage.h"
#include "support/Ref.h"

namespace pumice::cpu_driver {

/// Loaded while someone holds it.
class NativeModule final : public RefCounted {
public:
  /// `name` is what profilers call it. Code for a processor that a machine of `architecture` is not
  /// would end the process: it is refused. Errors: DataCorrupt, Unsupported.
  static Result<Ref<NativeModule>> load(std::span<const uint8_t> bytes, std::string_view name,
                                        std::string_view architecture = hostCpu().architecture);

  const executable::NativeKernelInfo &info() const { return *kernel; }
  const CodeImage &code() const { return image; }

private:
  NativeModule(CodeImage image, const executable::NativeKernelInfo *kernel)
      : image(std::move(image)), kernel(kernel) {}

  CodeImage image;
  const executable::NativeKernelInfo *kernel; // in the image
};

/// Ok where a kernel says of itself what a kernel can be. Errors: DataCorrupt, Unsupported.
Status checkInfo(const executable::NativeKernelInfo &info);

} // namespace pumice::cpu_driver
