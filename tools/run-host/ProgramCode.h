//===- ProgramCode.h - the addresses of a host program's code ---------------===//
// The fault handler reads this, so a lookup takes no lock and allocates no memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ExecutionEngine/SectionMemoryManager.h"

#include <memory>
#include <string>
#include <vector>

namespace pumice::run {

/// The memory that a JIT uses for one program, and its functions. `current` is the one made last.
class ProgramCode final : public llvm::SectionMemoryManager::MemoryMapper {
public:
  ProgramCode();
  ~ProgramCode() override;

  /// Sets functions with their start addresses, in any order.
  void setFunctions(std::vector<std::pair<uintptr_t, std::string>> named);

  /// Returns null if no program runs.
  static const ProgramCode *current();
  bool isCode(uintptr_t address) const { return isIn(code, address); }
  bool isConstant(uintptr_t address) const { return isIn(constants, address); }
  /// Returns the function that contains `address`, which is in the code, or null if it is unknown.
  const char *functionAt(uintptr_t address) const;

  llvm::sys::MemoryBlock allocateMappedMemory(llvm::SectionMemoryManager::AllocationPurpose purpose,
                                              size_t bytes, const llvm::sys::MemoryBlock *near,
                                              unsigned flags, std::error_code &error) override;
  std::error_code protectMappedMemory(const llvm::sys::MemoryBlock &block, unsigned flags) override;
  std::error_code releaseMappedMemory(llvm::sys::MemoryBlock &block) override;

private:
  using Ranges = std::vector<std::pair<uintptr_t, uintptr_t>>; // begin, end
  static bool isIn(const Ranges &ranges, uintptr_t address);

  Ranges code, constants;
  std::vector<std::pair<uintptr_t, std::string>> functions; // sorted by address
};

} // namespace pumice::run
