//===- Emitter.cpp - emits a kernel by means of its parts -------------------===//
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Matrices.h"
#include "compiler/cpu/simd/Rules.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

SimdEmitter::SimdEmitter(func::FuncOp kernel, const LaneAnalysis &analysis,
                         const SimdTarget &target)
    : analysis(analysis), target(target), plan(kernel, analysis),
      b(kernel.getLoc(), analysis.workgroup().lanes),
      frame(b, kernel, plan.fitsOnStack() ? 0 : plan.bytes()), segments(*this),
      values(b, analysis, segments), variables(b, analysis), control(*this), loops(*this),
      kernel(kernel) {}

LogicalResult SimdEmitter::emit() {
  frame.create();
  kernel.walk([&](lane::MatrixProductOp op) { groupSums(*this, op); });
  frame.loopOverWorkgroups([&] { segments.emitWorkgroup(kernel.getBody().front()); });
  releaseTiles(*this);
  frame.addAttributes();
  // Removes unreachable blocks, because dialect conversions do not visit them.
  IRRewriter rewriter(b.getContext());
  (void)eraseUnreachableBlocks(rewriter, frame.body());
  return success(!failed);
}

void SimdEmitter::fail(Operation *op, const Twine &why) {
  op->emitError(why);
  failed = true;
}

void SimdEmitter::emitOp(Operation *op) {
  if (isConstruct(op))
    return control.emitConstruct(op);
  if (op->hasTrait<OpTrait::IsTerminator>())
    return control.emitTerminator(op);
  if (op->getNumResults() && analysis.isWorkgroupScalar(op->getResult(0)) &&
      isLeaf(op->getResult(0)))
    return; // emitted at each use instead
  simd::emitByRule(*this, op);
}
