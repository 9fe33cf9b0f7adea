//===- MemoryPlan.h - which memory a kernel's pointers lead to --------------===//
// LLVM's pointers have no types, and SPIR-V's variables do. So the private and workgroup variables
// that one pointer may lead to share a region. It is one array of numbers, in which a pointer is
// a number of bytes. Pointers to buffers are addresses, and need no region.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"

#include <memory>

namespace pumice::llvm_import {

/// The address spaces of OpenCL, as LLVM numbers them.
enum Space : unsigned { Private = 0, Global = 1, Constant = 2, Workgroup = 3, Generic = 4 };

/// Memory of the kernel: variables that a pointer may lead to.
struct MemoryRegion {
  unsigned space = Private;
  llvm::SmallVector<const llvm::Value *> objects; // allocas, globals, and parameters
  llvm::DenseMap<const llvm::Value *, uint64_t> offsets;
  uint64_t bytes = 0;
  /// The size of the smallest access, and its type if all accesses have the same.
  unsigned unitBytes = 0;
  llvm::Type *unit = nullptr;
  bool isDynamic = false; // parameters: the launch chooses the size
  bool isAddress = false; // constant memory of parameters: pointers are addresses
  /// Pointers lead to constants of the program or to buffers. Those to constants have a tag.
  bool isMixed = false;
};

/// How a called function accesses memory through a parameter.
struct PointerAccess {
  unsigned parameter;
  llvm::Type *element;
};

class MemoryPlan {
public:
  /// `accesses` lists the pointers that a call of a built-in function reads or writes through.
  using CallAccesses =
      llvm::function_ref<llvm::SmallVector<PointerAccess>(const llvm::CallBase &call)>;

  MemoryPlan(const llvm::Function &kernel, CallAccesses accesses);

  /// Returns the region of a pointer to private, constant or workgroup memory. It may be null if
  /// the kernel has no such memory.
  const MemoryRegion *regionOf(const llvm::Value *pointer) const;

  /// Returns the region that pointers of unknown origin lead to, or null.
  const MemoryRegion *unknownRegion(unsigned space) const;

  llvm::ArrayRef<std::unique_ptr<MemoryRegion>> regions() const { return all; }

private:
  const void *keyOf(const llvm::Value *pointer);
  void join(const llvm::Value *a, const llvm::Value *b);
  void joinUnknown(const llvm::Value *pointer);
  void collect(const llvm::Instruction &instruction);
  void noteObject(const llvm::Value *object);
  void followInitializers(llvm::SmallVectorImpl<const llvm::Value *> &objects);
  void note(const llvm::Value *pointer, llvm::Type *type, uint64_t alignment);
  void noteIn(MemoryRegion &region, llvm::Type *type, uint64_t alignment);
  void noteCopy(const llvm::Instruction &instruction);
  void layOut(const llvm::Function &kernel);

  llvm::EquivalenceClasses<const void *> classes;
  llvm::SmallVector<std::unique_ptr<MemoryRegion>> all;
  llvm::DenseMap<const void *, MemoryRegion *> byLeader;
  const llvm::DataLayout &layout;
  char unknown[4] = {}; // their addresses are the keys of pointers of unknown origin
};

/// Returns whether pointers of this space belong to a region.
inline bool hasRegion(const llvm::Type *type) {
  return type->isPointerTy() &&
         (type->getPointerAddressSpace() == Private || type->getPointerAddressSpace() == Constant ||
          type->getPointerAddressSpace() == Workgroup);
}

} // namespace pumice::llvm_import
