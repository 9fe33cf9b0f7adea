//===- EntryPoints.h - execution modes and decorations as attributes --------===//
#pragma once

#include "compiler/import/spirv/Types.h"

#include "mlir/IR/BuiltinOps.h"

namespace pumice::spirv_import {

bool isCompute(const Instruction &entryPoint);
/// Adds version, capabilities, and memory and addressing models to the module.
void describeModule(const Source &source, mlir::ModuleOp module);
/// Adds the name, model and modes of the entry point to its function.
mlir::LogicalResult describeEntryPoint(Reading &reading, Constants &constants,
                                       const Instruction &entryPoint, mlir::Operation *function);

} // namespace pumice::spirv_import
