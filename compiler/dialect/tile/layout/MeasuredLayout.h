//===- MeasuredLayout.h - a fragment's map, as a layout ---------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"
#include "compiler/target/TargetEnv.h"

namespace pumice::tile {

/// Returns the layout. A cooperative matrix's components become registers. Errors: matrices of
/// other scopes than a subgroup.
Result<LinearLayout> measuredLayout(const target::FragmentMap &map);

} // namespace pumice::tile
