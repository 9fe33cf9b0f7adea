//===- NativeInfo.h - what a native kernel says of itself -------------------===//
#pragma once

#include "support/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace pumice::cpu {

/// Adds the exported NativeKernelInfo (executable/NativeCode.h) of the one kernel: the llvm.func
/// with the attributes that pumice-lanes-to-simd leaves (docs/cpu-compiler.md). Beside it stands
/// the least processor that runs the code, "x86-64-v3".
Status addNativeInfo(mlir::ModuleOp module, llvm::StringRef processor, llvm::Module &code);

} // namespace pumice::cpu
