//===- Rules.cpp - finds the rule of an operation ---------------------------===//
#include "compiler/cpu/simd/Rules.h"
#include "compiler/cpu/lane_passes/LaneAnalysis.h"
#include "compiler/cpu/simd/Elementwise.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static const llvm::DenseMap<TypeID, simd::Rule> &rules() {
  using namespace simd;
  static const llvm::DenseMap<TypeID, Rule> map = [] {
    llvm::DenseMap<TypeID, Rule> all;
    for (ArrayRef<Rule> family :
         {atomicRules(), builtinRules(), exchangeRules(), matrixRules(), matrixProductRules(),
          memoryRules(), printfRules(), variableRules()})
      for (const Rule &rule : family)
        all.try_emplace(rule.operation, rule);
    return all;
  }();
  return map;
}

void simd::emitByRule(SimdEmitter &e, Operation *op) {
  if (isElementwise(op))
    return emitElementwise(e, op);
  auto found = rules().find(op->getName().getTypeID());
  if (found == rules().end())
    llvm_unreachable("the pass checked for unknown operations");
  found->second.emit(e, op);
}
