//===- Native.h - hand-written kernels for this CPU -------------------------===//
// This is the baseline of the comparison. It computes the same results in the fastest way that we
// know.
//===-------------------------------------------------------------------------===//
#pragma once

#include "bench/cpu/Problem.h"
#include "bench/cpu/Team.h"

namespace pumice::bench {

/// Pointers to the memory of a problem's buffers.
using Pointers = std::span<std::byte *const>;
using NativeKernel = void (*)(const Problem &problem, Pointers buffers, Team &team);

/// Returns the hand-written kernel of this name, or null.
NativeKernel nativeKernel(std::string_view name);

/// Returns the vector width that the kernels were compiled for: "16 lanes".
std::string_view nativeWidth();

} // namespace pumice::bench
