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

/// In how many blocks values of this shape are held; 0: in none.
unsigned SimdEmitter::blocksOf(const Shape &shape) const {
  constexpr unsigned leastLanes = 4, mostBlocks = 8;
  if (shape.kind != Shape::Varying || shape.block < leastLanes || shape.block >= lanes)
    return 0;
  unsigned blocks = lanes / shape.block;
  return blocks <= mostBlocks ? blocks : 0;
}

static bool isForAddresses(Type type) {
  return type.isInteger(32) || type.isInteger(64) || isa<LLVM::LLVMPointerType>(type);
}

/// What `lane` holds of a value, as a scalar.
Value SimdEmitter::laneOf(Value value, unsigned lane) {
  Shape shape = analysis.shape(value);
  Value held = find(value);
  if (held && !shape.scalar())
    return b.extract(held, b.i32(lane));
  int64_t steps = lane;
  if (!held) {
    held = firstsHere.find(value)->second[lane / shape.block];
    steps = lane % shape.block;
  }
  if (steps * shape.stride == 0)
    return held;
  if (isa<LLVM::LLVMPointerType>(held.getType()))
    return b.offset(held, steps * shape.stride);
  return LLVM::AddOp::create(b, held, b.integer(held.getType(), steps * shape.stride));
}

/// The vector of a value of which the blocks' firsts are held.
Value SimdEmitter::joined(Value value) {
  Shape shape = analysis.shape(value);
  SmallVector<Value> parts;
  for (Value first : firstsHere.find(value)->second)
    parts.push_back(b.splat(first, shape.block));
  Value all = b.concatenate(parts);
  if (shape.stride == 0)
    return all;
  bool pointers = isa<LLVM::LLVMPointerType>(value.getType());
  Type element = pointers ? b.getI64Type() : value.getType();
  SmallVector<APInt> steps;
  for (unsigned lane = 0; lane < lanes; ++lane)
    steps.push_back(APInt(element.getIntOrFloatBitWidth(), lane % shape.block * shape.stride, true,
                          /*implicitTrunc=*/true));
  auto type = cast<VectorType>(b.vectorOf(element));
  Value inBlock = LLVM::ConstantOp::create(b, type, DenseElementsAttr::get(type, steps));
  if (pointers)
    return LLVM::GEPOp::create(b, all.getType(), b.getI8Type(), all, ValueRange{inBlock});
  return LLVM::AddOp::create(b, all, inBlock);
}

void SimdEmitter::defineFirsts(Value value, ArrayRef<Value> firsts) {
  firstsHere[value] = llvm::to_vector(firsts);
  if (const KeptPlace *place = plan.kept(value))
    if (plan.segmentOf(value.getDefiningOp()) == segment)
      b.storeTo(b.toMemory(joined(value)), scratchAt(place->offset));
}

/// An elementwise operation whose operands are scalars or blocks' firsts.
bool SimdEmitter::emitInBlocks(Operation *op) {
  Shape shape = analysis.shape(op->getResult(0));
  unsigned blocks = blocksOf(shape);
  if (!blocks || op->getNumResults() != 1 || !isForAddresses(op->getResult(0).getType()))
    return false;
  for (Value operand : op->getOperands())
    if (!analysis.shape(operand).scalar() && !isForAddresses(operand.getType()))
      return false;
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(laneOf(operand, i * shape.block));
    firsts.push_back(emitScalarCopy(op, operands));
  }
  defineFirsts(op->getResult(0), firsts);
  return true;
}

/// Variables that do not outlive a segment; the others' copies in scratch memory are vectors.
bool SimdEmitter::emitVariableInBlocks(Operation *op) {
  if (!isa<lane::GetOp, lane::SetOp>(op))
    return false;
  Value variable = op->getOperand(0);
  Type type = variable.getDefiningOp<lane::VarOp>().getType();
  Shape shape = analysis.variable(variable);
  unsigned blocks = blocksOf(shape);
  if (!blocks || !isForAddresses(type) || plan.kept(variable))
    return false;
  Value &slot = slots[variable];
  if (!slot)
    slot = b.stackOf(type, blocks);
  SmallVector<Value> firsts;
  for (unsigned i = 0; i < blocks; ++i) {
    Value place = b.offset(slot, i * bytesOf(type));
    if (auto set = dyn_cast<lane::SetOp>(op))
      b.storeTo(laneOf(set.getValue(), i * shape.block), place);
    else
      firsts.push_back(b.loadFrom(type, place));
  }
  if (auto get = dyn_cast<lane::GetOp>(op))
    defineFirsts(get, firsts);
  return true;
}

/// A load from one address a block. Where no lane of a block is there, its address may be any:
/// zeros are loaded instead.
bool SimdEmitter::loadOnceABlock(lane::LoadOp op) {
  Shape shape = analysis.shape(op.getAddress());
  unsigned blocks = blocksOf(shape);
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
    Value place = laneOf(op.getAddress(), i * shape.block);
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
    defineFirsts(op.getResult(part), loaded[part]);
  return true;
}
