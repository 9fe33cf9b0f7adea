//===- NativeVariants.h - native code in addition to SPIR-V -----------------===//
// A native variant is the shared object of one entry point (executable/NativeCode.h), for one
// processor of the target's list. It has the interface of its SPIR-V. Its only requirement is the
// processor.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LLVM.h"

namespace pumice::package {

/// Appends native variants of the SPIR-V variant `number` to `contents`. There is one for each
/// processor in `target.nativeCode`. Native code has the default values of all constants. An entry
/// point that lets the launch choose sizes therefore gets no native code, and there is a warning at
/// `location`. Errors: an unknown processor, and code that the CPU's compiler rejects.
mlir::LogicalResult addNativeVariants(mlir::Location location, size_t number,
                                      const target::TargetEnv &target,
                                      executable::Executable &contents);

} // namespace pumice::package
