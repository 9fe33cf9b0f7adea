//===- UnmaskBitSelects.h - round a mistake in LLVM's x86 back end ----------===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pumice::cpu {

/// After it no vector select chooses between `x & K | m & ~K` and its own x or m, for which LLVM 22
/// selects a masked vpternlog with the wrong table. Does nothing unless `machine` has AVX-512. To
/// be the last of the passes on IR: the usual ones would bring the form back.
void unmaskBitSelects(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace pumice::cpu
