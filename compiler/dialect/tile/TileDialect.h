//===- TileDialect.h - tensors that a workgroup holds in its registers ------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"
#include "compiler/dialect/tile/layout/ProductFragments.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"

namespace pumice::tile {

llvm::hash_code hash_value(const LinearLayout &layout);

/// Attribute of a tile.load or tile.store: the number n of a lane's registers that one access can
/// cover. Each group of n registers is contiguous in memory, aligned as one access, and has one
/// mask. A group begins at a multiple of n.
inline constexpr llvm::StringLiteral neighboursAttrName = "neighbours";
/// Attribute of a tile.load or tile.store whose lanes hold neighbours along one dimension: the
/// number n of neighbours that are neighbours in memory, too. A group begins at a multiple of n,
/// and has at least all lanes of a register. The offsets do not show this.
inline constexpr llvm::StringLiteral lanesInRowAttrName = "lanes_in_row";
/// Attribute of a tile.load whose lanes hold neighbours along one dimension: the number n of
/// neighbours that access one place in memory. A group begins at a multiple of n, and has at least
/// all lanes of a register. The offsets do not show this.
inline constexpr llvm::StringLiteral samePlaceAttrName = "same_place";
/// Attribute of an arith.andi that combines two comparisons with limits. Its result is true for
/// elements that are inside memory. Checked kernels contain such operations.
inline constexpr llvm::StringLiteral insideAttrName = "tile.inside";

/// Attribute of a load of a Triton kernel, and of the operations that replace it. It holds the
/// load's number, its type, and the form of its address.
inline constexpr llvm::StringLiteral loadAttrName = "pumice.load";

/// Returns whether the type is a tensor whose encoding is a #tile.layout.
bool isDistributed(mlir::Type type);

} // namespace pumice::tile

#include "compiler/dialect/tile/TileDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/tile/TileAttributes.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/tile/TileOps.h.inc"

namespace pumice::tile {

/// Returns the layout of a distributed tensor.
const LinearLayout &layoutOf(mlir::Type type);

/// Returns a tensor type with this layout.
mlir::RankedTensorType tensorOf(mlir::Type elementType, const LinearLayout &layout);

/// Returns the bytes of an element in workgroup memory. An i1 takes one.
unsigned storedBytes(mlir::Type elementType);

/// Returns the element types of a product's fragments, if `gpu.mma_matrix` supports them. The
/// integers of fragments have a sign, unlike those of tensors.
std::optional<ProductTypes> productTypes(mlir::Type a, mlir::Type b, mlir::Type result);

} // namespace pumice::tile
