//===- StridedBlocks.cpp - values that are strided in blocks of lanes -------===//
//   before: %a = arith.muli %row, %n : i32     (%row: the same in each half of 32 lanes)
//   after:  %a0 = arith.muli %row0, %n : i32
//           %a1 = arith.muli %row1, %n : i32
// A subgroup may contain several rows of a workgroup. Addresses, and values from which they are
// computed, may be strided within each row. They are represented by the scalars of the rows' first
// lanes, and become vectors only when needed.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Elementwise.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Memory.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

bool cpu::emitInBlocks(SimdEmitter &e, Operation *op) {
  Shape shape = e.analysis.shape(op->getResult(0));
  unsigned blocks = e.values.blocksOf(shape);
  if (!blocks || op->getNumResults() != 1 || !isForAddresses(op->getResult(0).getType()))
    return false;
  for (Value operand : op->getOperands())
    if (!e.analysis.shape(operand).scalar() && !isForAddresses(operand.getType()))
      return false;
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(e.values.laneOf(operand, i * shape.block));
    firsts.push_back(emitScalarCopy(e.b, op, operands));
  }
  e.values.defineFirsts(op->getResult(0), firsts);
  return true;
}

bool cpu::emitVariableInBlocks(SimdEmitter &e, Operation *op) {
  if (!isa<lane::GetOp, lane::SetOp>(op))
    return false;
  Value variable = op->getOperand(0);
  Type type = variable.getDefiningOp<lane::VarOp>().getType();
  Shape shape = e.analysis.variable(variable);
  unsigned blocks = e.values.blocksOf(shape);
  if (!blocks || !isForAddresses(type) || e.plan.kept(variable))
    return false;
  Value slot = e.variables.slotOfFirsts(variable, blocks);
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i) {
    Value place = e.b.offset(slot, i * bytesOf(type));
    if (auto set = dyn_cast<lane::SetOp>(op))
      e.b.storeTo(e.values.laneOf(set.getValue(), i * shape.block), place);
    else
      firsts.push_back(e.b.loadFrom(type, place));
  }
  if (auto get = dyn_cast<lane::GetOp>(op))
    e.values.defineFirsts(get, firsts);
  return true;
}

/// Loads once for each block of lanes that share an address. A block without active lanes may have
/// an invalid address, so it loads zeros instead.
bool cpu::loadOnceABlock(SimdEmitter &e, lane::LoadOp op) {
  Shape shape = e.analysis.shape(op.getAddress());
  unsigned blocks = e.values.blocksOf(shape);
  Type type = op.getResult(0).getType(), element = e.b.memoryType(type);
  int64_t size = bytesOf(element), bytes = size * op.getNumResults();
  constexpr int64_t mostBytes = 64;
  if (!blocks || shape.stride != 0 || bytes > mostBytes)
    return false;
  if (e.control.mask && !e.memory.nothing) {
    e.memory.nothing = e.b.stackOf(e.b.getI8Type(), mostBytes, mostBytes);
    OpBuilder::InsertionGuard guard(e.b);
    e.b.toEntryEnd();
    e.b.storeTo(e.b.integer(e.b.vectorOf(e.b.getI64Type(), mostBytes / 8), 0), e.memory.nothing);
  }
  SmallVector<SmallVector<Value>> loaded(op.getNumResults());
  for (unsigned i = 0; i < blocks; ++i) {
    Value place = e.values.laneOf(op.getAddress(), i * shape.block);
    if (e.control.mask) {
      SmallVector<int32_t> own(shape.block);
      std::iota(own.begin(), own.end(), i * shape.block);
      place = e.b.select(e.b.anyOf(e.b.shuffle(e.control.mask, own)), place, e.memory.nothing);
    }
    for (unsigned part = 0; part < op.getNumResults(); ++part) {
      int64_t alignment = part ? std::min<int64_t>(op.getAlignment(), size) : op.getAlignment();
      Value one = loadWhere(e, element, e.b.offset(place, part * size), alignment, {});
      loaded[part].push_back(e.b.fromMemory(one, type));
    }
  }
  for (unsigned part = 0; part < op.getNumResults(); ++part)
    e.values.defineFirsts(op.getResult(part), loaded[part]);
  return true;
}
