//===- LegalizeStorage.h - buffers, their accesses and their cells ----------===//
// Declares what the files of LegalizeStorage share. The pass collects buffers, chooses a cell type
// for each, and rewrites its accesses.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/lower/types/StorageTypes.h"

#include "mlir/IR/PatternMatch.h"

namespace pumice::lower {

/// One operation on a buffer, directly or through memref.views.
struct Access {
  mlir::Operation *op;
  mlir::OpOperand *memref;
  mlir::Type element; // the type that it reads or writes, without vectors
  mlir::Value root;   // the buffer
  mlir::SmallVector<mlir::memref::ViewOp> views; // from the access to the root
};

/// The form in which a buffer holds its elements.
struct Cells {
  mlir::Type type;
  bool packed = false; // i32 words that hold elements of other sizes
};

/// All operations that reach the same memory. Several operations may name one binding or global.
struct Buffer {
  mlir::SmallVector<mlir::Value> roots;
  mlir::SmallVector<Access> accesses;
  mlir::Operation *unknownUser = nullptr;
  uint64_t promised = 1; // the alignment in bytes that accesses by address promise
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

/// Returns the cells that suit all accesses of a buffer. Emits an error if the target has none.
mlir::FailureOr<Cells> chooseCells(const Buffer &buffer, const target::TargetEnv &env);

/// Replaces one access by accesses to the buffer's cells. The roots must already have their new
/// types.
mlir::LogicalResult rewriteAccess(mlir::IRRewriter &rewriter, const Buffer &buffer,
                                  const Access &access, const target::TargetEnv &env);

} // namespace pumice::lower
