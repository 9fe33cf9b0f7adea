//===- FunctionImporter.h - one kernel, while it is translated --------------===//
// Values of LLVM become values of MLIR: pointers are 64-bit integers, and a value of a structure is
// the list of its numbers. Memory is accessed only through `load`, `store` and `update`.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/import/llvm/MemoryPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace pumice::llvm_import {

/// Memory at a pointer: an array of units, and the position in it.
struct Place {
  mlir::Value memory;     // null if `position` is an address of the device
  mlir::Type unit;        // the type of elements of `memory`
  mlir::Value position;   // bytes, or an address
  uint64_t alignment = 0; // of addresses
};

using Values = llvm::SmallVector<mlir::Value, 1>;

/// Pointers that may lead to several kinds of memory hold the kind in their two highest bits, which
/// addresses of devices do not use.
constexpr unsigned spaceShift = 62;
enum Tag : unsigned { AddressTag = 0, WorkgroupTag = 1, PrivateTag = 2, TableTag = 3 };

class FunctionImporter {
public:
  FunctionImporter(mlir::gpu::GPUModuleOp kernels, const llvm::Function &from,
                   llvm::StringRef file);

  mlir::LogicalResult run();

  // For the translations of instructions and calls:
  mlir::OpBuilder b;
  mlir::Location loc; // of the instruction that is translated

  /// Returns the value of an operand, which is one number or vector.
  mlir::Value value(const llvm::Value *operand);
  /// Returns all numbers of an operand.
  Values values(const llvm::Value *operand);
  /// Returns the type of a number, vector or pointer, or null with an error.
  mlir::Type typeOf(llvm::Type *type);

  /// Reports that a construct cannot be translated.
  mlir::LogicalResult refuse(const llvm::Twine &what);

  mlir::Value constant(mlir::Type type, int64_t number);
  mlir::Value floatConstant(mlir::Type type, double number);

  /// Loads or stores one number or vector. `alignment` is 0 if it is natural.
  mlir::Value load(const llvm::Value *pointer, mlir::Value at, mlir::Type type, uint64_t alignment);
  void store(const llvm::Value *pointer, mlir::Value at, mlir::Value value, uint64_t alignment);
  /// Updates a number atomically. Returns the number before the update.
  mlir::Value update(const llvm::Value *pointer, mlir::arith::AtomicRMWKind kind, mlir::Value value,
                     bool relaxed);
  mlir::Value compareExchange(const llvm::Value *pointer, mlir::Value expected, mlir::Value desired,
                              bool relaxed);

  mlir::Value atomicLoad(const llvm::Value *pointer, mlir::Type type, bool relaxed);

  /// Returns the same bits as a value of another type.
  mlir::Value bitCast(mlir::Value x, mlir::Type type);

  /// Calls `access` with the memory of a pointer. A generic pointer may lead to several kinds of
  /// memory, so `access` may be called several times, in branches.
  mlir::Value atPlace(const llvm::Value *pointer, mlir::Value at, mlir::Type result,
                      llvm::function_ref<mlir::Value(const Place &)> access);

  /// Converts an address to one of another space.
  mlir::Value castAddress(mlir::Value address, unsigned from, unsigned to);

  /// Returns the tag of a pointer that may lead to several kinds of memory.
  mlir::Value spaceNumber(mlir::Value address);

  mlir::gpu::GPUFuncOp kernel() { return function; }
  mlir::gpu::GPUModuleOp module() { return kernels; }
  const llvm::DataLayout &layout() const { return from.getDataLayout(); }
  bool hasFailed() const { return failed; }

private:
  mlir::LogicalResult makeFunction();
  mlir::FailureOr<llvm::SmallVector<int32_t>> numbersOf(llvm::StringRef name, size_t most);
  mlir::LogicalResult makeRegions();
  mlir::LogicalResult makeTable(const MemoryRegion &region, mlir::Type unit);
  mlir::LogicalResult makeBlocks();
  mlir::LogicalResult translate(const llvm::Instruction &instruction);
  mlir::LogicalResult branch(const llvm::Instruction &instruction);
  void passValues(const llvm::BasicBlock *from, const llvm::BasicBlock *to,
                  llvm::SmallVectorImpl<mlir::Value> &operands);
  Values constantValues(const llvm::Constant *constant);
  mlir::Value globalAddress(const llvm::GlobalVariable *global);
  int64_t positionOf(const MemoryRegion &region, const llvm::Value *object);
  mlir::Value step(const llvm::GEPOperator &step);
  mlir::LogicalResult listTypes(llvm::Type *type, llvm::SmallVectorImpl<mlir::Type> &types);
  Place placeIn(const MemoryRegion *region, mlir::Value at);
  mlir::Value atTagged(llvm::ArrayRef<std::pair<Tag, const MemoryRegion *>> others, mlir::Value at,
                       mlir::Type result, llvm::function_ref<mlir::Value(const Place &)> access);
  mlir::Value indexIn(const Place &place, uint64_t bytes);

  // Instructions.cpp
  mlir::LogicalResult arithmetic(const llvm::Instruction &instruction);
  mlir::LogicalResult cast(const llvm::CastInst &instruction);
  mlir::LogicalResult compare(const llvm::CmpInst &instruction);
  mlir::LogicalResult memory(const llvm::Instruction &instruction);
  mlir::LogicalResult atomics(const llvm::Instruction &instruction);
  mlir::LogicalResult elements(const llvm::Instruction &instruction);
  // Intrinsics.cpp
  mlir::LogicalResult intrinsic(const llvm::IntrinsicInst &call);
  mlir::LogicalResult copyMemory(const llvm::MemIntrinsic &call);
  // Calls.cpp
  mlir::LogicalResult call(const llvm::CallBase &call);

  void set(const llvm::Value &of, mlir::Value value) { known[&of] = {value}; }

  mlir::gpu::GPUModuleOp kernels;
  const llvm::Function &from;
  llvm::StringRef file;
  MemoryPlan plan;
  mlir::gpu::GPUFuncOp function;
  llvm::DenseMap<const llvm::Value *, Values> known;
  llvm::DenseMap<const llvm::BasicBlock *, mlir::Block *> blocks;
  llvm::DenseMap<const MemoryRegion *, std::pair<mlir::Value, mlir::Type>> memories;
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 4> refused; // an instruction may ask twice
  bool failed = false;
};

} // namespace pumice::llvm_import
