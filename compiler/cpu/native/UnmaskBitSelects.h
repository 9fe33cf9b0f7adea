//===- UnmaskBitSelects.h - works around an LLVM bug in x86 bit selects -----===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pumice::cpu {

/// Rewrites every vector select between `x & K | m & ~K` and x or m, because LLVM 22 selects a
/// masked vpternlog with a wrong table for it. Does nothing unless `machine` has AVX-512. Must be
/// the last pass on IR, because the usual passes would restore this form.
void unmaskBitSelects(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace pumice::cpu
