//===- WordMemory.h - elements of any size in memory of 32-bit words --------===//
// Little-endian, as every Vulkan device is. Element indices count elements of the size in question
// from the start of the buffer, which is aligned to four bytes.
//
// A store of less than a word is two atomic steps: one clears its bytes, one sets them. Bytes of
// the same word that belong to others are never disturbed, whoever writes them at the same time.
// Only a racing read of the very element that is being stored can see the zero in between.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace pumice::lower {

struct WordMemory {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value memref; // memref<?xi32>
  bool isShared;      // other invocations may write the same word

  /// The element's bits as an integer of 8·bytes. `bytes` is 1, 2, 4 or 8.
  mlir::Value read(mlir::Value index, unsigned bytes);
  /// Stores an integer of 8, 16, 32 or 64 bits.
  void write(mlir::Value index, mlir::Value bits);
  /// Replaces the element's bits by `update(bits)` in one atomic step that carries `attributes`;
  /// yields what was there.
  mlir::Value update(mlir::Value index, unsigned bytes, mlir::DictionaryAttr attributes,
                     llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> update);

  /// index · factor and index / factor, for powers of two; rounded down, also below zero, where a
  /// pointer from the middle of memory leads back.
  mlir::Value scaled(mlir::Value index, unsigned factor);
  mlir::Value divided(mlir::Value index, unsigned factor);

private:
  mlir::Value word(uint32_t value);
  mlir::Value bitOffset(mlir::Value index, unsigned bytes);
};

} // namespace pumice::lower
