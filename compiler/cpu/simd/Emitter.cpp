//===- Emitter.cpp - emits a kernel with the parts of its code --------------===//
#include "compiler/cpu/simd/Emitter.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

SimdEmitter::SimdEmitter(func::FuncOp kernel, const LaneAnalysis &analysis,
                         const SimdTarget &target)
    : kernel(kernel), analysis(analysis), plan(kernel, analysis), target(target),
      lanes(analysis.workgroup().lanes), b(kernel.getLoc(), lanes),
      frame(b, kernel, plan.fitsOnStack() ? 0 : plan.bytes()), values(b, analysis, *this),
      variables(b, analysis) {}

LogicalResult SimdEmitter::emit() {
  frame.create();
  kernel.walk([&](lane::MatrixProductOp op) { groupSums(op); });
  frame.loopOverWorkgroups([&] {
    if (plan.keepsMask())
      forEachSubgroup(~0u, [&] {
        Value all = startMask(analysis.entryMask());
        b.storeTo(all ? all : b.allLanes(), scratchAt(plan.maskPlace()));
      });
    emitGroupBlock(kernel.getBody().front());
  });
  releaseTiles();
  frame.addAttributes();
  // Conversions do not look into blocks that nothing reaches.
  IRRewriter rewriter(b.getContext());
  (void)eraseUnreachableBlocks(rewriter, frame.body());
  return success(!failed);
}

void SimdEmitter::fail(Operation *op, const Twine &why) {
  op->emitError(why);
  failed = true;
}
