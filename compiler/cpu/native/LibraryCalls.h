//===- LibraryCalls.h - library functions for missing instructions --------===//
// A processor may lack instructions to convert f16 or bf16, to fuse a multiplication and an
// addition, or to take a minimum. LLVM then calls functions of C libraries. Native code includes
// these functions, since not every process has them.
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

/// Returns a module of hidden functions for those of `symbols` that are available, or null if none
/// is.
std::unique_ptr<llvm::Module> libraryCalls(llvm::LLVMContext &context,
                                           const std::vector<std::string> &symbols);

} // namespace pumice::cpu
