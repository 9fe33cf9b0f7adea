//===- NativeModule.h - loads and checks a native kernel --------------------===//
#pragma once

#include "executable/NativeCode.h"
#include "runtime/drivers/cpu/HostCpu.h"
#include "support/CodeImage.h"
#include "support/Ref.h"

namespace pumice::cpu_driver {

/// A shared object that stays loaded as long as this object exists.
class NativeModule final : public RefCounted {
public:
  /// Profilers show `name`. Rejects code that a machine of `architecture` cannot run, because the
  /// code would end the process. Errors: DataCorrupt, Unsupported.
  static Result<Ref<NativeModule>> load(std::span<const uint8_t> bytes, std::string_view name,
                                        std::string_view architecture = hostCpu().architecture);

  const executable::NativeKernelInfo &info() const { return *kernel; }
  const CodeImage &code() const { return image; }

private:
  NativeModule(CodeImage image, const executable::NativeKernelInfo *kernel)
      : image(std::move(image)), kernel(kernel) {}

  CodeImage image;
  const executable::NativeKernelInfo *kernel; // part of the loaded image
};

/// Checks what the code of a kernel states about itself. Errors: DataCorrupt, Unsupported.
Status checkInfo(const executable::NativeKernelInfo &info);

} // namespace pumice::cpu_driver
