//===- SourceFile.cpp - reading what shall be compiled ----------------------===//
#include "compiler/SourceFile.h"

#include "llvm/Support/FileSystem.h"

namespace pumice {
namespace {

constexpr size_t partBytes = size_t(1) << 20;

Status cannotRead(const std::string &path, const std::error_code &error) {
  return Status(StatusCode::NotFound, "cannot read '" + path + "': " + error.message());
}

} // namespace

Result<std::unique_ptr<llvm::MemoryBuffer>> readSource(const std::string &path, uint64_t most) {
  namespace fs = llvm::sys::fs;
  fs::file_t file = fs::getStdinHandle();
  bool isStdin = path == "-";
  if (!isStdin) {
    llvm::Expected<fs::file_t> opened = fs::openNativeFileForRead(path);
    if (!opened)
      return cannotRead(path, llvm::errorToErrorCode(opened.takeError()));
    file = *opened;
  }
  // Neither a pipe nor a device tells its size.
  llvm::SmallVector<char, 0> bytes;
  std::error_code failed;
  for (size_t got = 1; got > 0 && !failed && bytes.size() <= most;) {
    size_t before = bytes.size();
    bytes.resize_for_overwrite(before + partBytes);
    llvm::Expected<size_t> read = fs::readNativeFile(file, {bytes.data() + before, partBytes});
    if (!read)
      failed = llvm::errorToErrorCode(read.takeError());
    got = read ? *read : 0;
    bytes.truncate(before + got);
  }
  if (!isStdin)
    (void)fs::closeFile(file);
  if (failed)
    return cannotRead(path, failed);
  if (bytes.size() > most)
    return Status(StatusCode::ResourceExhausted, "cannot read '" + path + "': it has more than " +
                                                     std::to_string(most) +
                                                     " bytes, the most that is read");
  return llvm::MemoryBuffer::getMemBufferCopy({bytes.data(), bytes.size()},
                                              isStdin ? "<stdin>" : path);
}

} // namespace pumice
