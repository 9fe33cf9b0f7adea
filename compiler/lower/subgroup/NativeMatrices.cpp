//===- NativeMatrices.cpp - the cooperative matrices of a target ------------===//
#include "compiler/lower/subgroup/NativeMatrices.h"

#include "compiler/lower/structure/MemorySpace.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using gpu::MMAMatrixType;
using target::ComponentType;

/// Returns whether a type matches a component type. Signless integers of accumulators are signed,
/// or unsigned if both factors are unsigned.
static bool isElement(Type type, ComponentType component, bool mayBeUnsigned) {
  switch (component) {
  case ComponentType::f16:
    return type.isF16();
  case ComponentType::f32:
    return type.isF32();
  case ComponentType::f64:
    return type.isF64();
  case ComponentType::s8:
    return type.isSignedInteger(8);
  case ComponentType::u8:
    return type.isUnsignedInteger(8);
  case ComponentType::s32:
    return type.isSignlessInteger(32);
  case ComponentType::u32:
    return type.isSignlessInteger(32) && mayBeUnsigned;
  default:
    return false;
  }
}

static bool isShape(MMAMatrixType type, uint32_t rows, uint32_t cols) {
  return type.getShape()[0] == rows && type.getShape()[1] == cols;
}

static bool isUsable(const target::CooperativeMatrixShape &shape) {
  return shape.scope == target::MatrixScope::Subgroup && !shape.saturating;
}

bool NativeMatrices::holds(MMAMatrixType type) const {
  Type element = type.getElementType();
  return llvm::any_of(env.cooperativeMatrices, [&](const target::CooperativeMatrixShape &shape) {
    if (!isUsable(shape))
      return false;
    if (type.getOperand() == "AOp")
      return isShape(type, shape.m, shape.k) && isElement(element, shape.a, false);
    if (type.getOperand() == "BOp")
      return isShape(type, shape.k, shape.n) && isElement(element, shape.b, false);
    return isShape(type, shape.m, shape.n) &&
           (isElement(element, shape.c, true) || isElement(element, shape.result, true));
  });
}

bool NativeMatrices::multiplies(const MatrixOp &op) const {
  MMAMatrixType a = op.operands[0], b = op.operands[1], c = op.operands[2];
  bool isUnsigned =
      a.getElementType().isUnsignedInteger() && b.getElementType().isUnsignedInteger();
  return llvm::any_of(env.cooperativeMatrices, [&](const target::CooperativeMatrixShape &shape) {
    return isUsable(shape) && isShape(a, shape.m, shape.k) && isShape(b, shape.k, shape.n) &&
           isShape(c, shape.m, shape.n) && isElement(a.getElementType(), shape.a, false) &&
           isElement(b.getElementType(), shape.b, false) &&
           isElement(c.getElementType(), shape.c, isUnsigned) &&
           isElement(op.result.getElementType(), shape.result, isUnsigned);
  });
}

bool NativeMatrices::supports(const MatrixOp &op) const {
  if (!env.has(target::Feature::cooperativeMatrix))
    return false;
  if (isa<gpu::SubgroupMmaComputeOp>(op.op))
    return multiplies(op);
  // A subgroup cannot load from a lane's private memory.
  for (Value operand : op.op->getOperands())
    if (auto memory = dyn_cast<MemRefType>(operand.getType());
        memory && memorySpaceOf(memory) == MemorySpace::Private)
      return false;
  // Minima, maxima, and components known only at run time are computed on a lane's elements (see
  // MatrixFragments.cpp).
  return (!op.result || holds(op.result)) &&
         llvm::all_of(op.operands, [&](MMAMatrixType type) { return holds(type); });
}

LogicalResult NativeMatrices::refuse(const MatrixOp &op) const {
  if (!env.has(target::Feature::cooperativeMatrix)) {
    InFlightDiagnostic error = op.op->emitError()
                               << "'" << op.op->getName() << "' "
                               << target::needs(env, target::Feature::cooperativeMatrix);
    if (env.hasExtension("VK_NV_cooperative_matrix"))
      error << "; it has VK_NV_cooperative_matrix only";
    return error << ": take another target, or allow emulation";
  }
  InFlightDiagnostic error = op.op->emitError() << "'" << op.op->getName() << "' of";
  llvm::interleaveComma(op.operands, error, [&](MMAMatrixType type) { error << " " << type; });
  if (op.result)
    error << " giving " << op.result;
  return error << " is not among the target's cooperativeMatrix shapes: use one of them, or allow "
                  "emulation";
}
