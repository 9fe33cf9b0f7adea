//===- Registration.h - dialects and passes by name -------------------------===//
// This is the top of the compiler: it knows every layer, and no layer includes it.
//===-------------------------------------------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pumice {

/// Registers every dialect that a kernel, or a step of its lowering, may hold.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass and pipeline of ours, for pumice-opt.
void registerPasses();

} // namespace pumice
