//===- Passes.h - passes from lane code to the SPIR-V dialect ---------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::spirv {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/spirv/Passes.h.inc"

} // namespace pumice::spirv
