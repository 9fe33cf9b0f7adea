//===- Elementwise.cpp - operations computed lane by lane -------------------===//
//   before: %y = arith.addf %x, %c : f32     (%x varying, %c uniform)
//   after:  %c16 = llvm.shufflevector …      (%c in every lane)
//           %y = arith.addf %x, %c16 : vector<16xf32>
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

Value cpu::emitScalarCopy(LaneBuilder &b, Operation *op, ArrayRef<Value> operands) {
  if (isa<lane::OffsetOp>(op))
    return b.offset(operands[0], operands[1]);
  if (isa<arith::SelectOp>(op))
    return b.select(operands[0], operands[1], operands[2]);
  OperationState state(b.getLoc(), op->getName(), operands, op->getResultTypes(), op->getAttrs());
  return b.create(state)->getResult(0);
}

void cpu::emitElementwise(SimdEmitter &e, Operation *op) {
  if (e.loops.emitCount(op) || emitDivision(e, op) || emitInBlocks(e, op))
    return;
  bool asScalar = e.analysis.shape(op->getResult(0)).scalar();
  if (auto step = dyn_cast<lane::OffsetOp>(op); step && !asScalar) {
    Value base = e.analysis.shape(step.getBase()).uniform() ? e.values.scalar(step.getBase())
                                                            : e.values.vector(step.getBase());
    Type type = e.b.vectorOf(step.getType());
    return e.values.define(step, LLVM::GEPOp::create(e.b, type, e.b.getI8Type(), base,
                                                     ValueRange{e.values.vector(step.getBytes())}));
  }
  bool oneCondition =
      isa<arith::SelectOp, LLVM::SelectOp>(op) && e.analysis.shape(op->getOperand(0)).uniform();
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    operands.push_back(asScalar || (oneCondition && i == 0) ? e.values.scalar(operand)
                                                            : e.values.vector(operand));
  if (asScalar && op->getNumResults() == 1)
    return e.values.define(op->getResult(0), emitScalarCopy(e.b, op, operands));
  if (isa<arith::SelectOp>(op))
    return e.values.define(op->getResult(0), e.b.select(operands[0], operands[1], operands[2]));
  OperationState state(e.b.getLoc(), op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(asScalar ? type : e.b.vectorOf(type));
  state.addAttributes(op->getAttrs());
  Operation *wide = e.b.create(state);
  for (auto [old, fresh] : llvm::zip_equal(op->getResults(), wide->getResults()))
    e.values.define(old, fresh);
}
