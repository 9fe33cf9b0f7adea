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

/// Accesses elements of global memory with operations of one dialect.
class ElementMemory {
public:
  /// `isSpirv` chooses the SPIR-V dialect, and `indexBits` is the width of its addresses.
  ElementMemory(bool isSpirv, unsigned indexBits) : isSpirv(isSpirv), indexBits(indexBits) {}

  /// Returns an address as an index.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value base) const;

  mlir::Value load(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                   mlir::Type type) const;

  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
             mlir::Value address) const;

private:
  mlir::Value pointer(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address,
                      mlir::Type type) const;

  bool isSpirv;
  unsigned indexBits;
};

/// Replaces a product by shuffles of the first factor, and multiplications.
void emulateMatrix(MatrixMadOp op);

/// Replace an access to a block by accesses to its elements.
void emulateBlock(BlockLoad2DOp op, const ElementMemory &memory);
void emulateBlock(BlockStore2DOp op, const ElementMemory &memory);
void emulateBlock(SubGroupBlockReadOp op, const ElementMemory &memory);
void emulateBlock(SubGroupBlockWriteOp op, const ElementMemory &memory);

} // namespace pumice::gen
