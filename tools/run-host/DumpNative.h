//===- DumpNative.h - what the CPU device makes of kernels, as files --------===//
//   DIR/native/KERNEL.llvm.mlir, .ll, .s      of SPIR-V: in LLVM's dialect, LLVM's optimized IR,
//   and
//                                             this processor's instructions
//   DIR/native/KERNEL.so                      native code that came with an executable
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"
#include "tools/run/Files.h"

namespace pumice::run {

class DumpNative {
public:
  /// An empty folder: nothing is written.
  explicit DumpNative(const std::string &folder) : folder(folder) {}
  /// From here on, each kernel of `device` is written, where that is Pumice's CPU device.
  void watch(hal::Device &device);
  /// Returns the error if something could not be written.
  const Status &status() const { return failure; }

private:
  Status write(const hal::KernelSource &source);

  const std::string folder;
  FileNames names;
  Status failure;
};

} // namespace pumice::run
