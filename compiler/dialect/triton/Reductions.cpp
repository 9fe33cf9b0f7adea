//===- Reductions.cpp - operations with regions on elements -----------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Reductions.cpp.inc"

void TritonDialect::addReductionOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Reductions.cpp.inc"
      >();
}

static LogicalResult verifySources(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->emitOpError() << "expected at least one operand, got none";
  for (Type type : op->getOperandTypes())
    if (failed(verifySameShape(op, "an operand", op->getOperandTypes()[0], "another", type)))
      return failure();
  return success();
}

/// Verifies results. They must have the operands' element types, as tensors of `shape` or as
/// scalars.
static LogicalResult verifyResults(Operation *op, ArrayRef<int64_t> shape, bool scalars) {
  if (op->getNumResults() != op->getNumOperands())
    return op->emitOpError() << "expected a result for each of the " << op->getNumOperands()
                             << " operands, got " << op->getNumResults();
  for (auto [result, operand] : llvm::zip(op->getResultTypes(), op->getOperandTypes())) {
    Type element = scalarOf(operand);
    Type expected = scalars ? element : RankedTensorType::get(shape, element);
    if (failed(verifyType(op, "a result", result, expected)))
      return failure();
  }
  return success();
}

/// Verifies the region's arguments and the values that each of its returns yields.
static LogicalResult verifyRegion(Operation *op, ArrayRef<Type> taken, ArrayRef<Type> given) {
  Region &region = op->getRegion(0);
  if (region.empty())
    return op->emitOpError() << "expected a region with a block, got an empty one";
  if (region.getArgumentTypes() != TypeRange(taken))
    return op->emitOpError() << "expected a region with arguments of types " << taken << ", got "
                             << region.getArgumentTypes();
  for (Block &block : region) {
    Operation *end = block.getTerminator();
    if (end->getNumSuccessors() == 0 && end->getOperandTypes() != TypeRange(given))
      return end->emitOpError() << "expected values of types " << given << ", got "
                                << end->getOperandTypes();
  }
  return success();
}

static SmallVector<Type> elementsOf(TypeRange types, unsigned times = 1) {
  SmallVector<Type> elements;
  for (Type type : types)
    elements.append(times, scalarOf(type));
  return elements;
}

/// Verifies a region that combines two elements of each operand into one.
static LogicalResult verifyCombine(Operation *op) {
  SmallVector<Type> given = elementsOf(op->getOperandTypes()), taken = given;
  taken.append(given);
  return verifyRegion(op, taken, given);
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  SmallVector<int64_t> shape(shapeOf(getSources()[0].getType()));
  if (failed(verifyAxis(*this, getAxis(), static_cast<int64_t>(shape.size()))))
    return failure();
  shape.erase(shape.begin() + getAxis());
  return verifyResults(*this, shape, /*scalars=*/shape.empty());
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  ArrayRef<int64_t> shape = shapeOf(getSources()[0].getType());
  if (failed(verifyAxis(*this, getAxis(), static_cast<int64_t>(shape.size()))))
    return failure();
  return verifyResults(*this, shape, /*scalars=*/false);
}

LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this); }

LogicalResult MapElementwiseOp::verify() {
  if (failed(verifySources(*this)))
    return failure();
  auto first = cast<RankedTensorType>(getSources()[0].getType());
  int64_t pack = getPack();
  if (pack < 1 || first.getNumElements() % pack != 0)
    return emitOpError("expected a divisor of the number of elements of ")
           << first << " as pack, got " << pack;
  for (Type type : getResultTypes())
    if (failed(verifySameShape(*this, "an operand", first, "a result", type)))
      return failure();
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  auto pack = static_cast<unsigned>(getPack());
  return verifyRegion(*this, elementsOf(getSources().getTypes(), pack),
                      elementsOf(getResultTypes(), pack));
}
