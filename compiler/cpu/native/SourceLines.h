//===- SourceLines.h - finds the source line of native instructions ---------===//
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace pumice::cpu {

/// Returns the "file:line:column" of the instruction at `address` in a shared object, from its
/// debug information. Returns "" if the instruction has none, or if the bytes are not a shared
/// object.
std::string sourceLineOf(llvm::StringRef sharedObject, uint64_t address);

} // namespace pumice::cpu
