//===- AtomicFunctions.h - OpenCL C's atomics as instructions of LLVM -------===//
#pragma once

namespace llvm {
class Module;
}

namespace pumice::opencl {

/// Replaces calls of atomic functions by instructions, if LLVM 22's SPIR-V backend leaves the calls
/// in the code: exchanges, and increments, decrements, minima and maxima of 32-bit and 64-bit
/// integers. Weak exchanges by comparison, which the backend rejects, become strong ones.
void expandAtomicFunctions(llvm::Module &module);

} // namespace pumice::opencl
