//===- OpenClMemory.cpp - vectors in memory, by number ----------------------===//
// Lowers vload and vstore, which access n elements from element n * offset on. One element's
// alignment is sufficient. Instructions with "half" in their names convert between f16 in memory
// and a wider type. Those with an "a" in their names need vectors that are aligned as vectors;
// three elements then take the space of four.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/OpenCl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

/// Returns a pointer to vector number `offset`. The vector has `count` elements and takes the space
/// of `room` elements.
static FailureOr<Pointer> vectorAt(Lowering &l, Value base, Value offset, Type element,
                                   unsigned count, unsigned room) {
  FailureOr<Pointer> pointer = l.pointer(base);
  FailureOr<Value> address = failed(pointer) ? FailureOr<Value>(failure()) : l.address(*pointer);
  if (failed(address))
    return failure();
  Pointer made;
  Type whole = spirv::ArrayType::get(element, count);
  made.pointee =
      spirv::RuntimeArrayType::get(whole, room * static_cast<unsigned>(l.types.bytes(element)));
  made.base = *address;
  made.exclusive = pointer->exclusive;
  return l.access(made, offset);
}

static unsigned countOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? static_cast<unsigned>(vector.getNumElements()) : 1U;
}

static Type elementOf(Type type) { return getElementTypeOrSelf(type); }

/// Returns how many elements of space a vector takes, which depends on the instruction's name.
static unsigned roomOf(Operation *op, unsigned count) {
  bool isAligned = StringRef(instructionName(op)).contains("a_half");
  return isAligned && count == 3 ? 4 : count;
}

LogicalResult opencl::loadVector(Lowering &l, Operation *op) {
  Type type = op->getResult(0).getType();
  unsigned count = countOf(type);
  auto at = vectorAt(l, op->getOperand(1), op->getOperand(0), elementOf(type), count, count);
  FailureOr<Scalars> loaded = failed(at) ? FailureOr<Scalars>(failure()) : l.load(*at);
  return failed(loaded) ? failure() : l.finish(op, *loaded);
}

/// The operands are data, offset and pointer.
LogicalResult opencl::storeVector(Lowering &l, Operation *op) {
  Value data = op->getOperand(0);
  unsigned count = countOf(data.getType());
  auto at =
      vectorAt(l, op->getOperand(2), op->getOperand(1), elementOf(data.getType()), count, count);
  return failed(at) ? failure() : l.store(*at, l.get(data));
}

LogicalResult opencl::loadHalf(Lowering &l, Operation *op) {
  Type type = op->getResult(0).getType(), half = l.b.getF16Type();
  unsigned count = countOf(type);
  auto at = vectorAt(l, op->getOperand(1), op->getOperand(0), half, count, roomOf(op, count));
  FailureOr<Scalars> loaded = failed(at) ? FailureOr<Scalars>(failure()) : l.load(*at);
  if (failed(loaded))
    return failure();
  Type wide = l.types.scalar(elementOf(type));
  for (Value &x : *loaded)
    if (wide != half)
      x = arith::ExtFOp::create(l.b, wide, x);
  return l.finish(op, *loaded);
}

/// Lowers stores that convert to f16. The operands are data, offset and pointer. Some instructions
/// have a rounding mode among their literals.
LogicalResult opencl::storeHalf(Lowering &l, Operation *op) {
  Value data = op->getOperand(0);
  Type half = l.b.getF16Type();
  unsigned count = countOf(data.getType());
  SmallVector<int32_t> modes = l.literals(op, "literals");
  auto at = vectorAt(l, op->getOperand(2), op->getOperand(1), half, count, roomOf(op, count));
  if (failed(at))
    return failure();
  Scalars rounded;
  for (Value x : l.get(data))
    rounded.push_back(x.getType() == half ? x
                                          : roundFloat(l, half, x, modes.empty() ? 0 : modes[0]));
  return l.store(*at, rounded);
}
