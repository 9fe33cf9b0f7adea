//===- NativeEmission.h - pumice compile: SPIR-V as native code -------------===//
#pragma once

#include "support/Status.h"

#include <string>
#include <vector>

namespace pumice::tools {

/// Returns whether `--emit` names native code of a SPIR-V module: llvm-mlir, llvm-ir, asm, native.
bool isNativeEmission(const std::string &emit);

struct NativeEmission {
  std::string input, output, emit, entryPoint; // output: empty or "-" is standard output
  std::vector<std::string> targets;            // one processor at most; none: this machine
  bool robustAccess = false;                   // accesses stay inside the bound descriptors
};

/// Compiles and writes one kernel. Diagnostics go to the standard error.
Status emitNativeCode(const NativeEmission &request);

} // namespace pumice::tools
