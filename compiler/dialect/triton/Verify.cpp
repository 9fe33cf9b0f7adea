//===- Verify.cpp - checks shared by verifiers of the tt dialect ------------===//
#include "compiler/dialect/triton/Verify.h"

using namespace mlir;
using namespace pumice;

static LogicalResult verifyTensor(Operation *op, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (tensor.getEncoding())
    return op->emitOpError() << "expected a tensor without a layout, got " << tensor
                             << "; this is TTGIR: give Pumice the TTIR";
  int64_t elements = 1;
  for (int64_t length : tensor.getShape()) {
    if (length <= 0 || !llvm::isPowerOf2_64(length))
      return op->emitOpError() << "expected dimensions that are powers of two, got " << length
                               << " in " << tensor << "; use the next power of two and a mask";
    elements = length > triton::mostElements ? length : elements * length;
    if (elements > triton::mostElements)
      return op->emitOpError() << "expected at most " << triton::mostElements << " elements, got "
                               << tensor << "; use a smaller block, and a loop or a larger grid";
  }
  return success();
}

LogicalResult triton::verifyTensors(Operation *op) {
  for (Type type : op->getOperandTypes())
    if (failed(verifyTensor(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyTensor(op, type)))
      return failure();
  return success();
}

LogicalResult triton::verifySameShape(Operation *op, StringRef first, Type a, StringRef second,
                                      Type b) {
  bool same = isa<RankedTensorType>(a) == isa<RankedTensorType>(b) && shapeOf(a) == shapeOf(b);
  return same ? success()
              : op->emitOpError() << "expected " << first << " and " << second
                                  << " of the same shape, got " << a << " and " << b;
}

LogicalResult triton::verifyType(Operation *op, StringRef what, Type given, Type expected) {
  return given == expected ? success()
                           : op->emitOpError() << "expected " << what << " of type " << expected
                                               << ", got " << given;
}

LogicalResult triton::verifyAxis(Operation *op, int64_t axis, int64_t rank) {
  return axis >= 0 && axis < rank ? success()
                                  : op->emitOpError() << "expected an axis of a tensor of " << rank
                                                      << " dimensions, got " << axis;
}
