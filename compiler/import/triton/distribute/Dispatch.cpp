//===- Dispatch.cpp - chooses the converter of each operation ---------------===//
#include "compiler/dialect/triton/Barrier.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

static LogicalResult refuse(Operation *op) {
  return op->emitError("unsupported '")
         << op->getName()
         << "' on the way to tiles; docs/triton-distribution.md lists "
            "the supported operations";
}

//===-------------------------------------------------------------------------===//
// The grid
//===-------------------------------------------------------------------------===//

static gpu::Dimension dimensionOf(Axis axis) {
  return axis == Axis::X   ? gpu::Dimension::x
         : axis == Axis::Y ? gpu::Dimension::y
                           : gpu::Dimension::z;
}

template <typename GpuOp, typename Op> static LogicalResult convertGrid(Distribution &d, Op op) {
  Value index = GpuOp::create(d.b, op.getLoc(), dimensionOf(op.getAxis()));
  d.set(op.getResult(),
        arith::IndexCastOp::create(d.b, op.getLoc(), op.getType(), index).getResult());
  return success();
}

//===-------------------------------------------------------------------------===//
// The table
//===-------------------------------------------------------------------------===//

static bool isOfPointers(Operation *op) {
  auto isPointer = [](Type type) { return isa<triton::PointerType>(scalarOf(type)); };
  return llvm::any_of(op->getOperandTypes(), isPointer) ||
         llvm::any_of(op->getResultTypes(), isPointer);
}

LogicalResult triton::distribute::convert(Distribution &d, Operation *op) {
  if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return convertControl(d, op);
  if (isa<LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(op))
    return convertMemory(d, op);
  if (isa<ub::PoisonOp, arith::ConstantOp>(op))
    return convertConstant(d, op);
  if (isa<PrintOp, AssertOp>(op))
    return convertDebug(d, op);
  if (isOfPointers(op))
    return convertPointer(d, op);
  if (isView(op) || isa<MakeRangeOp, SplatOp, UnsplatOp, JoinOp, CatOp, SplitOp>(op))
    return convertShape(d, op);
  if (isa<ReduceOp, ScanOp, MapElementwiseOp, GatherOp, HistogramOp, DotOp>(op))
    return convertCollective(d, op);
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      isa<ExternElementwiseOp, ClampfOp, FpToFpOp, MulhiUIOp, ApproxDivFOp, PreciseSqrtOp,
          PreciseDivFOp, triton::BitcastOp>(op))
    return convertElementwise(d, op);
  if (auto id = dyn_cast<GetProgramIdOp>(op))
    return convertGrid<gpu::BlockIdOp>(d, id);
  if (auto count = dyn_cast<GetNumProgramsOp>(op))
    return convertGrid<gpu::GridDimOp>(d, count);
  if (isa<gpu::BarrierOp, ProgramBarrierOp>(op))
    return gpu::BarrierOp::create(d.b, op->getLoc()), success();
  if (isa<GridDependencyWaitOp, GridDependencyLaunchDependentsOp>(op))
    return success(); // launches run one after the other, so nothing must wait
  if (auto clock = dyn_cast<vk::ReadClockOp>(op))
    return d.set(clock.getTime(), d.b.clone(*op)->getResult(0)), success();
  if (isa<LLVM::AssumeOp>(op))
    return success(); // the analysis of facts has used the condition
  return refuse(op);
}

LogicalResult triton::distribute::convertBody(Distribution &d, Block &block) {
  std::vector<Report> outer = std::exchange(d.reports, {});
  for (Operation &op : block.without_terminator())
    if (failed(convert(d, &op)))
      return failure();
  LogicalResult told = Checks::tell(d, d.reports);
  d.reports = std::move(outer);
  return told;
}
