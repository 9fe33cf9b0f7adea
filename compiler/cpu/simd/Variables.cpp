//===- Variables.cpp - places a kernel's variables in memory ----------------===//
#include "compiler/cpu/simd/Variables.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

static Type typeOf(Value variable) { return variable.getDefiningOp<lane::VarOp>().getType(); }

Value Variables::slotOf(Value variable) {
  Value &slot = places[variable];
  if (!slot) {
    Type type = typeOf(variable);
    slot = b.stackOf(analysis.variable(variable).scalar() ? type : b.vectorOf(type));
  }
  return slot;
}

Value Variables::slotOfFirsts(Value variable, unsigned blocks) {
  Value &slot = places[variable];
  if (!slot)
    slot = b.stackOf(typeOf(variable), blocks);
  return slot;
}
