//===- LibraryCalls.h - library functions for missing instructions ----------===//
// A processor may lack instructions that convert f16 or bf16, fuse a multiplication and an
// addition, or take a minimum. LLVM then calls functions of C libraries. Native code contains these
// functions, because not every process provides them.
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

/// Returns the undefined symbols of an ELF file in sorted order, and nothing for other files.
std::vector<std::string> undefinedSymbols(llvm::StringRef file);

/// Returns whether every process that loads native code has the symbol. This holds for C's memory
/// functions, its clock, and the 64-bit `fma` of libm, which only x86-64-v2 uses.
bool everyProcessHas(llvm::StringRef symbol);

/// Returns a module with hidden definitions of those `symbols` that are available, or null if there
/// are none.
std::unique_ptr<llvm::Module> libraryCalls(llvm::LLVMContext &context,
                                           const std::vector<std::string> &symbols);

} // namespace pumice::cpu
