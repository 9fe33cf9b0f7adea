//===- MeasuredLayout.h - the layout of a measured fragment -----------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"
#include "compiler/target/TargetEnv.h"

namespace pumice::tile {

/// Returns the layout of a fragment. The components of a cooperative matrix become registers.
/// Errors: the matrix's scope is not a subgroup.
Result<LinearLayout> measuredLayout(const target::FragmentMap &map);

} // namespace pumice::tile
