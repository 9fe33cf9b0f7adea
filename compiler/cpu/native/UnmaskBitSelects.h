//===- UnmaskBitSelects.h - works around a mistake in LLVM's x86 back end -===//
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace pumice::cpu {

/// Removes every vector select between `x & K | m & ~K` and its own x or m. For these, LLVM 22
/// selects a masked vpternlog with the wrong table. Does nothing unless `machine` has AVX-512. Must
/// be the last pass on IR, because the usual passes would bring the form back.
void unmaskBitSelects(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace pumice::cpu
