//===- MatrixOperands.h - how the matrix instruction reads its operands -----===//
#pragma once

#include "compiler/dialect/gen/GenDialect.h"

#include <cstdint>

namespace pumice::gen {

/// Returns the *Matrix Multiply Accumulate Operands* of
/// SPV_INTEL_subgroup_matrix_multiply_accumulate: bits that say what the words of each operand
/// hold.
uint32_t matrixOperands(MatrixMadOp op);

} // namespace pumice::gen
