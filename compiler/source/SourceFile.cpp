//===- SourceFile.cpp - reads a source file ---------------------------------===//
#include "compiler/source/SourceFile.h"

#include "support/Platform.h"

namespace pumice {

Result<std::unique_ptr<llvm::MemoryBuffer>> readSource(const std::string &path, uint64_t most) {
  std::string bytes;
  PUMICE_RETURN_IF_ERROR(readInput(path, most, [&](std::string_view part) { bytes += part; }));
  return llvm::MemoryBuffer::getMemBufferCopy(bytes, path == "-" ? "<stdin>" : path);
}

} // namespace pumice
