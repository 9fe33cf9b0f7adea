//===- SourceLines.h - which line an instruction of native code comes from ---===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace pumice::cpu {

/// Returns "file:line:column" of the instruction at `address` of a shared object, by its debug
/// information; "" where there is none for it, or the bytes are no shared object.
std::string sourceLineOf(llvm::StringRef sharedObject, uint64_t address);

} // namespace pumice::cpu
