//===- MeasuredLayout.h - a fragment's map, as a layout ---------------------===//
#pragma once

#include "compiler/dialect/tile/layout/LinearLayout.h"
#include "compiler/target/TargetEnv.h"

namespace pumice::tile {

/// A cooperative matrix's components are registers. Errors: matrices of other scopes than a
/// subgroup.
Result<LinearLayout> measuredLayout(const target::FragmentMap &map);

} // namespace pumice::tile
