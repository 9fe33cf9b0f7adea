//===- LowerSubgroupOps.cpp - gpu subgroup operations for a target ----------===//
//   before: %r, %valid = gpu.shuffle down %x, %c1, %c16 : f16
//   after:  %wide = arith.extf %x : f16 to f32            (unless shaderSubgroupExtendedTypes)
//           %s = spirv.GroupNonUniformShuffleDown <Subgroup> %wide, %c1 : f32, i32
//           %r = arith.truncf %s : f32 to f16
//           %valid = lane_id < 16 && 1 < 16 - lane_id     (only if it is used)
//
// Needs: one function per kernel. Leaves: of gpu's subgroup operations, only lane_id, subgroup_id,
// num_subgroups and subgroup_size.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/Passes.h"
#include "compiler/lower/subgroup/LaneExchange.h"
#include "compiler/lower/subgroup/SubgroupReduce.h"
#include "compiler/lower/subgroup/Subgroups.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace pumice::lower {
#define GEN_PASS_DEF_LOWERSUBGROUPOPS
#include "compiler/lower/Passes.h.inc"
} // namespace pumice::lower

namespace spv = mlir::spirv;
using namespace mlir;
using namespace pumice;
using namespace pumice::lower;

namespace {
struct LowerSubgroupOps final : lower::impl::LowerSubgroupOpsBase<LowerSubgroupOps> {
  void runOnOperation() override;
};
} // namespace

static spv::ScopeAttr subgroupScope(OpBuilder &b) {
  return spv::ScopeAttr::get(b.getContext(), spv::Scope::Subgroup);
}

static bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

static Value compare(OpBuilder &b, Location loc, arith::CmpIPredicate predicate, Value lhs,
                     Value rhs) {
  return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
}

/// Replaces both results. If `result` is a failure, values of this type cannot be exchanged.
static LogicalResult replaceWith(Operation *op, FailureOr<Value> result, Value valid) {
  if (failed(result))
    return op->emitError() << "'" << op->getName() << "' cannot move values of type "
                           << op->getResult(0).getType()
                           << " between lanes: integers, floats up to 64 bits, index and fixed "
                              "vectors of these can be moved";
  op->getResult(0).replaceAllUsesWith(*result);
  if (valid)
    op->getResult(1).replaceAllUsesWith(valid);
  op->erase();
  return success();
}

//===-------------------------------------------------------------------------===//
// gpu.shuffle
//===-------------------------------------------------------------------------===//

/// Returns the lane that `op` reads from. Returns null if an instruction for the mode is used
/// instead.
static Value sourceLane(gpu::ShuffleOp op, OpBuilder &b, bool hasRelative) {
  Location loc = op.getLoc();
  Value offset = op.getOffset();
  switch (op.getMode()) {
  case gpu::ShuffleMode::IDX:
    return offset;
  case gpu::ShuffleMode::XOR:
    if (isConstant(offset))
      return {};
    return arith::XOrIOp::create(b, loc, laneId(b, loc), offset);
  case gpu::ShuffleMode::DOWN:
    if (hasRelative && isConstant(offset))
      return {};
    return arith::AddIOp::create(b, loc, laneId(b, loc), offset);
  case gpu::ShuffleMode::UP:
    if (hasRelative && isConstant(offset))
      return {};
    return arith::SubIOp::create(b, loc, laneId(b, loc), offset);
  }
  llvm_unreachable("four shuffle modes");
}

/// Returns whether a shuffle reads from a valid lane. Offsets and lanes are unsigned, so a negative
/// offset is larger than every width.
static Value shuffleIsValid(gpu::ShuffleOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value lane = laneId(b, loc), width = op.getWidth(), offset = op.getOffset();
  Value takesPart = compare(b, loc, arith::CmpIPredicate::ult, lane, width);
  Value inRange;
  if (op.getMode() == gpu::ShuffleMode::DOWN) {
    Value room = arith::SubIOp::create(b, loc, width, lane);
    inRange = compare(b, loc, arith::CmpIPredicate::ult, offset, room);
  } else if (op.getMode() == gpu::ShuffleMode::UP) {
    inRange = compare(b, loc, arith::CmpIPredicate::uge, lane, offset);
  } else {
    return takesPart;
  }
  return arith::AndIOp::create(b, loc, takesPart, inRange);
}

static LogicalResult lowerShuffle(gpu::ShuffleOp op, const target::TargetEnv &env) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  bool hasRelative = env.hasSubgroup(target::SubgroupShuffleRelative);
  bool hasShuffle = env.hasSubgroup(target::SubgroupShuffle);
  Value lane = sourceLane(op, b, hasRelative);
  bool isRelative = !lane && op.getMode() != gpu::ShuffleMode::XOR;
  if (!hasShuffle && !isRelative)
    return missingSubgroupOperation(op, env, target::SubgroupShuffle);
  auto scope = subgroupScope(b);
  Value offset = op.getOffset();
  auto move = [&](Value v) -> Value {
    Type type = v.getType();
    if (lane)
      return spv::GroupNonUniformShuffleOp::create(b, loc, type, scope, v, lane);
    if (op.getMode() == gpu::ShuffleMode::XOR)
      return spv::GroupNonUniformShuffleXorOp::create(b, loc, type, scope, v, offset);
    if (op.getMode() == gpu::ShuffleMode::DOWN)
      return spv::GroupNonUniformShuffleDownOp::create(b, loc, type, scope, v, offset);
    return spv::GroupNonUniformShuffleUpOp::create(b, loc, type, scope, v, offset);
  };
  FailureOr<Value> result = exchange(b, loc, env, op.getValue(), move);
  Value valid = op.getValid().use_empty() ? Value() : shuffleIsValid(op, b);
  return replaceWith(op, result, valid);
}

//===-------------------------------------------------------------------------===//
// gpu.rotate
//===-------------------------------------------------------------------------===//

static LogicalResult lowerRotate(gpu::RotateOp op, const target::TargetEnv &env) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  uint64_t width = op.getWidth();
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  SubgroupSizes sizes = subgroupSizes(func, env);
  if (width > sizes.most)
    return op.emitError("gpu.rotate over ") << width << " lanes, but " << subgroupLimit(func, env)
                                            << " is " << sizes.most << ": use a smaller width";
  auto required = func->getAttrOfType<IntegerAttr>(requiredSubgroupSizeAttrName);
  bool whole = required && width == sizes.usual;
  bool isNative =
      whole ? env.has(target::Feature::shaderSubgroupRotate)
            : width <= sizes.least && env.has(target::Feature::shaderSubgroupRotateClustered);
  if (!isNative && !env.hasSubgroup(target::SubgroupShuffle))
    return missingSubgroupOperation(op, env, target::SubgroupShuffle,
                                    whole ? "shaderSubgroupRotate"
                                          : "shaderSubgroupRotateClustered");
  if (failed(requireSubgroupSize(op, width, env)))
    return failure();
  Value offset = constantI32(b, loc, op.getOffset());
  Value lane = isNative ? Value() : laneId(b, loc), cluster;
  if (isNative && !whole)
    cluster = spv::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(width));
  if (!isNative) {
    // Computes ((lane + offset) & (width - 1)) + (lane & ~(width - 1)).
    Value within = arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, lane, offset),
                                         constantI32(b, loc, width - 1));
    Value base = arith::AndIOp::create(b, loc, lane, constantI32(b, loc, -int64_t(width)));
    lane = arith::OrIOp::create(b, loc, base, within);
  }
  auto scope = subgroupScope(b);
  auto move = [&](Value v) -> Value {
    if (lane)
      return spv::GroupNonUniformShuffleOp::create(b, loc, v.getType(), scope, v, lane);
    return spv::GroupNonUniformRotateKHROp::create(b, loc, v.getType(), scope, v, offset, cluster);
  };
  FailureOr<Value> result = exchange(b, loc, env, op.getValue(), move);
  Value valid;
  if (!op.getValid().use_empty())
    valid = compare(b, loc, arith::CmpIPredicate::ult, laneId(b, loc), constantI32(b, loc, width));
  return replaceWith(op, result, valid);
}

//===-------------------------------------------------------------------------===//
// gpu.subgroup_broadcast
//===-------------------------------------------------------------------------===//

/// Returns the first active lane. It is the lowest bit of a ballot, or the result of a reduction to
/// the smallest number of an active lane.
static FailureOr<Value> firstActiveLane(Operation *op, const target::TargetEnv &env) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type i32 = b.getI32Type();
  auto scope = subgroupScope(b);
  if (env.hasSubgroup(target::SubgroupBallot)) {
    Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    Value ballot =
        spv::GroupNonUniformBallotOp::create(b, loc, VectorType::get(4, i32), scope, yes);
    return Value(spv::GroupNonUniformBallotFindLSBOp::create(b, loc, i32, scope, ballot));
  }
  if (env.hasSubgroup(target::SubgroupArithmetic)) {
    auto reduce = spv::GroupOperationAttr::get(b.getContext(), spv::GroupOperation::Reduce);
    return Value(spv::GroupNonUniformUMinOp::create(b, loc, i32, scope, reduce, laneId(b, loc),
                                                    /*cluster_size=*/Value()));
  }
  return FailureOr<Value>(missingSubgroupOperation(op, env, target::SubgroupBallot));
}

static LogicalResult lowerBroadcast(gpu::SubgroupBroadcastOp op, const target::TargetEnv &env) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto scope = subgroupScope(b);
  Value lane = op.getLane();
  if (op.getBroadcastType() == gpu::BroadcastType::first_active_lane) {
    FailureOr<Value> first = firstActiveLane(op, env);
    if (failed(first))
      return failure();
    lane = *first;
  }
  // Before SPIR-V 1.5, OpGroupNonUniformBroadcast only takes constants.
  IntegerAttr constant;
  bool isBroadcast = env.hasSubgroup(target::SubgroupBallot) &&
                     (matchPattern(lane, m_Constant(&constant)) ||
                      (env.spirvMinorVersion() >= 5 && !env.hasSubgroup(target::SubgroupShuffle)));
  if (!isBroadcast && !env.hasSubgroup(target::SubgroupShuffle))
    return missingSubgroupOperation(op, env, target::SubgroupShuffle);
  if (isBroadcast && constant)
    lane = spv::ConstantOp::create(b, loc, b.getI32Type(), constant);
  auto move = [&](Value v) -> Value {
    if (isBroadcast)
      return spv::GroupNonUniformBroadcastOp::create(b, loc, v.getType(), scope, v, lane);
    return spv::GroupNonUniformShuffleOp::create(b, loc, v.getType(), scope, v, lane);
  };
  return replaceWith(op, exchange(b, loc, env, op.getSrc(), move), Value());
}

/// Corrects the number of subgroups, since some drivers (lavapipe of Mesa 22) count only full ones.
/// There are at least as many as are needed to hold all invocations.
///   before: %n = gpu.num_subgroups
///   after:  %n = maxui(gpu.num_subgroups, ceildiv(invocations, gpu.subgroup_size))
static LogicalResult lowerNumSubgroups(gpu::NumSubgroupsOp op, const target::TargetEnv &env) {
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  std::optional<uint64_t> invocations = knownInvocations(func);
  if (func->hasAttr(fullSubgroupsAttrName) ||
      (invocations && *invocations % subgroupSizes(func, env).most == 0))
    return success();
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value size = gpu::SubgroupSizeOp::create(b, loc, /*upper_bound=*/nullptr);
  Value last = arith::SubIOp::create(b, loc, workgroupInvocations(b, loc, func), one);
  Value full = arith::DivUIOp::create(b, loc, last, size);
  Value least = arith::AddIOp::create(b, loc, full, one);
  auto count = arith::MaxUIOp::create(b, loc, op, least);
  op.getResult().replaceAllUsesExcept(count, count);
  return success();
}

//===-------------------------------------------------------------------------===//
// The pass
//===-------------------------------------------------------------------------===//

static bool isSubgroupOp(Operation *op) {
  return isa<gpu::SubgroupReduceOp, gpu::ShuffleOp, gpu::RotateOp, gpu::SubgroupBroadcastOp,
             gpu::LaneIdOp, gpu::SubgroupIdOp, gpu::NumSubgroupsOp, gpu::SubgroupSizeOp>(op);
}

/// Checks that all lanes of a cluster exist.
static LogicalResult requireRoomForCluster(Operation *op, const target::TargetEnv &env) {
  auto reduce = dyn_cast<gpu::SubgroupReduceOp>(op);
  uint32_t size = reduce ? reduce.getClusterSize().value_or(1) : 1;
  if (size == 1 || !op->getParentOfType<gpu::GPUFuncOp>())
    return success();
  return requireSubgroupSize(op, uint64_t(size) * reduce.getClusterStride(), env);
}

static LogicalResult lowerOne(Operation *op, const target::TargetEnv &env) {
  if (!op->getParentOfType<gpu::GPUFuncOp>())
    return op->emitError() << "'" << op->getName()
                           << "' outside of a gpu.func: run pumice-inline-calls first";
  if (!env.hasSubgroup(target::SubgroupBasic))
    return missingSubgroupOperation(op, env, target::SubgroupBasic);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](gpu::SubgroupReduceOp op) { return lowerSubgroupReduce(op, env); })
      .Case([&](gpu::ShuffleOp op) { return lowerShuffle(op, env); })
      .Case([&](gpu::RotateOp op) { return lowerRotate(op, env); })
      .Case([&](gpu::SubgroupBroadcastOp op) { return lowerBroadcast(op, env); })
      .Case([&](gpu::NumSubgroupsOp op) { return lowerNumSubgroups(op, env); })
      .Default(success());
}

void LowerSubgroupOps::runOnOperation() {
  SmallVector<Operation *> ops;
  getOperation().walk([&](Operation *op) {
    if (isSubgroupOp(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  FailureOr<target::TargetEnv> env = vk::lookupTarget(getOperation());
  if (failed(env))
    return signalPassFailure();
  // All checks come before any lowering. Otherwise an operation could be lowered for a subgroup
  // size that is too small for a later operation.
  for (Operation *op : ops)
    if (failed(requireRoomForCluster(op, *env)))
      return signalPassFailure();
  for (Operation *op : ops)
    if (failed(lowerOne(op, *env)))
      return signalPassFailure();
}
