//===- LibraryCalls.h - library functions for missing instructions ----------===//
// A processor may lack instructions that convert f16 or bf16, fuse a multiplication and an
// addition, or take a minimum. LLVM then calls functions of C libraries. Native code contains these
// functions, because not every process provides them.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class Triple;
} // namespace llvm

namespace pumice::cpu {

/// Returns the undefined symbols of an object file or a linked library in sorted order, and nothing
/// for other files. The names are those of C: Mach-O's underscores are left out.
std::vector<std::string> undefinedSymbols(llvm::StringRef file);

/// Returns the functions that every process has which loads native code for `system`. These are C's
/// memory functions, clocks, and the 64-bit `fma` of libm, which only x86-64-v2 uses.
llvm::ArrayRef<llvm::StringLiteral> functionsOf(const llvm::Triple &system);
/// Returns whether any of the systems has the function.
bool everyProcessHas(llvm::StringRef symbol);

/// Returns a module with hidden definitions of those `symbols` that are available, or null if there
/// are none. `__chkstk_ms`, which touches the pages of large stack frames on Windows, is assembly.
std::unique_ptr<llvm::Module> libraryCalls(llvm::LLVMContext &context,
                                           const std::vector<std::string> &symbols);

} // namespace pumice::cpu
