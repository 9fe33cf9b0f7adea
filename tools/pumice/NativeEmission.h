//===- NativeEmission.h - pumice compile: SPIR-V as native code -------------===//
#pragma once

#include "support/Status.h"

#include <string>
#include <vector>

namespace pumice::tools {

/// What `--emit` can ask of a SPIR-V module besides an executable: llvm-mlir, llvm-ir, asm, native.
bool isNativeEmission(const std::string &emit);

struct NativeEmission {
  std::string input, output, emit, entryPoint; // output: empty or "-" is standard output
  std::vector<std::string> targets;            // one processor at most; none: this machine
  bool robustAccess = false;                   // accesses stay inside what descriptors bind
};

/// Compiles and writes one kernel. What was said of it goes to standard error.
Status emitNativeCode(const NativeEmission &request);

} // namespace pumice::tools
