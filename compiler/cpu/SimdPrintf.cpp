//===- SimdPrintf.cpp - messages of a subgroup ------------------------------===//
#include "compiler/cpu/SimdEmitter.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

void SimdEmitter::emitPrintf(lane::PrintfOp op) {
  fail(op, "printf has no SIMD code yet: remove it");
}
