//===- Shapes.cpp - creates and reshapes tensors, and moves elements --------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

/// Parses a type. The text omits the mask's type, since it has the shape of the tensor before it.
static ParseResult parseTypeAndMask(OpAsmParser &parser, Type &type,
                                    const std::optional<OpAsmParser::UnresolvedOperand> &mask,
                                    Type &maskType) {
  if (parser.parseType(type))
    return failure();
  if (mask)
    maskType = withScalar(type, parser.getBuilder().getI1Type());
  return success();
}

static void printTypeAndMask(OpAsmPrinter &printer, Operation *, Type type, Value, Type) {
  printer.printType(type);
}

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Shapes.cpp.inc"

void TritonDialect::addShapeOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Shapes.cpp.inc"
      >();
}

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType shaped(Value like, ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, tensorOf(like).getElementType());
}

LogicalResult MakeRangeOp::verify() {
  int64_t start = getStart(), end = getEnd();
  if (start >= end)
    return emitOpError("expected an end greater than the start ") << start << ", got " << end;
  if (getType().getShape() != ArrayRef(end - start))
    return emitOpError("expected a tensor of ")
           << end - start << " elements for " << start << " to " << end << ", got " << getType();
  return success();
}

LogicalResult SplatOp::verify() {
  return verifyType(*this, "an operand", getSource().getType(),
                    cast<RankedTensorType>(getType()).getElementType());
}

LogicalResult UnsplatOp::verify() {
  if (tensorOf(getSource()).getNumElements() != 1)
    return emitOpError("expected a tensor of one element, got ") << getSource().getType();
  return success();
}

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> shape(tensorOf(getSource()).getShape());
  if (failed(verifyAxis(*this, getAxis(), static_cast<int64_t>(shape.size()) + 1)))
    return failure();
  shape.insert(shape.begin() + getAxis(), 1);
  return verifyType(*this, "a result", getType(), shaped(getSource(), shape));
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = tensorOf(getSource()), to = tensorOf(getResult());
  bool fits = from.getRank() == to.getRank() && from.getElementType() == to.getElementType();
  for (int64_t d = 0; fits && d < from.getRank(); ++d)
    fits = from.getDimSize(d) == 1 || from.getDimSize(d) == to.getDimSize(d);
  if (!fits)
    return emitOpError("expected a result that repeats only dimensions of one element of ")
           << from << ", got " << to;
  return success();
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = tensorOf(getSource()), to = tensorOf(getResult());
  if (from.getNumElements() != to.getNumElements() || from.getElementType() != to.getElementType())
    return emitOpError("expected a result with the number and type of the elements of ")
           << from << ", got " << to;
  return success();
}

LogicalResult TransOp::verify() {
  RankedTensorType from = tensorOf(getSource());
  SmallVector<int64_t> shape;
  SmallVector<bool> seen(from.getRank(), false);
  for (int32_t dimension : getOrder()) {
    if (dimension < 0 || dimension >= from.getRank() || seen[dimension])
      return emitOpError("expected each of the ")
             << from.getRank() << " dimensions once in the order, got " << getOrder();
    seen[dimension] = true;
    shape.push_back(from.getDimSize(dimension));
  }
  return verifyType(*this, "a result", getType(), shaped(getSource(), shape));
}

LogicalResult CatOp::verify() {
  RankedTensorType from = tensorOf(getFirst());
  if (from.getRank() != 1)
    return emitOpError("expected operands of one dimension, got ") << from;
  return verifyType(*this, "a result", getType(), shaped(getFirst(), 2 * from.getNumElements()));
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> shape(tensorOf(getFirst()).getShape());
  shape.push_back(2);
  return verifyType(*this, "a result", getType(), shaped(getFirst(), shape));
}

LogicalResult SplitOp::verify() {
  RankedTensorType from = tensorOf(getSource());
  if (from.getRank() < 1 || from.getShape().back() != 2)
    return emitOpError("expected an operand whose last dimension is 2, got ") << from;
  return verifyType(*this, "a result", getOutLHS().getType(),
                    shaped(getSource(), from.getShape().drop_back()));
}

LogicalResult GatherOp::verify() {
  RankedTensorType from = tensorOf(getSource()), indices = tensorOf(getIndices());
  if (failed(verifyAxis(*this, getAxis(), from.getRank())) ||
      failed(verifyType(*this, "a result", getType(), shaped(getSource(), indices.getShape()))))
    return failure();
  bool fits = from.getRank() == indices.getRank();
  for (int64_t d = 0; fits && d < from.getRank(); ++d)
    fits = d == getAxis() || from.getDimSize(d) == indices.getDimSize(d);
  if (!fits)
    return emitOpError("expected a source and indices that differ only along axis ")
           << getAxis() << ", got " << from << " and " << indices;
  return success();
}

LogicalResult HistogramOp::verify() {
  for (RankedTensorType type : {tensorOf(getSource()), getType()})
    if (type.getRank() != 1)
      return emitOpError("expected a source and a result of one dimension, got ") << type;
  if (getMask())
    return verifySameShape(*this, "numbers", getSource().getType(), "a mask", getMask().getType());
  return success();
}
