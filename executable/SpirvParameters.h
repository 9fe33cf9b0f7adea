//===- SpirvParameters.h - how an OpenCL kernel's arguments lie -------------===//
// In the kernel's order, each aligned to its type, by the rules of OpenCL C: a vector is as large
// as its elements' number rounded up to a power of two, and aligned so; a struct like its members.
// docs/cpu-compiler.md says the same to the compiler.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvTypes.h"

namespace pumice::executable {

/// Sets the entry point's parameters and their block, from the ids of what `function` is given.
/// `budget` members are left to be listed, in all.
void describeParameters(const SpirvTypes &types, uint32_t function, std::span<const uint32_t> ids,
                        size_t &budget, SpirvEntryPoint &entry);

} // namespace pumice::executable
