//===- MemorySpace.cpp - tells in which memory a memref is ------------------===//
#include "compiler/lower/structure/MemorySpace.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"

using namespace mlir;
using pumice::lower::MemorySpace;

MemorySpace pumice::lower::memorySpaceOf(BaseMemRefType type) {
  Attribute space = type.getMemorySpace();
  if (!space)
    return MemorySpace::Global;
  if (auto named = dyn_cast<gpu::AddressSpaceAttr>(space)) {
    switch (named.getValue()) {
    case gpu::AddressSpace::Global:
      return MemorySpace::Global;
    case gpu::AddressSpace::Workgroup:
      return MemorySpace::Workgroup;
    case gpu::AddressSpace::Private:
      return MemorySpace::Private;
    }
  }
  if (auto named = dyn_cast<mlir::spirv::StorageClassAttr>(space)) {
    switch (named.getValue()) {
    case mlir::spirv::StorageClass::StorageBuffer:
    case mlir::spirv::StorageClass::PhysicalStorageBuffer:
    case mlir::spirv::StorageClass::CrossWorkgroup:
      return MemorySpace::Global;
    case mlir::spirv::StorageClass::Workgroup:
      return MemorySpace::Workgroup;
    case mlir::spirv::StorageClass::Function:
    case mlir::spirv::StorageClass::Private:
      return MemorySpace::Private;
    default:
      return MemorySpace::Unknown;
    }
  }
  if (auto number = dyn_cast<IntegerAttr>(space)) {
    switch (number.getInt()) {
    case 0:
    case 1:
      return MemorySpace::Global;
    case 3:
      return MemorySpace::Workgroup;
    case 5:
      return MemorySpace::Private;
    }
  }
  return MemorySpace::Unknown;
}

void pumice::lower::eraseUnusedMemory(gpu::GPUModuleOp module) {
  for (auto global : llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
    if (SymbolTable::symbolKnownUseEmpty(global, module))
      global.erase();
}
