//===- SpvxDialect.cpp - SPIR-V that MLIR's spirv dialect lacks -------------===//
#include "compiler/dialect/spvx/SpvxDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace pumice::spvx;

#include "compiler/dialect/spvx/SpvxDialect.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/spvx/SpvxOps.cpp.inc"

void SpvxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/dialect/spvx/SpvxOps.cpp.inc"
      >();
}
