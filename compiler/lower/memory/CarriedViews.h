//===- CarriedViews.h - views that control flow carries ---------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::lower {

/// Replaces every memref that a select, a conditional or a loop carries. Instead, they carry the
/// offset, dynamic extents and strides that distinguish the possible views. All of these must be
/// views of one buffer. An operation that mixes buffers is rejected.
mlir::LogicalResult resolveCarriedViews(mlir::Operation *root);

/// Returns the buffer that `view` is a view of. Looks through casts, subviews and loops. Returns
/// null if there are several.
mlir::Value rootOf(mlir::Value view);

} // namespace pumice::lower
