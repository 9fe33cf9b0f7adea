//===- TritonDialect.h - a Triton kernel as the Triton wheel prints it ------===//
// Only dialect/triton and import/triton include this. No other code knows the tt dialect.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/dialect/triton/TritonDialect.h.inc"
#include "compiler/dialect/triton/TritonEnums.h.inc"

namespace pumice::triton {

/// The most elements that a tensor may have.
constexpr int64_t mostElements = 1 << 20;

/// Returns whether `type` is a signless integer of 1, 8, 16, 32 or 64 bits, or a float of 8 to 64
/// bits. With `maySign`, integers may have a sign, as in blocks of descriptors.
bool isNumber(mlir::Type type, bool maySign = false);

/// Checks that tensors have no layout and at most `mostElements` elements, and that all their
/// dimensions are powers of two.
mlir::LogicalResult verifyTensors(mlir::Operation *op);

template <typename Concrete>
class SoundTensors : public mlir::OpTrait::TraitBase<Concrete, SoundTensors> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTensors(op); }
};

/// Returns the element type of a tensor, or any other type itself.
inline mlir::Type scalarOf(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

/// Returns a tensor type with the shape of `like` and the element type `scalar`, or `scalar` itself
/// if `like` is a scalar.
inline mlir::Type withScalar(mlir::Type like, mlir::Type scalar) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(like);
  return tensor ? mlir::RankedTensorType::get(tensor.getShape(), scalar) : scalar;
}

} // namespace pumice::triton

#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/triton/TritonTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/triton/TritonAttributes.h.inc"

namespace pumice::triton {

/// Returns the cache policy of a load or store, in the form of any Triton version.
template <typename Access> CachePolicyAttr cachePolicyOf(Access access) {
  if (CachePolicyAttr policy = access.getCachePolicyAttr())
    return policy;
  return CachePolicyAttr::get(access.getContext(), access.getCacheModifier(),
                              access.getEvictionPolicy());
}

} // namespace pumice::triton

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Debug.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Descriptors.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Memory.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Products.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Reductions.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Shapes.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Structure.h.inc"
