//===- Rules.h - a function for each operation, in a table for each family --===//
// A rule emits the SIMD code of one kind of operation. One function emits all element-wise
// operations (isElementwise, Elementwise.h). MaskedControl handles constructs.
//===-------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace pumice::cpu {
class SimdEmitter;
} // namespace pumice::cpu

namespace pumice::cpu::simd {

struct Rule {
  mlir::TypeID operation;
  void (*emit)(SimdEmitter &, mlir::Operation *);
};

namespace detail {
template <typename Op, void (*emit)(SimdEmitter &, Op)>
Rule ruleOf(std::integral_constant<void (*)(SimdEmitter &, Op), emit>) {
  return {mlir::TypeID::get<Op>(),
          [](SimdEmitter &e, mlir::Operation *op) { emit(e, llvm::cast<Op>(op)); }};
}
} // namespace detail

/// Makes a rule from a function that takes one class of operations: rule<emitLoad>().
template <auto emit> Rule rule() {
  return detail::ruleOf(std::integral_constant<decltype(emit), emit>());
}
/// Makes a rule from a function that takes several classes of operations.
template <typename Op> Rule ruleFor(void (*emit)(SimdEmitter &, mlir::Operation *)) {
  return {mlir::TypeID::get<Op>(), emit};
}

/// Emits an element-wise operation, or calls the rule for another kind of operation.
void emitByRule(SimdEmitter &e, mlir::Operation *op);

// Each of these tables is in a separate file.
llvm::ArrayRef<Rule> atomicRules();
llvm::ArrayRef<Rule> builtinRules();
llvm::ArrayRef<Rule> exchangeRules();
llvm::ArrayRef<Rule> matrixProductRules();
llvm::ArrayRef<Rule> matrixRules();
llvm::ArrayRef<Rule> memoryRules();
llvm::ArrayRef<Rule> printfRules();
llvm::ArrayRef<Rule> variableRules();

} // namespace pumice::cpu::simd
