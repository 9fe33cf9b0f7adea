//===- SourceFile.h - reading what shall be compiled ------------------------===//
#pragma once

#include "support/Status.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pumice {

/// MLIR's text takes many times its size in memory once it is read.
inline constexpr uint64_t mostSourceBytes = uint64_t(256) << 20;

/// As pumice::readInput: "-" is standard input. Errors: NotFound, with the system's words;
/// InvalidArgument for devices; ResourceExhausted for more than `most` bytes.
Result<std::unique_ptr<llvm::MemoryBuffer>> readSource(const std::string &path,
                                                       uint64_t most = mostSourceBytes);

} // namespace pumice
