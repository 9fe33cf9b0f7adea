//===- Debug.cpp - prints and assertions of kernels -------------------------===//
#include "compiler/dialect/triton/Verify.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::triton;

#define GET_OP_CLASSES
#include "compiler/dialect/triton/Debug.cpp.inc"

void TritonDialect::addDebugOperations() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/triton/Debug.cpp.inc"
      >();
}

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getValues().size())
    return emitOpError("expected a number in isSigned for each of the ")
           << getValues().size() << " values, got " << getIsSigned().size();
  return success();
}
