//===- Passes.h - passes on functions read from SPIR-V ----------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::spirv_import {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/import/spirv/Passes.h.inc"

} // namespace pumice::spirv_import
