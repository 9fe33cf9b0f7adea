//===- Registration.h - dialects and passes by name -------------------------===//
// The top layer of the compiler: it knows every other layer, and no layer includes it.
//===-------------------------------------------------------------------------===//
#pragma once

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace pumice {

/// Registers every dialect that a kernel, or any step of its lowering, may contain.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers all of our passes and pipelines, for pumice-opt.
void registerPasses();

} // namespace pumice
