//===- OptimizeNative.h - LLVM's passes over a kernel's IR ------------------===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pumice::cpu {

/// Runs LLVM passes that improve kernels. At level 0, runs only the passes that code generation
/// requires.
void optimizeNative(llvm::Module &module, llvm::TargetMachine &machine, unsigned level);

} // namespace pumice::cpu
