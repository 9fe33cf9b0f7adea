//===- MslVariants.h - Metal's language in addition to SPIR-V ---------------===//
// An msl variant is the source of one entry point, with its layout (executable/MslLayout.h). It has
// the interface and the features of its SPIR-V.
//===-------------------------------------------------------------------------===//
#pragma once

#include "compiler/target/TargetEnv.h"
#include "executable/Executable.h"

#include "mlir/IR/Location.h"

#include <optional>

namespace pumice::package {

/// Returns whether the target describes an implementation on top of Metal, by its extension
/// VK_KHR_portability_subset.
bool isOnMetal(const target::TargetEnv &target);

/// Returns the target, without cooperative matrices if it is on top of Metal. Kernels in SPIR-V and
/// most kernels in MSL are made for it.
target::TargetEnv withoutMetalMatrices(const target::TargetEnv &target);

/// Returns the target with the matrices of Metal's language, 8×8 elements of f16 and f32. Returns
/// nothing if the target is not on top of Metal, or SPIRV-Cross does not translate matrices.
std::optional<target::TargetEnv> withMetalMatrices(const target::TargetEnv &target);

/// Appends msl variants of the SPIR-V variant `number`, if the target is on top of Metal. If
/// SPIRV-Cross rejects the module, warns at `location`: MoltenVK would reject it, too.
void addMslVariants(mlir::Location location, size_t number, const target::TargetEnv &target,
                    executable::Executable &contents);

/// Replaces the SPIR-V variant `number`, the last one, by msl variants. It uses cooperative
/// matrices; if it does not, or SPIRV-Cross rejects them, it is removed without a warning: there is
/// a variant without matrices.
void replaceByMslWithMatrices(size_t number, executable::Executable &contents);

} // namespace pumice::package
