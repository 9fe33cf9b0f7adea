//===- IndexWidth.h - the bits of an index ----------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace pumice::gen {

/// Returns the bits of an index in `module`: `requested`, or those that the closest data layout
/// with an entry for index states, or `otherwise`. Reports widths other than 32 and 64.
mlir::FailureOr<unsigned> indexBits(mlir::Operation *module, unsigned requested,
                                    unsigned otherwise);

} // namespace pumice::gen
