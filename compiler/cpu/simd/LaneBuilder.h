//===- LaneBuilder.h - builds operations on vectors of a subgroup's lanes ---===//
// A vector has one element for each lane. The builder knows the number of lanes, and the function
// to which it adds code. It knows nothing about the kernel.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::cpu {

class LaneBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using Block = mlir::Block;

  LaneBuilder(mlir::Location location, unsigned lanes);
  /// Adds code to `function` from now on. Creates its entry block, which gets the allocas.
  void fill(mlir::LLVM::LLVMFuncOp function);

  const unsigned lanes;
  Block *entry = nullptr; // for allocas and values of the whole launch
  /// Moves to the end of the entry block, before its terminator. Callers need an InsertionGuard.
  void toEntryEnd() { setInsertionPoint(entry->getTerminator()); }

  // Types
  Type vectorOf(Type element, unsigned count = 0); // 0: one element for each lane
  Type maskType() { return vectorOf(getI1Type()); }
  /// Returns the type that a value has in memory, where a truth value is a byte.
  Type memoryType(Type type) const;

  // Constants
  Value i32(int64_t value) { return integer(getI32Type(), value); }
  Value i64(int64_t value) { return integer(getI64Type(), value); }
  Value integer(Type type, int64_t value);
  /// Returns the vector 0, factor, 2 * factor, and so on.
  Value laneNumbers(Type element, int64_t factor);

  // Vectors
  Value splat(Value scalar, unsigned count = 0);
  Value shuffle(Value a, Value b, llvm::ArrayRef<int32_t> from);
  Value shuffle(Value a, llvm::ArrayRef<int32_t> from) { return shuffle(a, a, from); }
  Value extract(Value vector, Value lane);
  Value select(Value condition, Value a, Value b);
  /// Concatenates vectors, beginning with the elements of the first one.
  Value concatenate(llvm::ArrayRef<Value> pieces);

  // Operations on masks. Inactive lanes may hold poison, which must not get into masks. A select
  // keeps it out, but a bitwise `and` does not.
  Value noLanes() { return integer(maskType(), 0); }
  Value allLanes() { return integer(maskType(), 1); }
  Value both(Value mask, Value condition); // a null mask means all lanes
  Value negated(Value mask);
  Value either(Value a, Value b);
  Value anyOf(Value mask);
  Value allOf(Value mask);
  /// Converts the mask to an integer with one bit for each lane.
  Value maskBits(Value mask);

  // Memory
  Value offset(Value pointer, int64_t bytes);
  Value offset(Value pointer, Value bytes);
  Value loadFrom(Type type, Value pointer, int64_t alignment = 0);
  void storeTo(Value value, Value pointer, int64_t alignment = 0);
  /// Allocates stack memory in the entry block. If its address does not escape, LLVM turns the
  /// memory into values.
  Value stackOf(Type type, int64_t count = 1, int64_t alignment = 0);
  Value toMemory(Value value);
  Value fromMemory(Value value, Type type);

  // Blocks
  Block *newBlock();
  void startBlock(Block *block) { setInsertionPointToEnd(block); }
  /// Returns whether the current block still lacks a terminator.
  bool isOpen() const;
  void branch(Block *to); // does nothing if the current block has a terminator
  void branch(Value condition, Block *yes, Block *no, mlir::DenseI32ArrayAttr weights = {});

private:
  mlir::LLVM::LLVMFuncOp function;
};

} // namespace pumice::cpu
