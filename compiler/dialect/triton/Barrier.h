//===- Barrier.h - the one operation of ttg that TTIR may hold --------------===//
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/dialect/triton/BarrierDialect.h.inc"
#include "compiler/dialect/triton/BarrierEnums.h.inc"
#define GET_OP_CLASSES
#include "compiler/dialect/triton/Barrier.h.inc"
