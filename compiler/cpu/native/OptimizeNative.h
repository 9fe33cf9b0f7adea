//===- OptimizeNative.h - LLVM's passes over a kernel's IR ------------------===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pumice::cpu {

/// Runs the passes of LLVM that kernels gain from. At `level` 0 none but those that code generation
/// asks for.
void optimizeNative(llvm::Module &module, llvm::TargetMachine &machine, unsigned level);

} // namespace pumice::cpu
