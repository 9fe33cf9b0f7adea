//===- Passes.h - passes that turn a workgroup's tensors into lane code -----===//
#pragma once

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/Passes.h"

namespace pumice::lower::tiles {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/lower/tile/Passes.h.inc"

} // namespace pumice::lower::tiles
