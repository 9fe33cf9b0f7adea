//===- NativeModule.h - loads and checks a native kernel ------------------===//
#pragma once

#include "executable/NativeCode.h"
#include "runtime/drivers/cpu/HostCpu.h"
#include "support/CodeImage.h"
#include "support/Ref.h"

namespace pumice::cpu_driver {

/// A shared object that stays loaded while the module lives.
class NativeModule final : public RefCounted {
public:
  /// `name` is the name for profilers. Rejects code for processors that a machine of `architecture`
  /// is not, since it would end the process. Errors: DataCorrupt, Unsupported.
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

/// Checks what a kernel says about itself. Errors: DataCorrupt, Unsupported.
Status checkInfo(const executable::NativeKernelInfo &info);

} // namespace pumice::cpu_driver
