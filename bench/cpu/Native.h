//===- Native.h - the kernels as someone writes them for this CPU -----------===//
// What the others are measured against: the same results, by the fastest way that is known here.
//===-------------------------------------------------------------------------===//
#pragma once

#include "bench/cpu/Problem.h"
#include "bench/cpu/Team.h"

namespace pumice::bench {

/// Memory of a problem's buffers, beside its buffers.
using Pointers = std::span<std::byte *const>;
using NativeKernel = void (*)(const Problem &problem, Pointers buffers, Team &team);

/// Null where there is none.
NativeKernel nativeKernel(std::string_view name);

/// The width of what they were compiled for: "16 lanes".
std::string_view nativeWidth();

} // namespace pumice::bench
