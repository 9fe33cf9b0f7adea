//===- LanesToSimd.cpp - converts lane kernels to functions on vectors ------===//
//   before: func.func @k() attributes {lane.kernel, …} of structured lane code
//   after:  llvm.func @k(!llvm.ptr, !llvm.ptr, !llvm.ptr, i64, i64) -> i32
// Needs: structured lane code. Leaves: nothing of the lane dialect, except attributes of the
// function, which docs/cpu-compiler.md explains.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/cpu/lane_passes/ChooseLanes.h"
#include "compiler/cpu/lane_passes/CombineAccesses.h"
#include "compiler/cpu/simd/Emitter.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_LANESTOSIMD
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;

namespace {
struct LanesToSimd final : cpu::impl::LanesToSimdBase<LanesToSimd> {
  using LanesToSimdBase::LanesToSimdBase;
  void runOnOperation() override;
  LogicalResult convert(func::FuncOp kernel) const;
};
} // namespace

/// Checks a kernel for what the verifiers of the dialect do not check.
static LogicalResult check(func::FuncOp kernel, const cpu::WorkgroupShape &shape) {
  if (kernel.getNumArguments() || kernel.getNumResults())
    return kernel.emitError("a lane kernel takes and returns nothing; read buffers instead");
  if (!kernel.getBody().hasOneBlock())
    return kernel.emitError("has several blocks: run pumice-structure-lanes first");
  if (!llvm::isPowerOf2_32(shape.lanes) || shape.lanes < 2 || shape.lanes > 64)
    return kernel.emitError("has subgroups of ")
           << shape.lanes << " lanes; expected a power of two from 2 to 64";
  // Checks each axis first, because the product could overflow.
  constexpr int64_t most = int64_t(1) << 20;
  bool fits = llvm::all_of(shape.size, [](int64_t size) { return size >= 1 && size <= most; });
  if (!fits || shape.invocations() > most)
    return kernel.emitError("has a workgroup of ")
           << shape.size[0] << " x " << shape.size[1] << " x " << shape.size[2]
           << " invocations; set lane.workgroup_size to 1 to " << most << " of them";
  WalkResult supported = kernel.walk([](Operation *op) {
    bool ofLanes = isa<lane::LaneDialect>(op->getDialect()) && !isa<lane::LabelOp>(op);
    if (ofLanes || cpu::isElementwise(op) || isa<func::FuncOp, func::ReturnOp>(op))
      return WalkResult::advance();
    op->emitError("has no SIMD code: lower it to the lane dialect, arith, math or llvm first");
    return WalkResult::interrupt();
  });
  return failure(supported.wasInterrupted());
}

LogicalResult LanesToSimd::convert(func::FuncOp kernel) const {
  cpu::WorkgroupShape shape;
  shape.lanes = shape.registerLanes = width;
  if (auto size = kernel->getAttrOfType<DenseI32ArrayAttr>("lane.workgroup_size"))
    for (unsigned axis = 0; axis < 3 && axis < size.size(); ++axis)
      shape.size[axis] = size[axis];
  if (auto lanes = kernel->getAttrOfType<IntegerAttr>("lane.subgroup_size"))
    shape.lanes = lanes.getInt();
  if (failed(check(kernel, shape)))
    return failure();
  if (mayWiden && !kernel->hasAttr("lane.subgroup_size"))
    shape.lanes = cpu::chooseLanes(kernel, shape);
  std::optional<cpu::LaneAnalysis> analysis(std::in_place, kernel, shape);
  if (annotateOnly) {
    cpu::annotate(kernel, *analysis);
    return success();
  }
  if (cpu::combineAccesses(kernel, *analysis))
    analysis.emplace(kernel, shape);
  if (failed(cpu::SimdEmitter(kernel, *analysis, cpu::SimdTarget::of(width, features.getValue()))
                 .emit()))
    return failure();
  kernel.erase();
  return success();
}

void LanesToSimd::runOnOperation() {
  SmallVector<func::FuncOp> kernels;
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (function->hasAttr("lane.kernel"))
      kernels.push_back(function);
  for (func::FuncOp kernel : kernels)
    if (failed(convert(kernel)))
      return signalPassFailure();
}
