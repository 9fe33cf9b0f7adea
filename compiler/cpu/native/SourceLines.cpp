//===- SourceLines.cpp - finds the source line of native instructions -------===//
#include "compiler/cpu/native/SourceLines.h"

#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"

std::string pumice::cpu::sourceLineOf(llvm::StringRef sharedObject, uint64_t address) {
  auto file =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(sharedObject, "native"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  std::unique_ptr<llvm::DWARFContext> debug = llvm::DWARFContext::create(
      **file, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
  using Names = llvm::DILineInfoSpecifier;
  std::optional<llvm::DILineInfo> line = debug->getLineInfoForAddress(
      {address}, Names(Names::FileLineInfoKind::AbsoluteFilePath, Names::FunctionNameKind::None));
  if (!line || line->Line == 0 || line->FileName == llvm::DILineInfo::BadString)
    return {};
  return line->FileName + ":" + std::to_string(line->Line) + ":" + std::to_string(line->Column);
}
