//===- StoreSingleLanes.h - round a mistake in LLVM's x86 back end ----------===//
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace pumice::cpu {

/// After all other passes on LLVM IR: masked stores whose constant mask has one lane store that
/// lane.
void storeSingleLanes(llvm::Module &module);

} // namespace pumice::cpu
