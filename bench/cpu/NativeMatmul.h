//===- NativeMatmul.h - a product of matrices by hand -----------------------===//
#pragma once

#include "bench/cpu/Native.h"

namespace pumice::bench {

/// C = A B, square, f32, row by row; a side is a multiple of 32.
void nativeMatmul(const Problem &problem, Pointers buffers, Team &team);

} // namespace pumice::bench
