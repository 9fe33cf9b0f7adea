//===- NativeTiles.h - products of matrices by AMX, by hand -----------------===//
#pragma once

#include "bench/cpu/Native.h"

namespace pumice::bench {

/// C = A B, square, row by row; a side is a multiple of 64. Null if the machine that built this
/// has no AMX.
NativeKernel nativeBrainMatmul(); // bf16, C is f32
NativeKernel nativeByteMatmul();  // signed bytes, C is i32

} // namespace pumice::bench
