//===- ReadSpirv.h - SPIR-V words as flat functions of MLIR -----------------===//
// docs/cpu-compiler.md describes the module that the reader creates. The reader accepts any words.
// It returns a module that passes MLIR's verifier, or reports one error that names the word and the
// instruction.
//===-------------------------------------------------------------------------===//
#pragma once

#include "support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace pumice::spirv_import {

struct ReadOptions {
  std::string sourceName = "<spirv>"; // in locations and errors
  std::string entryPoint;             // empty: all compute entry points
  /// The bits of specialization constants, by SpecId. A boolean is false if its bits are 0. Other
  /// constants keep their defaults.
  std::map<uint32_t, uint64_t> specialization;
};

/// Reads SPIR-V 1.0 to 1.6 for Vulkan or OpenCL, in either byte order. Errors are diagnostics at
/// `sourceName`.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>
readSpirv(mlir::MLIRContext *context, std::span<const uint32_t> words, const ReadOptions &options);

/// Reads SPIR-V that may come from anywhere, and verifies the module, so that passes may rely on
/// it.
Result<mlir::OwningOpRef<mlir::ModuleOp>> readUntrustedSpirv(mlir::MLIRContext *context,
                                                             std::span<const uint32_t> words,
                                                             const ReadOptions &options);

} // namespace pumice::spirv_import
