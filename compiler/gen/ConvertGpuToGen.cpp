//===- ConvertGpuToGen.cpp - gpu → the gen dialect --------------------------===//
//   before: %0 = gpu.thread_id y
//   after:  %c1_i32 = arith.constant 1 : i32
//           %0 = gen.local_id %c1_i32
//
//   before: %0, %valid = gpu.shuffle xor %x, %mask, %width : f32
//   after:  %0 = gen.sub_group_shuffle xor %x, %mask : f32
//           %lane = gen.sub_group_local_id
//           %valid = arith.cmpi ult, %lane, %width : i32
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/gen/GenDialect.h"
#include "compiler/gen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::gen {
#define GEN_PASS_DEF_CONVERTGPUTOGEN
#include "compiler/gen/Passes.h.inc"
} // namespace pumice::gen

using namespace mlir;
using namespace pumice;
using namespace pumice::gen;

namespace {

Value constantI32(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(value));
}

template <typename GridOp> Value query(OpBuilder &builder, Location loc, gpu::Dimension dimension) {
  Value number = constantI32(builder, loc, static_cast<int64_t>(dimension));
  return GridOp::create(builder, loc, builder.getIndexType(), number);
}

Value toIndex(OpBuilder &builder, Location loc, Value number) {
  return arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), number);
}

Value compare(OpBuilder &builder, Location loc, arith::CmpIPredicate predicate, Value left,
              Value right) {
  return arith::CmpIOp::create(builder, loc, predicate, left, right);
}

/// Returns the number of the work-item in the whole grid. Unlike OpenCL's, it has no offset.
Value globalId(OpBuilder &builder, gpu::GlobalIdOp op) {
  Location loc = op.getLoc();
  Value group = query<WorkGroupIdOp>(builder, loc, op.getDimension());
  Value size = query<WorkGroupSizeOp>(builder, loc, op.getDimension());
  Value local = query<LocalIdOp>(builder, loc, op.getDimension());
  Value before = arith::MulIOp::create(builder, loc, group, size);
  return arith::AddIOp::create(builder, loc, before, local);
}

/// Returns whether `type` is one that gen exchanges between work-items.
bool isScalar(Type type) {
  return type.isInteger(8) || type.isInteger(16) || type.isInteger(32) || type.isInteger(64) ||
         type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

LogicalResult reportType(Operation *op, Type type) {
  return op->emitError("'") << op->getName()
                            << "' exchanges i8, i16, i32, i64, f16, bf16, f32 or f64 in the gen "
                               "dialect, got "
                            << type << ": split or cast it before convert-gpu-to-gen";
}

//===-------------------------------------------------------------------------===//
// Sub-groups together
//===-------------------------------------------------------------------------===//

ShuffleKind kindOf(gpu::ShuffleMode mode) {
  switch (mode) {
  case gpu::ShuffleMode::XOR:
    return ShuffleKind::Xor;
  case gpu::ShuffleMode::UP:
    return ShuffleKind::Up;
  case gpu::ShuffleMode::DOWN:
    return ShuffleKind::Down;
  case gpu::ShuffleMode::IDX:
    return ShuffleKind::Idx;
  }
  llvm_unreachable("four shuffle modes");
}

/// Returns whether a shuffle over the first `width` work-items has a source. Offsets are unsigned,
/// so a negative one is larger than every width.
Value hasSource(OpBuilder &builder, gpu::ShuffleOp op) {
  Location loc = op.getLoc();
  Value lane = SubGroupLocalIdOp::create(builder, loc, builder.getI32Type());
  Value width = op.getWidth(), offset = op.getOffset();
  Value takesPart = compare(builder, loc, arith::CmpIPredicate::ult, lane, width);
  Value inRange;
  if (op.getMode() == gpu::ShuffleMode::DOWN) {
    Value room = arith::SubIOp::create(builder, loc, width, lane);
    inRange = compare(builder, loc, arith::CmpIPredicate::ult, offset, room);
  } else if (op.getMode() == gpu::ShuffleMode::UP) {
    inRange = compare(builder, loc, arith::CmpIPredicate::uge, lane, offset);
  } else {
    return takesPart;
  }
  return arith::AndIOp::create(builder, loc, takesPart, inRange);
}

LogicalResult convertShuffle(gpu::ShuffleOp op) {
  if (!isScalar(op.getValue().getType()))
    return reportType(op, op.getValue().getType());
  OpBuilder builder(op);
  Value moved = SubGroupShuffleOp::create(builder, op.getLoc(), op.getValue().getType(),
                                          kindOf(op.getMode()), op.getValue(), op.getOffset());
  if (!op.getValid().use_empty())
    op.getValid().replaceAllUsesWith(hasSource(builder, op));
  op.getShuffleResult().replaceAllUsesWith(moved);
  op.erase();
  return success();
}

LogicalResult convertBroadcast(gpu::SubgroupBroadcastOp op) {
  if (op.getBroadcastType() != gpu::BroadcastType::specific_lane)
    return op.emitError("the gen dialect has no broadcast from the first active work-item: use "
                        "specific_lane");
  if (!isScalar(op.getType()))
    return reportType(op, op.getType());
  OpBuilder builder(op);
  // gpu.subgroup_broadcast may be in divergent control flow, but gen.sub_group_broadcast may not.
  Value result = SubGroupShuffleOp::create(builder, op.getLoc(), op.getType(), ShuffleKind::Idx,
                                           op.getSrc(), op.getLane());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return success();
}

/// Returns the kind of gen that combines values as `operation`. Minima and maxima that propagate
/// NaN have none.
std::optional<Reduction> kindOf(gpu::AllReduceOperation operation) {
  switch (operation) {
  case gpu::AllReduceOperation::ADD:
    return Reduction::Add;
  case gpu::AllReduceOperation::MUL:
    return Reduction::Mul;
  case gpu::AllReduceOperation::MINSI:
    return Reduction::SMin;
  case gpu::AllReduceOperation::MAXSI:
    return Reduction::SMax;
  case gpu::AllReduceOperation::MINUI:
    return Reduction::UMin;
  case gpu::AllReduceOperation::MAXUI:
    return Reduction::UMax;
  case gpu::AllReduceOperation::MINNUMF:
    return Reduction::Min;
  case gpu::AllReduceOperation::MAXNUMF:
    return Reduction::Max;
  case gpu::AllReduceOperation::AND:
    return Reduction::And;
  case gpu::AllReduceOperation::OR:
    return Reduction::Or;
  case gpu::AllReduceOperation::XOR:
    return Reduction::Xor;
  case gpu::AllReduceOperation::MINIMUMF:
  case gpu::AllReduceOperation::MAXIMUMF:
    return std::nullopt;
  }
  llvm_unreachable("all kinds of reductions");
}

LogicalResult convertReduce(gpu::SubgroupReduceOp op) {
  if (op.getClusterSize())
    return op.emitError("the gen dialect reduces over a whole sub-group, got clusters of ")
           << *op.getClusterSize() << ": write the reduction as shuffles";
  if (!isScalar(op.getType()) || op.getType().isBF16())
    return op.emitError("the gen dialect reduces i8, i16, i32, i64, f16, f32 and f64, got ")
           << op.getType() << ": split or extend it before convert-gpu-to-gen";
  std::optional<Reduction> kind = kindOf(op.getOp());
  if (!kind)
    return op.emitError("the gen dialect has no reduction by '")
           << gpu::stringifyAllReduceOperation(op.getOp())
           << "', which propagates NaN: use minnumf or maxnumf";
  OpBuilder builder(op);
  Value result = SubGroupReduceOp::create(builder, op.getLoc(), op.getType(), *kind, op.getValue(),
                                          op.getUniform());
  op.getResult().replaceAllUsesWith(result);
  op.erase();
  return success();
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

/// Returns the value of an operation that gives a position. Returns null for other operations.
Value position(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto inSubGroup = [&]<typename Query>(std::in_place_type_t<Query>) {
    return toIndex(builder, loc, Query::create(builder, loc, builder.getI32Type()));
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](gpu::ThreadIdOp id) { return query<LocalIdOp>(builder, loc, id.getDimension()); })
      .Case(
          [&](gpu::BlockIdOp id) { return query<WorkGroupIdOp>(builder, loc, id.getDimension()); })
      .Case([&](gpu::BlockDimOp size) {
        return query<WorkGroupSizeOp>(builder, loc, size.getDimension());
      })
      .Case([&](gpu::GridDimOp size) {
        return query<NumWorkGroupsOp>(builder, loc, size.getDimension());
      })
      .Case([&](gpu::GlobalIdOp id) { return globalId(builder, id); })
      .Case([&](gpu::LaneIdOp) { return inSubGroup(std::in_place_type<SubGroupLocalIdOp>); })
      .Case([&](gpu::SubgroupIdOp) { return inSubGroup(std::in_place_type<SubGroupIdOp>); })
      .Case([&](gpu::NumSubgroupsOp) { return inSubGroup(std::in_place_type<NumSubGroupsOp>); })
      .Case([&](gpu::SubgroupSizeOp) { return inSubGroup(std::in_place_type<SubGroupSizeOp>); })
      .Default([](Operation *) { return Value(); });
}

LogicalResult convert(Operation *op) {
  if (Value value = position(op)) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([](gpu::BarrierOp barrier) {
        OpBuilder builder(barrier);
        BarrierOp::create(builder, barrier.getLoc(), Memory::All);
        barrier.erase();
        return success();
      })
      .Case([](gpu::ShuffleOp shuffle) { return convertShuffle(shuffle); })
      .Case([](gpu::SubgroupBroadcastOp broadcast) { return convertBroadcast(broadcast); })
      .Case([](gpu::SubgroupReduceOp reduce) { return convertReduce(reduce); })
      .Case([](gpu::RotateOp rotate) {
        return rotate.emitError("the gen dialect has no rotation: write it as gpu.shuffle idx");
      })
      .Case([](gpu::AllReduceOp reduce) {
        return reduce.emitError("the gen dialect has no reduction over the work-group: run "
                                "pumice-lower-all-reduce before convert-gpu-to-gen");
      })
      .Default(
          [](Operation *op) -> LogicalResult {
            if (!op->getName().stripDialect().starts_with("subgroup_mma_"))
              return success();
            return op->emitError("'")
                   << op->getName()
                   << "' has no equivalent in the gen dialect: write gen.matrix_mad, "
                      "or lower matrices before convert-gpu-to-gen";
          });
}

struct ConvertGpuToGen final : gen::impl::ConvertGpuToGenBase<ConvertGpuToGen> {
  using ConvertGpuToGenBase::ConvertGpuToGenBase;

  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (op != getOperation() && isa_and_nonnull<gpu::GPUDialect>(op->getDialect()) &&
          !op->getNumRegions())
        found.push_back(op);
      else if (isa<gpu::AllReduceOp>(op))
        found.push_back(op);
    });
    bool failed = false;
    for (Operation *op : found)
      failed |= mlir::failed(convert(op));
    if (failed)
      signalPassFailure();
  }
};

} // namespace
