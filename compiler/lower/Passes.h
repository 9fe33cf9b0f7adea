//===- Passes.h - passes that stay within gpu, arith, math, scf, memref -----===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::lower {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lower/Passes.h.inc"

} // namespace pumice::lower
