//===- Passes.h - from the lane dialect to OpenCL kernels -------------------===//
#pragma once

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace pumice::shader {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/shader/Passes.h.inc"
} // namespace pumice::shader
