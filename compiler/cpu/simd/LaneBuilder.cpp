//===- LaneBuilder.cpp - the small operations of SIMD code ------------------===//
#include "compiler/cpu/simd/LaneBuilder.h"

#include <numeric>

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static Value constantOf(ImplicitLocOpBuilder &b, Type type, Attribute value) {
  return LLVM::ConstantOp::create(b, type, value);
}

static unsigned lanesOf(Value vector) {
  return cast<VectorType>(vector.getType()).getNumElements();
}

LaneBuilder::LaneBuilder(Location location, unsigned lanes)
    : ImplicitLocOpBuilder(location, location.getContext()), lanes(lanes) {}

void LaneBuilder::fill(LLVM::LLVMFuncOp filled) {
  function = filled;
  entry = function.addEntryBlock(*this);
}

Type LaneBuilder::vectorOf(Type element, unsigned count) {
  return VectorType::get({static_cast<int64_t>(count ? count : lanes)}, element);
}

Value LaneBuilder::integer(Type type, int64_t value) {
  auto vector = dyn_cast<VectorType>(type);
  IntegerAttr one = getIntegerAttr(vector ? vector.getElementType() : type, value);
  return constantOf(*this, type,
                    vector ? Attribute(DenseElementsAttr::get(vector, one.getValue())) : one);
}

Value LaneBuilder::splat(Value scalar, unsigned count) {
  auto type = cast<VectorType>(vectorOf(scalar.getType(), count));
  if (auto constant = scalar.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, constant.getValue()));
  if (auto constant = scalar.getDefiningOp<LLVM::ConstantOp>())
    return constantOf(*this, type, DenseElementsAttr::get(type, constant.getValue()));
  Value poison = LLVM::PoisonOp::create(*this, type);
  Value first = LLVM::InsertElementOp::create(*this, poison, scalar, i32(0));
  return shuffle(first, SmallVector<int32_t>(type.getNumElements(), 0));
}

Value LaneBuilder::laneNumbers(Type element, int64_t factor) {
  SmallVector<APInt> numbers;
  for (unsigned lane = 0; lane < lanes; ++lane)
    numbers.push_back(APInt(element.getIntOrFloatBitWidth(), lane * factor, true, true));
  auto type = cast<VectorType>(vectorOf(element));
  return constantOf(*this, type, DenseElementsAttr::get(type, numbers));
}

Value LaneBuilder::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(*this, pointer.getType(), getI8Type(), pointer, ValueRange{bytes});
}

Value LaneBuilder::offset(Value pointer, int64_t bytes) {
  return bytes ? offset(pointer, i64(bytes)) : pointer;
}

Value LaneBuilder::loadFrom(Type type, Value pointer, int64_t alignment) {
  return LLVM::LoadOp::create(*this, type, pointer, alignment);
}

void LaneBuilder::storeTo(Value value, Value pointer, int64_t alignment) {
  LLVM::StoreOp::create(*this, value, pointer, alignment);
}

Value LaneBuilder::shuffle(Value a, Value c, ArrayRef<int32_t> from) {
  return LLVM::ShuffleVectorOp::create(*this, a, c, from);
}

Value LaneBuilder::extract(Value vector, Value lane) {
  return LLVM::ExtractElementOp::create(*this, vector, lane);
}

Value LaneBuilder::stackOf(Type type, int64_t count, int64_t alignment) {
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(entry);
  return LLVM::AllocaOp::create(*this, LLVM::LLVMPointerType::get(getContext()), type, i64(count),
                                alignment);
}

Value LaneBuilder::concatenate(ArrayRef<Value> pieces) {
  SmallVector<Value> parts(pieces);
  while (parts.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t i = 0; i < parts.size(); i += 2) {
      unsigned first = cast<VectorType>(parts[i].getType()).getNumElements();
      Value second = i + 1 < parts.size()
                         ? parts[i + 1]
                         : LLVM::PoisonOp::create(*this, parts[i].getType()).getRes();
      unsigned rest = cast<VectorType>(second.getType()).getNumElements();
      if (rest < first) { // pads the last piece, which is shorter
        SmallVector<int32_t> longer(first, -1);
        std::iota(longer.begin(), longer.begin() + rest, 0);
        second = shuffle(second, longer);
      }
      SmallVector<int32_t> all(2 * first);
      std::iota(all.begin(), all.end(), 0);
      pairs.push_back(shuffle(parts[i], second, all));
    }
    parts = pairs;
  }
  return parts[0];
}

//===-------------------------------------------------------------------------===//
// Masks
//===-------------------------------------------------------------------------===//

Value LaneBuilder::both(Value mask, Value condition) {
  if (!isa<VectorType>(condition.getType()))
    condition = splat(condition);
  return mask ? select(mask, condition, noLanes()) : condition;
}

Value LaneBuilder::negated(Value mask) {
  return LLVM::XOrOp::create(*this, mask, integer(mask.getType(), 1));
}

Value LaneBuilder::either(Value a, Value c) { return LLVM::OrOp::create(*this, a, c); }

Value LaneBuilder::select(Value condition, Value a, Value c) {
  return LLVM::SelectOp::create(*this, condition, a, c);
}

Value LaneBuilder::maskBits(Value mask) {
  return LLVM::BitcastOp::create(*this, getIntegerType(lanesOf(mask)), mask);
}

Value LaneBuilder::anyOf(Value mask) {
  Value bits = maskBits(mask);
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::ne, bits, integer(bits.getType(), 0));
}

Value LaneBuilder::allOf(Value mask) {
  Value bits = maskBits(mask);
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::eq, bits, integer(bits.getType(), -1));
}

//===-------------------------------------------------------------------------===//
// In memory, a truth value is a byte
//===-------------------------------------------------------------------------===//

static Type withElement(Type like, Type element) {
  auto vector = dyn_cast<VectorType>(like);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

Type LaneBuilder::memoryType(Type type) const {
  return type.isInteger(1) ? IntegerType::get(type.getContext(), 8) : type;
}

Value LaneBuilder::toMemory(Value value) {
  if (!getElementTypeOrSelf(value.getType()).isInteger(1))
    return value;
  return LLVM::ZExtOp::create(*this, withElement(value.getType(), getI8Type()), value);
}

Value LaneBuilder::fromMemory(Value value, Type type) {
  if (!type.isInteger(1))
    return value;
  return LLVM::ICmpOp::create(*this, LLVM::ICmpPredicate::ne, value, integer(value.getType(), 0));
}

//===-------------------------------------------------------------------------===//
// Blocks
//===-------------------------------------------------------------------------===//

Block *LaneBuilder::newBlock() {
  Block *block = new Block;
  function.getBody().push_back(block);
  return block;
}

bool LaneBuilder::isOpen() const {
  Block *block = getInsertionBlock();
  return block->empty() || !block->back().hasTrait<OpTrait::IsTerminator>();
}

void LaneBuilder::branch(Block *to) {
  if (isOpen())
    LLVM::BrOp::create(*this, to);
}

void LaneBuilder::branch(Value condition, Block *yes, Block *no, DenseI32ArrayAttr weights) {
  LLVM::CondBrOp::create(*this, condition, ValueRange{}, ValueRange{}, weights, yes, no);
}
