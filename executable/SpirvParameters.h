//===- SpirvParameters.h - the layout of an OpenCL kernel's arguments -----===//
// Lays parameters out in the kernel's order, each aligned to its type, by the rules of OpenCL C. A
// vector's size is that of its number of elements rounded up to a power of two, and so is its
// alignment. A struct is laid out like its members. docs/cpu-compiler.md gives the compiler the
// same rules.
//===-------------------------------------------------------------------------===//
#pragma once

#include "executable/SpirvTypes.h"

namespace pumice::executable {

/// Sets the entry point's parameters and their block, from the parameters of `function`. `budget`
/// is the number of members that may still be listed.
void describeParameters(const SpirvTypes &types, uint32_t function, std::span<const uint32_t> ids,
                        size_t &budget, SpirvEntryPoint &entry);

} // namespace pumice::executable
