//===- Memory.cpp - accesses by pointers ------------------------------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

/// Returns the type of the values at `pointers`: a tensor of the same shape, or a scalar. Returns
/// null if they are not pointers.
static Type pointeesOf(Type pointers) {
  auto pointer = dyn_cast<PointerType>(scalarOf(pointers));
  return pointer ? withScalar(pointers, pointer.getPointee()) : Type();
}

//===-------------------------------------------------------------------------===//
// Text: only the type of the pointers is written
//===-------------------------------------------------------------------------===//

using MaybeOperand = std::optional<OpAsmParser::UnresolvedOperand>;

static ParseResult parsePointers(OpAsmParser &parser, Type &pointers, Type &pointees) {
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(pointers))
    return failure();
  pointees = pointeesOf(pointers);
  if (!pointees)
    return parser.emitError(place)
           << "expected a pointer or a tensor of pointers, got " << pointers;
  return success();
}

static ParseResult parseAccessTypes(OpAsmParser &parser, Type &pointers, const MaybeOperand &mask,
                                    Type &maskType, const MaybeOperand &other, Type &otherType,
                                    Type &result) {
  if (parsePointers(parser, pointers, result))
    return failure();
  if (mask)
    maskType = withScalar(pointers, parser.getBuilder().getI1Type());
  if (other)
    otherType = result;
  return success();
}

static void printAccessTypes(OpAsmPrinter &printer, Operation *, Type pointers, Value, Type, Value,
                             Type, Type) {
  printer.printType(pointers);
}

static ParseResult parseStoreTypes(OpAsmParser &parser, Type &pointers, Type &value,
                                   const MaybeOperand &mask, Type &maskType) {
  Type none;
  return parseAccessTypes(parser, pointers, mask, maskType, std::nullopt, none, value);
}

static void printStoreTypes(OpAsmPrinter &printer, Operation *, Type pointers, Type, Value, Type) {
  printer.printType(pointers);
}

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Memory.cpp.inc"

void TritonDialect::addMemoryOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Memory.cpp.inc"
      >();
}

//===-------------------------------------------------------------------------===//
// Verifiers
//===-------------------------------------------------------------------------===//

static LogicalResult verifyMask(Operation *op, Value pointer, Value mask) {
  return mask ? verifySameShape(op, "a pointer", pointer.getType(), "a mask", mask.getType())
              : success();
}

LogicalResult LoadOp::verify() {
  Type pointees = pointeesOf(getPointer().getType());
  if (failed(verifyType(*this, "a result", getType(), pointees)) ||
      failed(verifyMask(*this, getPointer(), getMask())))
    return failure();
  if (getOther() && !getMask())
    return emitOpError("expected a mask that chooses the other values, got none");
  return getOther() ? verifyType(*this, "other values", getOther().getType(), pointees) : success();
}

LogicalResult StoreOp::verify() {
  if (failed(verifyMask(*this, getPointer(), getMask())))
    return failure();
  return verifyType(*this, "a value", getValue().getType(), pointeesOf(getPointer().getType()));
}

LogicalResult AtomicRMWOp::verify() {
  Type pointees = pointeesOf(getPointer().getType());
  if (failed(verifyType(*this, "a value", getValue().getType(), pointees)) ||
      failed(verifyType(*this, "a result", getType(), pointees)) ||
      failed(verifyMask(*this, getPointer(), getMask())))
    return failure();
  bool ofFloats = isa<FloatType>(scalarOf(pointees));
  if (getKind() != AtomicKind::Exchange && ofFloats != (getKind() == AtomicKind::FAdd))
    return emitOpError("expected ") << (ofFloats ? "fadd or exch" : "an operation other than fadd")
                                    << " for elements of type " << scalarOf(pointees) << ", got "
                                    << stringifyAtomicKind(getKind());
  return success();
}

static LogicalResult verifyOrder(Operation *op, MemoryOrder order, MemoryOrder strongest) {
  if (order == MemoryOrder::Relaxed || order == strongest)
    return success();
  return op->emitOpError("expected the order relaxed or ")
         << stringifyMemoryOrder(strongest) << ", got " << stringifyMemoryOrder(order);
}

LogicalResult AtomicLoadOp::verify() {
  Type pointees = pointeesOf(getPointer().getType());
  if (failed(verifyOrder(*this, getOrder(), MemoryOrder::Acquire)) ||
      failed(verifyMask(*this, getPointer(), getMask())))
    return failure();
  return verifyType(*this, "a result", getType(), pointees);
}

LogicalResult AtomicStoreOp::verify() {
  if (failed(verifyOrder(*this, getOrder(), MemoryOrder::Release)) ||
      failed(verifyMask(*this, getPointer(), getMask())))
    return failure();
  return verifyType(*this, "a value", getValue().getType(), pointeesOf(getPointer().getType()));
}

LogicalResult AtomicPollOp::verify() {
  Type pointees = pointeesOf(getPointer().getType()), element = scalarOf(pointees);
  if (failed(verifyOrder(*this, getOrder(), MemoryOrder::Acquire)) ||
      failed(verifyType(*this, "an expected value", getExpected().getType(), pointees)))
    return failure();
  if (!element.isInteger(16) && !element.isInteger(32) && !element.isInteger(64))
    return emitOpError("expected an integer of 16, 32 or 64 bits, got ") << element;
  return verifyType(*this, "a result", getType(),
                    withScalar(getPointer().getType(), IntegerType::get(getContext(), 1)));
}

LogicalResult AtomicCASOp::verify() {
  Type pointees = pointeesOf(getPointer().getType());
  if (failed(verifyType(*this, "an expected value", getExpected().getType(), pointees)) ||
      failed(verifyType(*this, "a value", getValue().getType(), pointees)))
    return failure();
  return verifyType(*this, "a result", getType(), pointees);
}

//===-------------------------------------------------------------------------===//
// Effects
//===-------------------------------------------------------------------------===//

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// A volatile load happens as often as it is written in the code.
void LoadOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPointerMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

void StoreOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPointerMutable());
}

/// Adds effects on all memory, since an atomic operation may order accesses to other memory.
static void addAtomicEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void AtomicRMWOp::getEffects(Effects &effects) { addAtomicEffects(effects); }
void AtomicCASOp::getEffects(Effects &effects) { addAtomicEffects(effects); }
void AtomicLoadOp::getEffects(Effects &effects) { addAtomicEffects(effects); }
void AtomicStoreOp::getEffects(Effects &effects) { addAtomicEffects(effects); }
void AtomicPollOp::getEffects(Effects &effects) { addAtomicEffects(effects); }
