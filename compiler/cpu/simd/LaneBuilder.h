//===- LaneBuilder.h - builds operations on vectors of a subgroup's lanes ---===//
// A vector has an element for each lane. The builder knows the number of lanes and the function
// that it fills, but nothing of the kernel.
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
  /// Adds blocks to `function` from now on, and allocas to its entry block, which it creates.
  void fill(mlir::LLVM::LLVMFuncOp function);

  const unsigned lanes;
  Block *entry = nullptr; // allocas and values of the whole launch
  /// Moves to the end of the entry block, before its terminator. Use it under an InsertionGuard.
  void toEntryEnd() { setInsertionPoint(entry->getTerminator()); }

  // Types
  Type vectorOf(Type element, unsigned count = 0); // 0: one for each lane
  Type maskType() { return vectorOf(getI1Type()); }
  /// Returns the type that a value has in memory, where a truth value is a byte.
  Type memoryType(Type type) const;

  // Constants
  Value i32(int64_t value) { return integer(getI32Type(), value); }
  Value i64(int64_t value) { return integer(getI64Type(), value); }
  Value integer(Type type, int64_t value);
  /// Builds 0, factor, 2 * factor, and so on.
  Value laneNumbers(Type element, int64_t factor);

  // Vectors
  Value splat(Value scalar, unsigned count = 0);
  Value shuffle(Value a, Value b, llvm::ArrayRef<int32_t> from);
  Value shuffle(Value a, llvm::ArrayRef<int32_t> from) { return shuffle(a, a, from); }
  Value extract(Value vector, Value lane);
  Value select(Value condition, Value a, Value b);
  /// Joins vectors to one, the first one's elements first.
  Value concatenate(llvm::ArrayRef<Value> pieces);

  // Masks. Absent lanes may compute poison: a selection keeps it out of masks, where a bitwise and
  // would let it in.
  Value noLanes() { return integer(maskType(), 0); }
  Value allLanes() { return integer(maskType(), 1); }
  Value both(Value mask, Value condition); // a null mask is full
  Value negated(Value mask);
  Value either(Value a, Value b);
  Value anyOf(Value mask);
  Value allOf(Value mask);
  /// Makes an integer of the mask, with a bit for each lane.
  Value maskBits(Value mask);

  // Memory
  Value offset(Value pointer, int64_t bytes);
  Value offset(Value pointer, Value bytes);
  Value loadFrom(Type type, Value pointer, int64_t alignment = 0);
  void storeTo(Value value, Value pointer, int64_t alignment = 0);
  /// Allocates in the entry block: LLVM makes values of memory whose address stays local.
  Value stackOf(Type type, int64_t count = 1, int64_t alignment = 0);
  Value toMemory(Value value);
  Value fromMemory(Value value, Type type);

  // Blocks
  Block *newBlock();
  void startBlock(Block *block) { setInsertionPointToEnd(block); }
  /// Tells whether the block at hand has no terminator yet.
  bool isOpen() const;
  void branch(Block *to); // if the block at hand is open
  void branch(Value condition, Block *yes, Block *no, mlir::DenseI32ArrayAttr weights = {});

private:
  mlir::LLVM::LLVMFuncOp function;
};

} // namespace pumice::cpu
