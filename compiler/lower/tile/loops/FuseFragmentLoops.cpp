//===- FuseFragmentLoops.cpp - large tensors in fused loops over blocks -----===//
//   before: %t = tile.load from %x at %i : … -> tensor<8192xf32, #l>  (512 registers a lane)
//           %u = arith.mulf %t, %t : tensor<8192xf32, #l>
//           tile.store %u to %y at %i : …
//   after:  scf.for %b = 0 to 8192 step 64 {
//             %t = tile.load from %x at %j : … -> tensor<64xf32, #k>  (4 registers)
//             %u = arith.mulf %t, %t : tensor<64xf32, #k>
//             tile.store %u to %y at %j : …
//           }
//
// docs/tile.md says which operations share a loop, and which values are kept or computed again.
//
// Needs: nothing. Leaves: tiles. Kernels without large tensors do not change.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_FUSEFRAGMENTLOOPS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;

namespace {

struct FuseFragmentLoops final : tiles::impl::FuseFragmentLoopsBase<FuseFragmentLoops> {
  using FuseFragmentLoopsBase::FuseFragmentLoopsBase;

  void runOnOperation() override {
    if (!llvm::isPowerOf2_32(unrolled) || !llvm::isPowerOf2_32(productRegisters) ||
        !llvm::isPowerOf2_64(depthUnrolled)) {
      getOperation().emitError() << "unrolled = " << unrolled.getValue()
                                 << ", product-registers = " << productRegisters.getValue()
                                 << ", depth-unrolled = " << depthUnrolled.getValue()
                                 << ": all must be powers of two";
      return signalPassFailure();
    }
    LoopLimits limits;
    limits.registers = registers;
    limits.unrolled = unrolled;
    limits.turns = turns;
    limits.mostTurns = mostTurns;
    limits.productRegisters = productRegisters;
    limits.depthUnrolled = depthUnrolled;
    limits.multiplications = multiplications;
    limits.workgroupBytes = workgroupBytes;
    limits.privateBytes = privateBytes;
    limits.overlap = overlap;
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>())
      if (failed(FragmentLoops(func, limits).run()))
        return signalPassFailure();
  }
};

} // namespace
