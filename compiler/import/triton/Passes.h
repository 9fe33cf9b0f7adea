//===- Passes.h - passes on what Triton's text becomes ----------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::triton {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/import/triton/Passes.h.inc"

} // namespace pumice::triton
