//===- LegalizeStorage.h - buffers, their accesses and their cells ----------===//
// Declares what the parts of LegalizeStorage share. The pass collects buffers, chooses a cell type
// for each, and rewrites its accesses.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/types/StorageTypes.h"

#include "mlir/IR/PatternMatch.h"

namespace pumice::lower {

/// One operation on a buffer, perhaps through memref.views of it.
struct Access {
  mlir::Operation *op;
  mlir::OpOperand *memref;
  mlir::Type element;                            // what it reads or writes, less any vector
  mlir::Value root;                              // the buffer
  mlir::SmallVector<mlir::memref::ViewOp> views; // from the access to the root
};

/// How a buffer holds its elements.
struct Cells {
  mlir::Type type;
  bool packed = false; // i32 words that hold elements of other sizes
};

/// Everything that reaches the same memory: several operations may name one binding or global.
struct Buffer {
  mlir::SmallVector<mlir::Value> roots;
  mlir::SmallVector<Access> accesses;
  mlir::Operation *unknownUser = nullptr;
  uint64_t promised = 1; // what accesses say of the addresses' alignment, in bytes
  MemoryKind kind = MemoryKind::Buffer;
  Cells cells;

  mlir::Type declared() const {
    return mlir::cast<mlir::MemRefType>(roots.front().getType()).getElementType();
  }
  bool isViewed() const {
    return llvm::any_of(accesses, [](const Access &access) { return !access.views.empty(); });
  }
};

inline bool isAtomic(mlir::Operation *op) {
  return mlir::isa<mlir::memref::AtomicRMWOp, mlir::memref::GenericAtomicRMWOp>(op);
}

/// The cells that suit all accesses of a buffer; emits an error if the target has none.
mlir::FailureOr<Cells> chooseCells(const Buffer &buffer, const target::TargetEnv &env);

/// Replaces one access by accesses to the buffer's cells; the roots have their new types already.
mlir::LogicalResult rewriteAccess(mlir::IRRewriter &rewriter, const Buffer &buffer,
                                  const Access &access, const target::TargetEnv &env);

} // namespace pumice::lower
