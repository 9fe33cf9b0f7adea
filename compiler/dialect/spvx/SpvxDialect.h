//===- SpvxDialect.h - SPIR-V that MLIR's spirv dialect lacks ---------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "compiler/dialect/spvx/SpvxDialect.h.inc"

#define GET_OP_CLASSES
#include "compiler/dialect/spvx/SpvxOps.h.inc"
