//===- ConversionFunctions.h - OpenCL C's convert_ functions as LLVM IR -----===//
#pragma once

namespace llvm {
class Module;
}

namespace pumice::opencl {

/// Replaces calls of `convert_` functions by instructions. LLVM 22's SPIR-V backend extends
/// unsigned integers as if they were signed, and lacks conversions to half and double. Also
/// replaces vloada_half3 and vstorea_half3, whose elements the backend places as those of
/// vload_half3.
void expandConversionFunctions(llvm::Module &module);

} // namespace pumice::opencl
