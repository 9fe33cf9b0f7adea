//===- StoreSingleLanes.h - works around an LLVM bug in x86 stores ----------===//
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pumice::cpu {

/// Replaces each masked store with a constant mask of one lane by a store of that lane. Must run
/// after all other passes on LLVM IR.
void storeSingleLanes(llvm::Module &module);

} // namespace pumice::cpu
