//===- SourceFile.h - reads a source file -----------------------------------===//
#pragma once

#include "support/Status.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace pumice {

/// The largest source. After parsing, MLIR text takes many times its size in memory.
inline constexpr uint64_t mostSourceBytes = uint64_t(256) << 20;

/// Reads like pumice::readInput: "-" is standard input. Errors: NotFound, with the system's
/// message, InvalidArgument for devices, and ResourceExhausted for more than `most` bytes.
Result<std::unique_ptr<llvm::MemoryBuffer>> readSource(const std::string &path,
                                                       uint64_t most = mostSourceBytes);

} // namespace pumice
