//===- MemorySpace.h - whose memory a memref names ---------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"

namespace pumice::lower {

enum class MemorySpace { Global, Workgroup, Private, Unknown };

/// Understands gpu's address spaces, SPIR-V storage classes, and the numbers that NVVM uses
/// (none, 0 and 1: global; 3: workgroup; 5: private).
MemorySpace memorySpaceOf(mlir::BaseMemRefType type);

} // namespace pumice::lower
