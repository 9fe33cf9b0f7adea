//===- CarriedViews.h - views that control flow carries ---------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::lower {

/// Replaces every memref that a select, a conditional or a loop carries by the numbers that tell
/// its views apart: offset, and dynamic extents and strides. All of them must be views of one
/// buffer; anything else is refused at the operation that mixes buffers.
mlir::LogicalResult resolveCarriedViews(mlir::Operation *root);

/// The buffer that `view` is a view of: looks through casts, subviews and loops. Null when several.
mlir::Value rootOf(mlir::Value view);

} // namespace pumice::lower
