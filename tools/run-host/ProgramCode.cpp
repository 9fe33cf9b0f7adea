//===- ProgramCode.cpp - finds the code of a host program in memory ---------===//
#include "tools/run-host/ProgramCode.h"

#include <algorithm>
#include <atomic>

using namespace pumice::run;
using llvm::SectionMemoryManager;

static std::atomic<const ProgramCode *> last = nullptr;

ProgramCode::ProgramCode() { last = this; }

ProgramCode::~ProgramCode() {
  const ProgramCode *self = this;
  last.compare_exchange_strong(self, nullptr);
}

const ProgramCode *ProgramCode::current() { return last; }

void ProgramCode::setFunctions(std::vector<std::pair<uintptr_t, std::string>> named) {
  std::ranges::sort(named);
  functions = std::move(named);
}

bool ProgramCode::isIn(const Ranges &ranges, uintptr_t address) {
  return std::ranges::any_of(ranges, [address](const auto &range) {
    return address >= range.first && address < range.second;
  });
}

const char *ProgramCode::functionAt(uintptr_t address) const {
  const char *found = nullptr;
  for (const auto &[begin, name] : functions)
    if (begin <= address)
      found = name.c_str();
  return found;
}

llvm::sys::MemoryBlock
ProgramCode::allocateMappedMemory(SectionMemoryManager::AllocationPurpose purpose, size_t bytes,
                                  const llvm::sys::MemoryBlock *near, unsigned flags,
                                  std::error_code &error) {
  llvm::sys::MemoryBlock block = llvm::sys::Memory::allocateMappedMemory(bytes, near, flags, error);
  auto begin = reinterpret_cast<uintptr_t>(block.base());
  std::pair range{begin, begin + block.allocatedSize()};
  if (purpose == SectionMemoryManager::AllocationPurpose::Code)
    code.push_back(range);
  else if (purpose == SectionMemoryManager::AllocationPurpose::ROData)
    constants.push_back(range);
  return block;
}

std::error_code ProgramCode::protectMappedMemory(const llvm::sys::MemoryBlock &block,
                                                 unsigned flags) {
  return llvm::sys::Memory::protectMappedMemory(block, flags);
}

std::error_code ProgramCode::releaseMappedMemory(llvm::sys::MemoryBlock &block) {
  return llvm::sys::Memory::releaseMappedMemory(block);
}
