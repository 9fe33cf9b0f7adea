//===- GroupFunctions.h - OpenCL C's barriers and copies of groups ----------===//
#pragma once

namespace llvm {
class Module;
}

namespace pumice::opencl {

/// Replaces functions that LLVM 22's SPIR-V backend leaves as calls, or compiles wrongly, by
/// functions that stand for instructions of SPIR-V: fences, barriers of subgroups and barriers with
/// a scope, copies by workgroups, casts of generic pointers, and `any` and `all`.
void expandGroupFunctions(llvm::Module &module);

} // namespace pumice::opencl
