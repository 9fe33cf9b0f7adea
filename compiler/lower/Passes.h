//===- Passes.h - passes that stay within gpu, arith, math, scf, memref -----===//
#pragma once

#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/target/Addressing.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::lower {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lower/Passes.h.inc"

} // namespace pumice::lower
