//===- NativeMatmul.h - a hand-written product of matrices ------------------===//
#pragma once

#include "bench/cpu/Native.h"

namespace pumice::bench {

/// Computes C = A B for square f32 matrices, stored row by row. Their side is a multiple of 32.
void nativeMatmul(const Problem &problem, Pointers buffers, Team &team);

} // namespace pumice::bench
