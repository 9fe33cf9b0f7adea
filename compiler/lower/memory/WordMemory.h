//===- WordMemory.h - elements of any size in memory of 32-bit words --------===//
// Words are little-endian, as on every Vulkan device. Element indices count elements of the
// accessed size from the start of the buffer, which is aligned to four bytes.
//
// A store of less than a word takes two atomic steps: one clears its bytes, and one sets them. It
// never changes other bytes of the word, even if other stores write them at the same time. Only a
// racing read of the same element can see the zero between the two steps.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"

namespace pumice::lower {

struct WordMemory {
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Value memref; // memref<?xi32>
  bool isShared;      // other invocations may write the same word

  /// Returns the element's bits as an integer of 8·bytes bits. `bytes` is 1, 2, 4 or 8.
  mlir::Value read(mlir::Value index, unsigned bytes);
  /// Stores an integer of 8, 16, 32 or 64 bits.
  void write(mlir::Value index, mlir::Value bits);
  /// Replaces the element's bits by `update(bits)` in one atomic step that carries `attributes`.
  /// Returns the previous bits.
  mlir::Value update(mlir::Value index, unsigned bytes, mlir::DictionaryAttr attributes,
                     llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> update);

  /// Return index · factor and index / factor, for powers of two. The quotient is rounded down.
  /// Indices may be negative, since a pointer may point into the middle of memory.
  mlir::Value scaled(mlir::Value index, unsigned factor);
  mlir::Value divided(mlir::Value index, unsigned factor);

private:
  mlir::Value word(uint32_t value);
  mlir::Value bitOffset(mlir::Value index, unsigned bytes);
};

} // namespace pumice::lower
