//===- WidenIntegers.h - LLVM IR without integers of unusual widths ---------===//
#pragma once

#include "support/Status.h"

namespace llvm {
class Module;
}

namespace pumice::opencl {

/// Replaces integers of other widths than 1, 8, 16, 32 and 64 bits by wider ones. LLVM 22's SPIR-V
/// backend widens such integers too, but does not clear their upper bits. Optimizations make them,
/// such as `zext i6` of `trunc i64 to i6` for `x & 63`. Integers of more than 64 bits remain. Zero
/// extensions of truncated integers become masks, because the backend's own masks may be invalid.
Status widenIntegers(llvm::Module &module);

} // namespace pumice::opencl
