//===- Exchange.h - reductions and scans of a subgroup ----------------------===//
// `kind` is the name of the operation in lane.reduce and lane.atomic, for example "add" or "fmax".
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/cpu/simd/LaneBuilder.h"

namespace pumice::cpu {

class SimdEmitter;

/// Applies the operation to two scalars or vectors.
mlir::Value combine(LaneBuilder &b, llvm::StringRef kind, mlir::Value a, mlir::Value c);
/// Returns the neutral element of the operation, as a scalar.
mlir::Value identity(LaneBuilder &b, llvm::StringRef kind, mlir::Type type);
/// Reduces all lanes of a vector to one value.
mlir::Value reduceAll(LaneBuilder &b, llvm::StringRef kind, mlir::Value vector);
/// Combines each lane's value with the values of the lanes before it in its cluster.
mlir::Value scanLanes(LaneBuilder &b, llvm::StringRef kind, mlir::Value vector, unsigned cluster,
                      bool exclusive);
/// Returns the vector with its inactive lanes replaced by `otherwise`.
mlir::Value activeOr(SimdEmitter &e, mlir::Value vector, mlir::Value otherwise);

} // namespace pumice::cpu
