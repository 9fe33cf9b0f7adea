//===- Arithmetic.h - computes the values of plans --------------------------===//
#pragma once

#include "python/torch_shim/plans/Plan.h"

namespace pumice::vk {

/// Computes an instruction. Integers wrap; a division by zero gives 0.
Number compute(const Instruction &instruction, const Call &call, const Number *values);

} // namespace pumice::vk
