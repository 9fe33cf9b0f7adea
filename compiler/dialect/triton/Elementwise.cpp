//===- Elementwise.cpp - element-wise operations ----------------------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Elementwise.cpp.inc"

void TritonDialect::addElementwiseOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Elementwise.cpp.inc"
      >();
}

static LogicalResult verifyCast(Operation *op) {
  return verifySameShape(op, "an operand", op->getOperand(0).getType(), "a result",
                         op->getResult(0).getType());
}

LogicalResult BitcastOp::verify() {
  Type from = scalarOf(getSource().getType()), to = scalarOf(getType());
  if (isa<PointerType>(from) != isa<PointerType>(to))
    return emitOpError("expected two numbers or two pointers, got ")
           << from << " and " << to << "; convert by tt.int_to_ptr or tt.ptr_to_int";
  if (!isa<PointerType>(from) && from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth())
    return emitOpError("expected a result with as many bits as ") << from << ", got " << to;
  return verifyCast(*this);
}

LogicalResult IntToPtrOp::verify() { return verifyCast(*this); }
LogicalResult PtrToIntOp::verify() { return verifyCast(*this); }

LogicalResult FpToFpOp::verify() {
  Type from = scalarOf(getSource().getType()), to = scalarOf(getType());
  bool narrows = to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth();
  if (narrows && !getRounding())
    return emitOpError("expected a rounding from ")
           << from << " to " << to << ", got none; give rtne or rtz";
  bool widens = to.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if ((widens || from == to) && getRounding())
    return emitOpError("expected no rounding from ")
           << from << " to " << to << ", got " << stringifyRounding(*getRounding());
  return verifyCast(*this);
}

LogicalResult AddPtrOp::verify() {
  return verifySameShape(*this, "a pointer", getPointer().getType(), "an offset",
                         getOffset().getType());
}

LogicalResult ExternElementwiseOp::verify() {
  for (Value value : getValues())
    if (failed(verifySameShape(*this, "an operand", value.getType(), "a result", getType())))
      return failure();
  return success();
}

/// A function that is not pure may have any effect, so it must keep its place in the order.
static void
addEffects(bool pure,
           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (pure)
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addEffects(getPure(), effects);
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addEffects(getPure(), effects);
}
