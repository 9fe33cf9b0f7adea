//===- ArrayArguments.h - arrays as arguments of OpenCL C's functions -------===//
#pragma once

namespace llvm {
class Module;
}

namespace pumice::opencl {

/// Passes pointers to the first elements of arrays through arithmetic on bytes. LLVM 22's SPIR-V
/// backend otherwise passes pointers to whole arrays, or makes single elements of the variables.
void separateArrayArguments(llvm::Module &module);

} // namespace pumice::opencl
