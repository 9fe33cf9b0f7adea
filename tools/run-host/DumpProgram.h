//===- DumpProgram.h - writes every stage of a program to files -------------===//
//   DIR/source.mlir, host.mlir      the input; the same with launches matched and bodies outlined.
//   DIR/kernels-FILE.mlir           the kernels of each file.
//   DIR/KERNEL.spv, .spvasm         their code for the device.
//   DIR/FILE.pumice                 the executable.
//   DIR/native/                     the CPU device's code for kernels (DumpNative.h).
//   DIR/host-llvm.mlir, host.ll, host-optimized.ll    the host code in three stages.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/host/Program.h"

#include <string>

namespace pumice::run {

class DumpProgram {
public:
  /// Writes nothing if `folder` is empty.
  explicit DumpProgram(std::string folder) : folder(std::move(folder)) {}
  bool wanted() const { return !folder.empty(); }

  Status text(const std::string &name, llvm::StringRef contents);
  Status module(const std::string &name, mlir::ModuleOp module);
  Status kernels(const std::vector<host::Kernel> &kernels);

private:
  Status code(const std::string &name, std::span<const uint8_t> spirv);

  std::string folder;
};

} // namespace pumice::run
