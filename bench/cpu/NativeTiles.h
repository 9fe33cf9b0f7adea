//===- NativeTiles.h - hand-written products of matrices by AMX -------------===//
#pragma once

#include "bench/cpu/Native.h"

namespace pumice::bench {

/// Return kernels that compute C = A B for square matrices, stored row by row. Their side is a
/// multiple of 64. Null if the machine that built this has no AMX.
NativeKernel nativeBrainMatmul(); // bf16, C is f32
NativeKernel nativeByteMatmul();  // signed bytes, C is i32

} // namespace pumice::bench
