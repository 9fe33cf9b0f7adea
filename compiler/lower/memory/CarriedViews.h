//===- CarriedViews.h - views that control flow carries ---------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::lower {

/// Replaces every memref that a select, a conditional or a loop carries by the numbers that
/// distinguish its views. These are the offset and the dynamic extents and strides. All views must
/// be views of one buffer; otherwise the operation that mixes buffers is rejected.
mlir::LogicalResult resolveCarriedViews(mlir::Operation *root);

/// Returns the buffer that `view` is a view of. Looks through casts, subviews and loops. Returns
/// null if there are several.
mlir::Value rootOf(mlir::Value view);

} // namespace pumice::lower
