//===- Builder.cpp - the small operations that SIMD code is made of -------===//
#include "compiler/cpu/simd/Emitter.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static Value constantOf(ImplicitLocOpBuilder &b, Type type, Attribute value) {
  return LLVM::ConstantOp::create(b, type, value);
}

static unsigned lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

Type SimdEmitter::vectorOf(Type element, unsigned count) {
  return VectorType::get({static_cast<int64_t>(count ? count : lanes)}, element);
}

Value SimdEmitter::integer(Type type, int64_t value) {
  auto vector = dyn_cast<VectorType>(type);
  IntegerAttr one = b.getIntegerAttr(vector ? vector.getElementType() : type, value);
  return constantOf(b, type,
                    vector ? Attribute(DenseElementsAttr::get(vector, one.getValue())) : one);
}

Value SimdEmitter::splat(Value scalar, unsigned count) {
  auto type = cast<VectorType>(vectorOf(scalar.getType(), count));
  if (auto constant = scalar.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, constant.getValue()));
  if (auto constant = scalar.getDefiningOp<LLVM::ConstantOp>())
    return constantOf(b, type, DenseElementsAttr::get(type, constant.getValue()));
  Value poison = LLVM::PoisonOp::create(b, type);
  Value first = LLVM::InsertElementOp::create(b, poison, scalar, i32(0));
  return shuffle(first, SmallVector<int32_t>(type.getNumElements(), 0));
}

/// 0, factor, 2 * factor, …
Value SimdEmitter::laneNumbers(Type element, int64_t factor) {
  SmallVector<APInt> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), lane * factor, true, true));
  auto type = cast<VectorType>(vectorOf(element));
  return constantOf(b, type, DenseElementsAttr::get(type, numbers));
}

Value SimdEmitter::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, pointer.getType(), b.getI8Type(), pointer, ValueRange{bytes});
}

Value SimdEmitter::offset(Value pointer, int64_t bytes) {
  return bytes ? offset(pointer, i64(bytes)) : pointer;
}

Value SimdEmitter::loadFrom(Type type, Value pointer, int64_t alignment) {
  return LLVM::LoadOp::create(b, type, pointer, alignment);
}

void SimdEmitter::storeTo(Value value, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(b, value, pointer, alignment);
}

Value SimdEmitter::shuffle(Value a, Value c, ArrayRef<int32_t> from) {
  return LLVM::ShuffleVectorOp::create(b, a, c, from);
}

Value SimdEmitter::extract(Value vector, Value lane) {
  return LLVM::ExtractElementOp::create(b, vector, lane);
}

/// In the entry block, so that LLVM makes values of what no address leaves.
Value SimdEmitter::stackOf(Type type, int64_t count, int64_t alignment) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(entry);
  return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), type, i64(count),
                                alignment);
}

//===-------------------------------------------------------------------------===//
// Masks. What lanes compute that are not there may be poison: a selection keeps it out of masks,
// where a bitwise and would let it in.
//===-------------------------------------------------------------------------===//

Value SimdEmitter::noLanes() { return integer(vectorOf(b.getI1Type()), 0); }
Value SimdEmitter::allLanes() { return integer(vectorOf(b.getI1Type()), 1); }

Value SimdEmitter::both(Value mask, Value condition) {
  if (!isa<VectorType>(condition.getType()))
    condition = splat(condition);
  return mask ? select(mask, condition, noLanes()) : condition;
}

Value SimdEmitter::negated(Value mask) {
  return LLVM::XOrOp::create(b, mask, integer(mask.getType(), 1));
}

Value SimdEmitter::either(Value a, Value c) { return LLVM::OrOp::create(b, a, c); }

Value SimdEmitter::select(Value condition, Value a, Value c) {
  return LLVM::SelectOp::create(b, condition, a, c);
}

/// The mask as an integer of as many bits as lanes.
Value SimdEmitter::maskBits(Value mask) {
  return LLVM::BitcastOp::create(b, b.getIntegerType(lanesOf(mask)), mask);
}

Value SimdEmitter::anyOf(Value mask) {
  Value bits = maskBits(mask);
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, bits, integer(bits.getType(), 0));
}

Value SimdEmitter::allOf(Value mask) {
  Value bits = maskBits(mask);
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, bits, integer(bits.getType(), -1));
}

Value SimdEmitter::activeOr(Value vector, Value otherwise) {
  return mask ? select(mask, vector, otherwise) : vector;
}

//===-------------------------------------------------------------------------===//
// Truth values in memory are bytes
//===-------------------------------------------------------------------------===//

static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

Value SimdEmitter::toMemory(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  return LLVM::ZExtOp::create(b, withElement(value.getType(), b.getI8Type()), value);
}

Value SimdEmitter::fromMemory(Value value, Type type) {
  if (!type.isInteger(1))
    return value;
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, value, integer(value.getType(), 0));
}

//===-------------------------------------------------------------------------===//
// Blocks
//===-------------------------------------------------------------------------===//

Block *SimdEmitter::newBlock() {
  Block *block = new Block;
  function.getBody().push_back(block);
  return block;
}

bool SimdEmitter::isOpen() const {
  Block *block = b.getInsertionBlock();
  return block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>();
}

void SimdEmitter::branch(Block *to) {
  if (isOpen())
    LLVM::BrOp::create(b, to);
}

void SimdEmitter::branch(Value condition, Block *yes, Block *no, DenseI32ArrayAttr weights) {
  LLVM::CondBrOp::create(b, condition, ValueRange{}, ValueRange{}, weights, yes, no);
}

void SimdEmitter::fail(Operation *op, const Twine &why) {
  op->emitError(why);
  failed = true;
}
