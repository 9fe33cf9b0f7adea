//===- NativeVariants.h - native code beside the SPIR-V it is made of -------===//
// A native variant is one entry point's shared object (executable/NativeCode.h) for one processor
// of the target's list. It has the interface of its SPIR-V, and needs its processor and nothing
// else.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace pumice::package {

/// Appends native variants of the SPIR-V variant `number` to `contents`, for every processor in
/// `target.nativeCode`. An entry point that leaves sizes to the launch gets none, and a warning at
/// `location`: native code holds the defaults of all constants. Errors: a processor's name that is
/// none, and what the CPU's compiler refuses.
mlir::LogicalResult addNativeVariants(mlir::Location location, size_t number,
                                      const target::TargetEnv &target,
                                      executable::Executable &contents);

} // namespace pumice::package
