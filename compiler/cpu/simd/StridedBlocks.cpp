//===- StridedBlocks.cpp - values that are strided in blocks of lanes ----------===//
//   before: %a = arith.muli %row, %n : i32     (%row: the same in each half of 32 lanes)
//   after:  %a0 = arith.muli %row0, %n : i32
//           %a1 = arith.muli %row1, %n : i32
// A subgroup may hold several rows of a workgroup. What is strided in each of them is kept as the
// scalars of the rows' first lanes, as long as it is an address or goes into one; a vector is made
// of them where one is needed.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Emitter.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// An elementwise operation whose operands are scalars or blocks' firsts.
bool SimdEmitter::emitInBlocks(Operation *op) {
  Shape shape = analysis.shape(op->getResult(0));
  unsigned blocks = values.blocksOf(shape);
  if (!blocks || op->getNumResults() != 1 || !isForAddresses(op->getResult(0).getType()))
    return false;
  for (Value operand : op->getOperands())
    if (!analysis.shape(operand).scalar() && !isForAddresses(operand.getType()))
      return false;
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(values.laneOf(operand, i * shape.block));
    firsts.push_back(emitScalarCopy(op, operands));
  }
  values.defineFirsts(op->getResult(0), firsts);
  return true;
}

/// Variables that do not outlive a segment; the others' copies in scratch memory are vectors.
bool SimdEmitter::emitVariableInBlocks(Operation *op) {
  if (!isa<lane::GetOp, lane::SetOp>(op))
    return false;
  Value variable = op->getOperand(0);
  Type type = variable.getDefiningOp<lane::VarOp>().getType();
  Shape shape = analysis.variable(variable);
  unsigned blocks = values.blocksOf(shape);
  if (!blocks || !isForAddresses(type) || plan.kept(variable))
    return false;
  Value slot = variables.slotOfFirsts(variable, blocks);
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i) {
    Value place = b.offset(slot, i * bytesOf(type));
    if (auto set = dyn_cast<lane::SetOp>(op))
      b.storeTo(values.laneOf(set.getValue(), i * shape.block), place);
    else
      firsts.push_back(b.loadFrom(type, place));
  }
  if (auto get = dyn_cast<lane::GetOp>(op))
    values.defineFirsts(get, firsts);
  return true;
}

/// A load from one address a block. Where no lane of a block is there, its address may be any:
/// zeros are loaded instead.
bool SimdEmitter::loadOnceABlock(lane::LoadOp op) {
  Shape shape = analysis.shape(op.getAddress());
  unsigned blocks = values.blocksOf(shape);
  Type type = op.getResult(0).getType(), element = b.memoryType(type);
  int64_t size = bytesOf(element), bytes = size * op.getNumResults();
  constexpr int64_t mostBytes = 64;
  if (!blocks || shape.stride != 0 || bytes > mostBytes)
    return false;
  if (mask && !nothing) {
    nothing = b.stackOf(b.getI8Type(), mostBytes, mostBytes);
    OpBuilder::InsertionGuard guard(b);
    b.toEntryEnd();
    b.storeTo(b.integer(b.vectorOf(b.getI64Type(), mostBytes / 8), 0), nothing);
  }
  SmallVector<SmallVector<Value>> loaded(op.getNumResults());
  for (unsigned i = 0; i < blocks; ++i) {
    Value place = values.laneOf(op.getAddress(), i * shape.block);
    if (mask) {
      SmallVector<int32_t> own(shape.block);
      std::iota(own.begin(), own.end(), i * shape.block);
      place = b.select(b.anyOf(b.shuffle(mask, own)), place, nothing);
    }
    for (unsigned part = 0; part < op.getNumResults(); ++part) {
      int64_t alignment = part ? std::min<int64_t>(op.getAlignment(), size) : op.getAlignment();
      Value one = loadWhere(element, b.offset(place, part * size), alignment, {});
      loaded[part].push_back(b.fromMemory(one, type));
    }
  }
  for (unsigned part = 0; part < op.getNumResults(); ++part)
    values.defineFirsts(op.getResult(part), loaded[part]);
  return true;
}
