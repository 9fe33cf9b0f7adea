//===- ValueMap.cpp - maps a kernel's values to the SIMD code's -------------===//
#include "compiler/cpu/simd/ValueMap.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

bool cpu::isLeaf(Value value) {
  Operation *op = value.getDefiningOp();
  return op->hasTrait<OpTrait::ConstantLike>() ||
         isa<ub::PoisonOp, lane::BuiltinOp, lane::BufferOp, lane::BufferBytesOp,
             lane::PushConstantsOp, lane::ProgramOp, lane::SharedOp, lane::TableOp>(op);
}

bool cpu::isForAddresses(Type type) {
  return type.isInteger(32) || type.isInteger(64) || isa<LLVM::LLVMPointerType>(type);
}

ValueMap::ValueMap(LaneBuilder &b, const LaneAnalysis &analysis, ValueSource &source)
    : b(b), analysis(analysis), source(source) {}

void ValueMap::startSubgroup() {
  here.clear();
  firstsHere.clear();
  ofWorkgroup = false;
}

void ValueMap::define(Value value, Value as) {
  if (ofWorkgroup) {
    groupValues[value] = as;
    return;
  }
  here[value] = as;
  if (source.isKept(value))
    source.keep(value, as);
}

void ValueMap::defineFirsts(Value value, ArrayRef<Value> firsts) {
  firstsHere[value] = llvm::to_vector(firsts);
  if (source.isKept(value))
    source.keep(value, joined(value));
}

/// Returns a scalar if the value's shape allows one, and otherwise a vector. Returns null if the
/// map holds the first lanes of blocks instead.
Value ValueMap::find(Value value) {
  if (analysis.isWorkgroupScalar(value))
    return isLeaf(value) ? source.emitLeaf(value.getDefiningOp()) : groupValues.lookup(value);
  if (Value known = here.lookup(value); known || firstsHere.contains(value))
    return known;
  source.bring(value);
  return here.lookup(value);
}

Value ValueMap::vector(Value value) {
  Shape shape = analysis.shape(value);
  Value held = find(value);
  return shape.scalar() ? spread(held, shape) : held ? held : joined(value);
}

Value ValueMap::spread(Value first, const Shape &shape) {
  Value same = b.splat(first);
  if (shape.uniform())
    return same;
  if (isa<LLVM::LLVMPointerType>(first.getType()))
    return LLVM::GEPOp::create(b, same.getType(), b.getI8Type(), first,
                               ValueRange{b.laneNumbers(b.getI64Type(), shape.stride)});
  return LLVM::AddOp::create(b, same, b.laneNumbers(first.getType(), shape.stride));
}

//===-------------------------------------------------------------------------===//
// Values that are strided in blocks of lanes (StridedBlocks.cpp)
//===-------------------------------------------------------------------------===//

unsigned ValueMap::blocksOf(const Shape &shape) const {
  constexpr unsigned leastLanes = 4, mostBlocks = 8;
  if (shape.kind != Shape::Varying || shape.block < leastLanes || shape.block >= b.lanes)
    return 0;
  unsigned blocks = b.lanes / shape.block;
  return blocks <= mostBlocks ? blocks : 0;
}

Value ValueMap::laneOf(Value value, unsigned lane) {
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

/// Returns the vector of a value for which the map holds the first lanes of blocks.
Value ValueMap::joined(Value value) {
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
  for (unsigned lane = 0; lane < b.lanes; ++lane)
    steps.push_back(APInt(element.getIntOrFloatBitWidth(), lane % shape.block * shape.stride, true,
                          /*implicitTrunc=*/true));
  auto type = cast<VectorType>(b.vectorOf(element));
  Value inBlock = LLVM::ConstantOp::create(b, type, DenseElementsAttr::get(type, steps));
  if (pointers)
    return LLVM::GEPOp::create(b, all.getType(), b.getI8Type(), all, ValueRange{inBlock});
  return LLVM::AddOp::create(b, all, inBlock);
}
