//===- DumpNative.h - writes the CPU device's code to files -----------------===//
// Writes these files into DIR/native:
//   KERNEL.llvm.mlir   a kernel compiled from SPIR-V, in LLVM's dialect.
//   KERNEL.ll          the same as LLVM's optimized IR.
//   KERNEL.s           the same as this processor's instructions.
//   KERNEL.so          native code that came with an executable.
//===-------------------------------------------------------------------------===//
#pragma once

#include "runtime/hal/Device.h"
#include "tools/run/Files.h"

namespace pumice::run {

class DumpNative {
public:
  /// Writes nothing if `folder` is empty.
  explicit DumpNative(const std::string &folder) : folder(folder) {}
  /// Writes each kernel of `device` from here on, if it is Pumice's CPU device.
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
