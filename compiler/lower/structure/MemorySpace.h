//===- MemorySpace.h - tells in which memory a memref is --------------------===//
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinTypes.h"

namespace pumice::lower {

enum class MemorySpace { Global, Workgroup, Private, Unknown };

/// Returns the memory space of a memref. Supports gpu's address spaces, SPIR-V storage classes, and
/// the numbers that NVVM uses (none, 0 and 1: global; 3: workgroup; 5: private).
MemorySpace memorySpaceOf(mlir::BaseMemRefType type);

/// Erases memory of a module that no operation uses. Such memory may not have been flattened, and
/// the target may not support its type.
void eraseUnusedMemory(mlir::gpu::GPUModuleOp module);

} // namespace pumice::lower
