//===- LibraryCalls.h - what LLVM calls where an instruction is missing -----===//
// Where a processor cannot convert f16 or bf16, fuse a multiplication and an addition, or take a
// minimum, LLVM calls functions of C's libraries. Native code brings its own: not every process has
// them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace pumice::cpu {

/// Returns the undefined symbols of an ELF file, sorted. Returns nothing for other files.
std::vector<std::string> undefinedSymbols(llvm::StringRef file);

/// Returns whether every process that loads native code has the symbol. These are C's memory
/// functions, its clock, and libm's 64-bit `fma`, which only x86-64-v2 uses.
bool everyProcessHas(llvm::StringRef symbol);

/// A module of hidden functions with those of `symbols` that there are; null where there is none.
std::unique_ptr<llvm::Module> libraryCalls(llvm::LLVMContext &context,
                                           const std::vector<std::string> &symbols);

} // namespace pumice::cpu
