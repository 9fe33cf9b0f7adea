//===- Passes.h - passes on imported Triton kernels -------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/vk/VkDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::triton {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/import/triton/Passes.h.inc"

} // namespace pumice::triton
