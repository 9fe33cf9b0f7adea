//===- SpirvParameters.h - the layout of an OpenCL kernel's arguments -------===//
// Lays out parameters in the order of the kernel, each aligned to its type, by the rules of OpenCL
// C. The size of a vector is that of its number of elements rounded up to a power of two, and so is
// its alignment. Members of a struct are laid out in the same way. docs/cpu-compiler.md states the
// same rules for the compiler.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvTypes.h"

namespace pumice::executable {

/// Sets the parameters and the block of the entry point, from the parameters of `function`.
/// `budget` is the number of members that may still be listed.
void describeParameters(const SpirvTypes &types, uint32_t function, std::span<const uint32_t> ids,
                        size_t &budget, SpirvEntryPoint &entry);

} // namespace pumice::executable
