//===- ProgramCode.h - where a host program's own code lies -----------------===//
// The fault handler reads this, so a lookup takes no lock and allocates no memory.
//===-------------------------------------------------------------------------===//
#pragma once

#include "llvm/ExecutionEngine/SectionMemoryManager.h"

#include <memory>
#include <string>
#include <vector>

namespace pumice::run {

/// The memory that a JIT was given for one program, and its functions. The last one made is the one
/// that is asked.
class ProgramCode final : public llvm::SectionMemoryManager::MemoryMapper {
public:
  ProgramCode();
  ~ProgramCode() override;

  /// By where they begin, in any order.
  void setFunctions(std::vector<std::pair<uintptr_t, std::string>> named);

  /// Null if no program runs.
  static const ProgramCode *current();
  bool isCode(uintptr_t address) const { return isIn(code, address); }
  bool isConstant(uintptr_t address) const { return isIn(constants, address); }
  /// The function that `address`, in the code, belongs to; null if that is not known.
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
  std::vector<std::pair<uintptr_t, std::string>> functions; // ascending
};

} // namespace pumice::run
