//===- Matrices.h - cooperative matrices in Metal's language ----------------===//
// SPIRV-Cross from 2026 on translates loads, stores and products of 8×8 matrices to Metal's
// simdgroup_matrix. It has no way to fill a matrix with a value, and writes arithmetic that Metal
// does not have. Here, filled matrices become calls of a function, and other operations are errors.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pumice::metal {

/// Returns whether the SPIRV-Cross of this build translates cooperative matrices.
bool translatesMatrices();

/// Returns whether the module declares cooperative matrices.
bool usesMatrices(std::span<const uint32_t> spirv);

/// Returns the module with calls of functions `pumice_filled…` instead of compositions of matrices.
/// Errors: Unsupported for operations on matrices that Metal lacks.
Result<std::vector<uint32_t>> callFilledMatrices(std::span<const uint32_t> spirv);

/// Gives the functions `pumice_filled…` in MSL their parameters and bodies.
void defineFilledMatrices(std::string &source);

} // namespace pumice::metal
