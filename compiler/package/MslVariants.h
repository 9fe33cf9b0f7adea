//===- MslVariants.h - Metal's language in addition to SPIR-V ---------------===//
// An msl variant is the source of one entry point, with its layout (executable/MslLayout.h). It has
// the interface and the features of its SPIR-V.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/IR/Location.h"

namespace pumice::package {

/// Returns whether the target describes an implementation on top of Metal, by its extension
/// VK_KHR_portability_subset.
bool isOnMetal(const target::TargetEnv &target);

/// Appends msl variants of the SPIR-V variant `number`, if the target is on top of Metal. If
/// SPIRV-Cross rejects the module, warns at `location`: MoltenVK would reject it, too.
void addMslVariants(mlir::Location location, size_t number, const target::TargetEnv &target,
                    executable::Executable &contents);

} // namespace pumice::package
