//===- FlattenModules.h - modules inside a module, all in one ---------------===//
//   before: module @a { func.func @f() {...}  gpu.module @kernels {...} }
//           func.func @main() { call @"a::f"() : () -> () ... }
//   after:  func.func @main() { call @"a::f"() : () -> () ... }
//           func.func @"a::f"() {...}
//           gpu.module @"a::kernels" {...}
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace pumice::host {

/// Moves what modules inside `top` hold into `top`, under the path of its modules: equal names in
/// different ones do not clash. A name means what its own module has, else what those around it
/// have; declarations are replaced by what they declare, wherever that is. `top` may be unverified.
/// Fails, with a diagnostic, where a name could mean several things.
mlir::LogicalResult flattenModules(mlir::ModuleOp top);

} // namespace pumice::host
