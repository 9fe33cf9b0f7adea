//===- NativeInfo.h - what a native kernel says of itself -------------------===//
#pragma once

#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace pumice::cpu {

/// On the kernel's llvm.func, a dictionary: `subgroup_size`, `workgroup_size` (array<i32>),
/// `shared_bytes`, `scratch_bytes`, `push_constant_bytes` (i64), `bindings` (array<i32>: set,
/// binding and element of each, one after the other).
inline constexpr char nativeInfoAttrName[] = "native.info";

/// Adds the exported NativeKernelInfo (executable/NativeCode.h) of the one kernel.
Status addNativeInfo(mlir::ModuleOp module, llvm::Module &code);

} // namespace pumice::cpu
