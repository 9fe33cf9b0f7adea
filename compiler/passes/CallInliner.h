//===- CallInliner.h - makes each kernel one function -----------------------===//
// All passes that inline calls share the order of inlining and the restrictions on kernels. Each
// dialect defines what its calls and bodies look like.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace pumice {

/// Inlines calls inside a callee before calls of it, so that each body is copied in its final form.
class CallInliner {
public:
  virtual ~CallInliner() = default;

  /// Removes all calls from `function` and from its callees. Reports recursion, functions without a
  /// body, and calls that make a function too large, at the location of the call.
  mlir::LogicalResult inlineInto(mlir::FunctionOpInterface function);

protected:
  explicit CallInliner(mlir::Operation *module) : symbols(module) {}

  /// Returns the name of the function that `op` calls, or "" if it is not a call.
  virtual llvm::StringRef calleeName(mlir::Operation *op) const = 0;

  /// Reports an operation that no function of a kernel may contain.
  virtual mlir::LogicalResult checkOperation(mlir::Operation *op) const { return mlir::success(); }

  /// Reports a callee whose body `expand` cannot copy. By default, this is a body with several
  /// blocks.
  virtual mlir::LogicalResult checkCallee(mlir::Operation *call,
                                          mlir::FunctionOpInterface callee) const;

  /// Is called once for each function, before the calls in it are inlined.
  virtual void enter(mlir::FunctionOpInterface function) {}

  /// Replaces `call` by the body of `callee`. By default, the body is one block, which is copied in
  /// front of the call.
  virtual void expand(mlir::Operation *call, mlir::FunctionOpInterface callee);

  /// Makes errors in `copy`, which replaces `call`, name both locations: the callee's line and the
  /// caller's line.
  static void nameBothPlaces(mlir::Operation *copy, mlir::Operation *call);

private:
  mlir::FailureOr<mlir::FunctionOpInterface> prepareCallee(mlir::Operation *call);
  mlir::LogicalResult reportRecursion(mlir::Operation *call, mlir::FunctionOpInterface callee);

  mlir::SymbolTable symbols;
  /// The functions whose calls are being inlined, starting with the outermost.
  llvm::SmallVector<mlir::FunctionOpInterface> path;
  /// The number of operations of each function that is done, with all calls expanded.
  llvm::DenseMap<mlir::Operation *, uint64_t> done;
};

} // namespace pumice
