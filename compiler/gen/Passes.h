//===- Passes.h - passes to and from the gen dialect ------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::gen {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/gen/Passes.h.inc"

} // namespace pumice::gen
