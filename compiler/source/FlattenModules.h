//===- FlattenModules.h - merges nested modules into one --------------------===//
//   before: module @a { func.func @f() {...}  gpu.module @kernels {...} }
//           func.func @main() { call @"a::f"() : () -> () ... }
//   after:  func.func @main() { call @"a::f"() : () -> () ... }
//           func.func @"a::f"() {...}
//           gpu.module @"a::kernels" {...}
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pumice {

/// Moves the contents of modules inside `top` into `top`. The path of modules becomes part of each
/// name, so that equal names do not clash. A name refers to a symbol of its own module first, and
/// then to one of the enclosing modules. Declarations are replaced by their definitions in any
/// module. `top` may be unverified. Fails, with a diagnostic, if a name is ambiguous.
mlir::LogicalResult flattenModules(mlir::ModuleOp top);

} // namespace pumice
