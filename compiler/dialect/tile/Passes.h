//===- Passes.h - passes that print plans of tensors ------------------------===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"

#include "mlir/Pass/Pass.h"

#include <memory>

namespace pumice::tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/dialect/tile/Passes.h.inc"

} // namespace pumice::tile
