//===- SubgroupReduce.cpp - gpu.subgroup_reduce for a target ----------------===//
// Chooses the first of three methods that the target and the operation allow:
//
//   native     spirv.GroupNonUniformFAdd <Subgroup> <Reduce> %x (ClusteredReduce for clusters of
//              neighbours). Inactive lanes do not take part.
//
//   butterfly  log2(n) exchanges of each lane with lane ^ distance. Requires all lanes.
//
//   lane loop  A loop over the lanes of the cluster. A ballot says which lanes are active.
//
// Every method gives all lanes of a cluster the same bits.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/subgroup/SubgroupReduce.h"
#include "compiler/lower/subgroup/LaneExchange.h"
#include "compiler/lower/subgroup/Reduction.h"
#include "compiler/lower/subgroup/Subgroups.h"
#include "compiler/target/Spirv.h"
#include "compiler/target/Tables.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace spv = mlir::spirv;
using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using Kind = gpu::AllReduceOperation;

namespace {

/// One reduction of one scalar.
struct Reducer {
  gpu::SubgroupReduceOp op;
  const target::TargetEnv &env;
  const Reduction &reduction;
  OpBuilder b;
  Location loc;
  SubgroupSizes sizes;
  /// `size` is the number of lanes in a cluster, or 0 for the whole subgroup. `stride` is the
  /// distance between two of its lanes.
  uint32_t size, stride;

  Reducer(gpu::SubgroupReduceOp op, const target::TargetEnv &env, const Reduction &reduction)
      : op(op), env(env), reduction(reduction), b(op), loc(op.getLoc()),
        sizes(subgroupSizes(op->getParentOfType<gpu::GPUFuncOp>(), env)),
        size(op.getClusterSize().value_or(0)), stride(op.getClusterStride()) {}

  FailureOr<Value> run(Value value);
  Value native(Value value);
  Value butterfly(Value value, uint32_t lanes);
  Value laneLoop(Value value);
  Value fromLane(Value value, Value lane);
};

} // namespace

template <typename Op> static Value group(Reducer &r, Value value, Value clusterSize) {
  MLIRContext *context = r.b.getContext();
  auto scope = spv::ScopeAttr::get(context, spv::Scope::Subgroup);
  auto operation = spv::GroupOperationAttr::get(
      context, clusterSize ? spv::GroupOperation::ClusteredReduce : spv::GroupOperation::Reduce);
  return Op::create(r.b, r.loc, value.getType(), scope, operation, value, clusterSize);
}

Value Reducer::native(Value value) {
  Value cluster;
  if (size)
    cluster = spv::ConstantOp::create(b, loc, b.getI32Type(), b.getI32IntegerAttr(size));
  bool isFloat = isa<FloatType>(value.getType());
  switch (reduction.kind()) {
  case Kind::ADD:
    return isFloat ? group<spv::GroupNonUniformFAddOp>(*this, value, cluster)
                   : group<spv::GroupNonUniformIAddOp>(*this, value, cluster);
  case Kind::MUL:
    return isFloat ? group<spv::GroupNonUniformFMulOp>(*this, value, cluster)
                   : group<spv::GroupNonUniformIMulOp>(*this, value, cluster);
  case Kind::MINUI:
    return group<spv::GroupNonUniformUMinOp>(*this, value, cluster);
  case Kind::MAXUI:
    return group<spv::GroupNonUniformUMaxOp>(*this, value, cluster);
  case Kind::MINSI:
    return group<spv::GroupNonUniformSMinOp>(*this, value, cluster);
  case Kind::MAXSI:
    return group<spv::GroupNonUniformSMaxOp>(*this, value, cluster);
  case Kind::AND:
    return group<spv::GroupNonUniformBitwiseAndOp>(*this, value, cluster);
  case Kind::OR:
    return group<spv::GroupNonUniformBitwiseOrOp>(*this, value, cluster);
  case Kind::XOR:
    return group<spv::GroupNonUniformBitwiseXorOp>(*this, value, cluster);
  default:
    llvm_unreachable("min and max of floats are encoded as integers");
  }
}

Value Reducer::fromLane(Value value, Value lane) {
  auto scope = spv::ScopeAttr::get(b.getContext(), spv::Scope::Subgroup);
  // The encoded types (i32, i64, f32, f64) can all be exchanged.
  return *exchange(b, loc, env, value, [&](Value word) -> Value {
    return spv::GroupNonUniformShuffleOp::create(b, loc, word.getType(), scope, word, lane);
  });
}

Value Reducer::butterfly(Value value, uint32_t lanes) {
  uint32_t end = size ? size * stride : lanes;
  Value lane = laneId(b, loc);
  for (uint32_t distance = size ? stride : 1; distance < end; distance *= 2) {
    Value partner = arith::XOrIOp::create(b, loc, lane, constantI32(b, loc, distance));
    value = reduction.combine(b, loc, value, fromLane(value, partner));
  }
  return value;
}

/// Returns whether the bit of `lane` is set in the ballot, which always has 128 bits.
static Value isActive(OpBuilder &b, Location loc, Value ballot, Value lane) {
  Value word = vector::ExtractOp::create(b, loc, ballot, 0);
  for (uint32_t i = 1; i < 4; ++i) {
    Value higher =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, lane, constantI32(b, loc, i * 32));
    Value next = vector::ExtractOp::create(b, loc, ballot, i);
    word = arith::SelectOp::create(b, loc, higher, next, word);
  }
  Value bit = arith::AndIOp::create(b, loc, lane, constantI32(b, loc, 31));
  Value shifted = arith::ShRUIOp::create(b, loc, word, bit);
  return arith::TruncIOp::create(b, loc, b.getI1Type(), shifted);
}

Value Reducer::laneLoop(Value value) {
  auto scope = spv::ScopeAttr::get(b.getContext(), spv::Scope::Subgroup);
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value ballot =
      spv::GroupNonUniformBallotOp::create(b, loc, VectorType::get(4, b.getI32Type()), scope, yes);
  Value base = constantI32(b, loc, 0);
  if (size) {
    // The lanes of a cluster agree in these bits of their numbers, and differ only in the others.
    Value outside = constantI32(b, loc, static_cast<int32_t>(~((size - 1) * stride)));
    base = arith::AndIOp::create(b, loc, laneId(b, loc), outside);
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value count = size ? Value(arith::ConstantIndexOp::create(b, loc, size))
                     : Value(gpu::SubgroupSizeOp::create(b, loc, /*upper_bound=*/nullptr));
  Value start = reduction.identity(b, loc);
  OpBuilder::InsertionGuard guard(b);
  auto loop = scf::ForOp::create(
      b, loc, zero, count, one, start,
      [&](OpBuilder &inner, Location loc, Value i, ValueRange sum) {
        b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
        Value lane = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), i);
        lane = arith::MulIOp::create(b, loc, lane, constantI32(b, loc, stride));
        lane = arith::AddIOp::create(b, loc, lane, base);
        Value active = isActive(b, loc, ballot, lane);
        Value with = reduction.combine(b, loc, sum[0], fromLane(value, lane));
        Value next = arith::SelectOp::create(b, loc, active, with, sum[0]);
        scf::YieldOp::create(b, loc, next);
      });
  return loop.getResult(0);
}

FailureOr<Value> Reducer::run(Value value) {
  if (size == 1)
    return value;
  bool isNative = reducesNatively(env, value.getType());
  if (isNative && (!size || (stride == 1 && env.hasSubgroup(target::SubgroupClustered))))
    return native(value);
  if (!env.hasSubgroup(target::SubgroupShuffle)) {
    std::string shuffles = target::whatBringsSubgroupOperation(env, target::SubgroupShuffle);
    if (!env.hasSubgroup(target::SubgroupArithmetic))
      missingSubgroupOperation(op, env, target::SubgroupArithmetic, shuffles);
    else if (isNative && stride == 1)
      missingSubgroupOperation(op, env, target::SubgroupClustered, shuffles);
    else
      missingSubgroupOperation(op, env, target::SubgroupShuffle);
    return failure();
  }
  auto func = op->getParentOfType<gpu::GPUFuncOp>();
  bool allLanesArrive = op.getUniform() || isa<FunctionOpInterface>(op->getParentOp());
  if (allLanesArrive)
    if (FailureOr<uint32_t> lanes = requireFullSubgroups(func, env); succeeded(lanes))
      return butterfly(value, *lanes);
  if (!env.hasSubgroup(target::SubgroupBallot)) {
    missingSubgroupOperation(op, env, target::SubgroupBallot)
        << ": mark it `uniform` and give the kernel a known_block_size that is a multiple of "
        << sizes.usual;
    return failure();
  }
  return laneLoop(value);
}

/// Computes `and` and `or` of booleans with vote instructions.
static Value vote(OpBuilder &b, Location loc, Kind kind, Value value) {
  auto scope = spv::ScopeAttr::get(b.getContext(), spv::Scope::Subgroup);
  if (kind == Kind::AND)
    return spv::GroupNonUniformAllOp::create(b, loc, b.getI1Type(), scope, value);
  return spv::GroupNonUniformAnyOp::create(b, loc, b.getI1Type(), scope, value);
}

static FailureOr<Value> reduceScalar(gpu::SubgroupReduceOp op, Value value,
                                     const target::TargetEnv &env) {
  FailureOr<Reduction> reduction = Reduction::get(op, op.getOp(), value.getType());
  if (failed(reduction))
    return failure();
  Location loc = op.getLoc();
  OpBuilder b(op);
  bool isVote = value.getType().isInteger(1) && reduction->kind() != Kind::XOR;
  if (isVote && !op.getClusterSize() && env.hasSubgroup(target::SubgroupVote))
    return vote(b, loc, reduction->kind(), value);
  FailureOr<Value> result = Reducer(op, env, *reduction).run(reduction->encode(b, loc, value));
  if (failed(result))
    return failure();
  return reduction->decode(b, loc, *result);
}

LogicalResult lower::lowerSubgroupReduce(gpu::SubgroupReduceOp op, const target::TargetEnv &env) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  auto type = dyn_cast<VectorType>(op.getType());
  SmallVector<Value> results;
  for (int64_t i = 0, count = type ? type.getNumElements() : 1; i < count; ++i) {
    Value value = type ? Value(vector::ExtractOp::create(b, loc, op.getValue(), i)) : op.getValue();
    FailureOr<Value> result = reduceScalar(op, value, env);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  Value result = type ? Value(vector::FromElementsOp::create(b, loc, type, results)) : results[0];
  op.replaceAllUsesWith(result);
  op.erase();
  return success();
}
