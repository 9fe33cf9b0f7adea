//===- NativeInfo.h - information that a native kernel exports --------------===//
#pragma once

#include "support/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace pumice::cpu {

/// Adds the exported NativeKernelInfo (executable/NativeCode.h) of the only kernel, an llvm.func
/// with the attributes that pumice-lanes-to-simd leaves (docs/cpu-compiler.md). The module also
/// records the least capable processor that can run the code, for example "x86-64-v3".
Status addNativeInfo(mlir::ModuleOp module, llvm::StringRef processor, llvm::Module &code);

} // namespace pumice::cpu
