//===- Passes.h - from SPIR-V to SIMD code ----------------------------------===//
#pragma once

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::cpu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/cpu/Passes.h.inc"

} // namespace pumice::cpu
