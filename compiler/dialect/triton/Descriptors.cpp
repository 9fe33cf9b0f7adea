//===- Descriptors.cpp - accesses by tensor descriptors ---------------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Descriptors.cpp.inc"

void TritonDialect::addDescriptorOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Descriptors.cpp.inc"
      >();
}

/// Returns the signless type. Values are signless, but the integers of a descriptor's block may
/// have a sign.
static Type withoutSign(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer ? IntegerType::get(type.getContext(), integer.getWidth()) : type;
}

static Type elementOf(TensorDescType descriptor) {
  return withoutSign(descriptor.getBlock().getElementType());
}

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = getType().getBlock();
  if (getBase().getType().getPointee() != elementOf(getType()))
    return emitOpError("expected a pointer to the elements of blocks ")
           << block << ", got " << getBase().getType();
  for (auto [what, count] :
       {std::pair("lengths", getShape().size()), std::pair("strides", getStrides().size())})
    if (count != static_cast<size_t>(block.getRank()))
      return emitOpError("expected ")
             << block.getRank() << " " << what << " for blocks " << block << ", got " << count;
  if (getPadding() == Padding::NaN && !isa<FloatType>(block.getElementType()))
    return emitOpError("expected floats to pad with NaN, got ") << block.getElementType();
  return success();
}

static LogicalResult verifyBlock(Operation *op, TensorDescType descriptor, OperandRange indices,
                                 RankedTensorType value) {
  RankedTensorType block = descriptor.getBlock();
  if (indices.size() != static_cast<size_t>(block.getRank()))
    return op->emitOpError() << "expected " << block.getRank() << " indices for blocks " << block
                             << ", got " << indices.size();
  if (value.getNumElements() != block.getNumElements() ||
      value.getElementType() != elementOf(descriptor))
    return op->emitOpError() << "expected a tensor with the elements of a block " << block
                             << ", got " << value;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getIndices(),
                     cast<RankedTensorType>(getType()));
}

LogicalResult DescriptorStoreOp::verify() {
  return verifyBlock(*this, getDescriptor().getType(), getIndices(),
                     cast<RankedTensorType>(getValue().getType()));
}

LogicalResult DescriptorReduceOp::verify() {
  Type element = elementOf(getDescriptor().getType());
  bool bitwise = llvm::is_contained({DescriptorReduceKind::And, DescriptorReduceKind::Or,
                                     DescriptorReduceKind::Xor, DescriptorReduceKind::Increment,
                                     DescriptorReduceKind::Decrement},
                                    getKind());
  if (bitwise && isa<FloatType>(element))
    return emitOpError("expected add, min or max for elements of type ")
           << element << ", got " << stringifyDescriptorReduceKind(getKind());
  return verifyBlock(*this, getDescriptor().getType(), getIndices(),
                     cast<RankedTensorType>(getValue().getType()));
}

/// Verifies a gather or scatter of rows. The block must be one row, and each row number moves one
/// row.
static LogicalResult verifyRows(Operation *op, TensorDescType descriptor, RankedTensorType rows,
                                RankedTensorType value) {
  RankedTensorType block = descriptor.getBlock();
  if (block.getRank() != 2 || block.getDimSize(0) != 1)
    return op->emitOpError()
           << "expected a descriptor of blocks of one row, in two dimensions, got " << block;
  if (rows.getRank() != 1)
    return op->emitOpError() << "expected rows of one dimension, got " << rows;
  Type expected =
      RankedTensorType::get({rows.getDimSize(0), block.getDimSize(1)}, elementOf(descriptor));
  return verifyType(op, "values", value, expected);
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDescriptor().getType(), getRows().getType(),
                    cast<RankedTensorType>(getType()));
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDescriptor().getType(), getRows().getType(),
                    cast<RankedTensorType>(getValue().getType()));
}
