//===- Emulation.h - matrices and blocks of gen without their instructions --===//
#pragma once

#include "compiler/dialect/gen/GenDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace pumice::gen {

mlir::Value constantI32(mlir::OpBuilder &builder, mlir::Location loc, int64_t value);

/// Returns an element of a vector. A scalar is its only element.
mlir::Value elementOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value vector,
                      unsigned number);

/// Returns a value of `type`, a scalar or a vector, from its elements.
mlir::Value fromElements(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                         mlir::ArrayRef<mlir::Value> elements);

/// Returns the bits of `word` from `first` on, as `integer`.
mlir::Value bitsOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value word, unsigned first,
                   mlir::Type integer);

/// The dialect of accesses to elements.
enum class MemoryDialect { Llvm, Spirv, Vk };

/// Accesses elements of global memory with operations of one dialect. With vk, addresses are i64;
/// otherwise they are indices.
class ElementMemory {
public:
  /// `indexBits` is the width of addresses that are indices.
  ElementMemory(MemoryDialect dialect, unsigned indexBits)
      : dialect(dialect), indexBits(indexBits) {}

  /// Returns the type of addresses.
  mlir::Type addressType(mlir::OpBuilder &builder) const;

  /// Returns the operand of an operation as an address.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base) const;

  /// Returns an i32 without a sign in the type of addresses.
  mlir::Value extend(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number) const;

  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                   mlir::Type type) const;

  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
             mlir::Value address) const;

private:
  mlir::Value pointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                      mlir::Type type) const;

  MemoryDialect dialect;
  unsigned indexBits;
};

/// Replaces a product by shuffles of the first factor, and multiplications. With `memory`, which is
/// a memref in workgroup memory for all words of that factor, it needs no shuffles. Then the
/// work-group must be one sub-group.
void emulateMatrix(MatrixMadOp op, mlir::Value memory = {});

/// Replace an access to a block by accesses to its elements.
void emulateBlock(BlockLoad2DOp op, const ElementMemory &memory);
void emulateBlock(BlockStore2DOp op, const ElementMemory &memory);
void emulateBlock(SubGroupBlockReadOp op, const ElementMemory &memory);
void emulateBlock(SubGroupBlockWriteOp op, const ElementMemory &memory);

/// Replaces `op` if it is an operation on matrices or blocks.
void emulate(mlir::Operation *op, const ElementMemory &memory);

} // namespace pumice::gen
