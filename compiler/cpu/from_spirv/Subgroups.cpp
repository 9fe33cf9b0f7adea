//===- Subgroups.cpp - exchange within the subgroup -------------------------===//
// Composes subgroup instructions from three operations: reading another lane's value, collecting
// one bit from each lane, and a reduction. SPIR-V's ballots have four words. Subgroups of up to 64
// lanes use two of them.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/from_spirv/Subgroups.h"
#include "compiler/cpu/from_spirv/Groups.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;

//===-------------------------------------------------------------------------===//
// Small functions, some of which Quads.cpp uses as well
//===-------------------------------------------------------------------------===//

Value subgroup::shuffle(Lowering &l, Value value, Value from) {
  return lane::ShuffleOp::create(l.b, value.getType(), value, from);
}

Scalars subgroup::shuffleAll(Lowering &l, const Scalars &values, Value from) {
  Scalars results;
  for (Value value : values)
    results.push_back(shuffle(l, value, from));
  return results;
}

Value subgroup::ballot(Lowering &l, Value condition) {
  return lane::BallotOp::create(l.b, l.b.getI64Type(), condition);
}

Value subgroup::narrow(Lowering &l, Value bits, Type type) {
  unsigned from = bits.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from > to)
    return arith::TruncIOp::create(l.b, type, bits);
  return from < to ? arith::ExtUIOp::create(l.b, type, bits).getResult() : bits;
}

Value subgroup::word(Lowering &l, Value number) { return narrow(l, number, l.b.getI32Type()); }

LogicalResult subgroup::checkScope(Lowering &l, Operation *op) {
  auto numbers = l.numbers(op, {"execution_scope"});
  if (failed(numbers))
    return failure();
  constexpr int64_t scopeSubgroup = 3;
  if ((*numbers)[0] != scopeSubgroup)
    return l.error() << "Op" << instructionName(op) << " of scope " << (*numbers)[0]
                     << " is not supported: only the subgroup's (3) is";
  return success();
}

using namespace subgroup;

static Value wide(Lowering &l, Value number) { return narrow(l, number, l.b.getI64Type()); }
static Value isNonZero(Lowering &l, Value bits) {
  return arith::CmpIOp::create(l.b, arith::CmpIPredicate::ne, bits, l.integer(0, 64));
}
static Value isZero(Lowering &l, Value bits) {
  return arith::CmpIOp::create(l.b, arith::CmpIPredicate::eq, bits, l.integer(0, 64));
}
static Value inverted(Lowering &l, Value condition) {
  return arith::XOrIOp::create(l.b, condition, l.integer(1, 1));
}
static Value lowest(Lowering &l, Value bits) {
  return word(l, math::CountTrailingZerosOp::create(l.b, bits));
}
static Value firstLane(Lowering &l) { return lowest(l, ballot(l, l.integer(1, 1))); }
static Value ownLane(Lowering &l) { return l.builtin("subgroup_lane"); }

static Scalars fourWords(Lowering &l, Value bits) {
  Value high = arith::ShRUIOp::create(l.b, bits, l.integer(32, 64));
  return {word(l, bits), word(l, high), l.integer(0), l.integer(0)};
}

static Value bitsOf(Lowering &l, const Scalars &words) {
  Value high = arith::ShLIOp::create(l.b, wide(l, words[1]), l.integer(32, 64));
  return arith::OrIOp::create(l.b, wide(l, words[0]), high);
}

//===-------------------------------------------------------------------------===//
// Votes
//===-------------------------------------------------------------------------===//

static LogicalResult elect(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  return l.finish(op,
                  {arith::CmpIOp::create(l.b, arith::CmpIPredicate::eq, ownLane(l), firstLane(l))});
}

static Value voteAll(Lowering &l, Value condition) {
  return isZero(l, ballot(l, inverted(l, condition)));
}
static Value voteAny(Lowering &l, Value condition) { return isNonZero(l, ballot(l, condition)); }

/// Lowers a vote. The instructions of the older extension have no scope operand.
template <Value (*vote)(Lowering &, Value), bool hasScope>
static LogicalResult lowerVote(Lowering &l, Operation *op) {
  if (hasScope && group::isWorkgroups(l, op))
    return group::vote(l, op, /*all=*/vote == voteAll);
  if (hasScope && failed(checkScope(l, op)))
    return failure();
  return l.finish(op, {vote(l, l.scalar(op->getOperand(0)))});
}

template <bool hasScope> static LogicalResult allEqual(Lowering &l, Operation *op) {
  if (hasScope && failed(checkScope(l, op)))
    return failure();
  Value first = firstLane(l), same;
  for (Value value : l.get(op->getOperand(0))) {
    Value other = shuffle(l, value, first);
    Value equal =
        isa<FloatType>(value.getType())
            ? arith::CmpFOp::create(l.b, arith::CmpFPredicate::OEQ, value, other).getResult()
            : arith::CmpIOp::create(l.b, arith::CmpIPredicate::eq, value, other).getResult();
    same = same ? arith::AndIOp::create(l.b, same, equal).getResult() : equal;
  }
  return l.finish(op, {voteAll(l, same)});
}

//===-------------------------------------------------------------------------===//
// Ballots
//===-------------------------------------------------------------------------===//

template <bool hasScope> static LogicalResult lowerBallot(Lowering &l, Operation *op) {
  if (hasScope && failed(checkScope(l, op)))
    return failure();
  return l.finish(op, fourWords(l, ballot(l, l.scalar(op->getOperand(0)))));
}

static Value bitAt(Lowering &l, Value bits, Value lane) {
  Value index = arith::AndIOp::create(l.b, wide(l, lane), l.integer(63, 64));
  Value moved = arith::ShRUIOp::create(l.b, bits, index);
  return arith::TruncIOp::create(l.b, l.b.getI1Type(), moved);
}

static LogicalResult inverseBallot(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  return l.finish(op, {bitAt(l, bitsOf(l, l.get(op->getOperand(0))), ownLane(l))});
}

static LogicalResult extractBit(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  Value bits = bitsOf(l, l.get(op->getOperand(0)));
  return l.finish(op, {bitAt(l, bits, l.scalar(op->getOperand(1)))});
}

/// Clears the bits of lanes beyond the subgroup's size.
static Value existing(Lowering &l, Value bits) {
  Value missing =
      arith::SubIOp::create(l.b, l.integer(64, 64), wide(l, l.builtin("subgroup_size")));
  return arith::AndIOp::create(l.b, bits, arith::ShRUIOp::create(l.b, l.integer(-1, 64), missing));
}

/// Keeps the bits of the lanes before the current one. Keeps the current lane's bit if `withOwn` is
/// set.
static Value before(Lowering &l, Value bits, bool withOwn) {
  Value own = arith::ShLIOp::create(l.b, l.integer(1, 64), wide(l, ownLane(l)));
  Value mask = arith::SubIOp::create(l.b, own, l.integer(1, 64));
  if (withOwn)
    mask = arith::OrIOp::create(l.b, mask, own);
  return arith::AndIOp::create(l.b, bits, mask);
}

static LogicalResult countBits(Lowering &l, Operation *op) {
  auto numbers = l.numbers(op, {"execution_scope", "group_operation"});
  if (failed(checkScope(l, op)) || failed(numbers))
    return failure();
  Value bits = bitsOf(l, l.get(op->getOperand(0)));
  int64_t how = (*numbers)[1]; // 0: all, 1: inclusive, 2: exclusive
  bits = how == 0 ? existing(l, bits) : before(l, bits, how == 1);
  Type type = l.types.scalar(op->getResult(0).getType());
  return l.finish(op, {narrow(l, math::CtPopOp::create(l.b, bits), type)});
}

template <bool highest> static LogicalResult findBit(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  Value bits = existing(l, bitsOf(l, l.get(op->getOperand(0))));
  Value found =
      highest ? arith::SubIOp::create(l.b, l.integer(63, 64),
                                      math::CountLeadingZerosOp::create(l.b, bits).getResult())
                    .getResult()
              : math::CountTrailingZerosOp::create(l.b, bits).getResult();
  return l.finish(op, {narrow(l, found, l.types.scalar(op->getResult(0).getType()))});
}

//===-------------------------------------------------------------------------===//
// Values of other lanes
//===-------------------------------------------------------------------------===//

template <bool hasScope> static LogicalResult lowerShuffle(Lowering &l, Operation *op) {
  if (hasScope && failed(checkScope(l, op)))
    return failure();
  Value from = word(l, l.scalar(op->getOperand(1)));
  return l.finish(op, shuffleAll(l, l.get(op->getOperand(0)), from));
}

static LogicalResult lowerBroadcast(Lowering &l, Operation *op) {
  return group::isWorkgroups(l, op) ? group::broadcast(l, op) : lowerShuffle<true>(l, op);
}

template <typename Move> static LogicalResult shuffleMoved(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  Value from = Move::create(l.b, ownLane(l), word(l, l.scalar(op->getOperand(1))));
  return l.finish(op, shuffleAll(l, l.get(op->getOperand(0)), from));
}

template <bool hasScope> static LogicalResult broadcastFirst(Lowering &l, Operation *op) {
  if (hasScope && failed(checkScope(l, op)))
    return failure();
  return l.finish(op, shuffleAll(l, l.get(op->getOperand(0)), firstLane(l)));
}

/// Rotates values within clusters, whose size is a power of two, or within the whole subgroup.
static LogicalResult rotate(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  Value lane = ownLane(l), delta = word(l, l.scalar(op->getOperand(1)));
  Value size =
      op->getNumOperands() > 2 ? word(l, l.scalar(op->getOperand(2))) : l.builtin("subgroup_size");
  Value mask = arith::SubIOp::create(l.b, size, l.integer(1));
  Value moved = arith::AndIOp::create(l.b, arith::AddIOp::create(l.b, lane, delta), mask);
  Value outside = arith::XOrIOp::create(l.b, mask, l.integer(-1));
  Value from = arith::OrIOp::create(l.b, moved, arith::AndIOp::create(l.b, lane, outside));
  return l.finish(op, shuffleAll(l, l.get(op->getOperand(0)), from));
}

//===-------------------------------------------------------------------------===//
// Reductions and scans
//===-------------------------------------------------------------------------===//

static StringRef kindOf(StringRef name) {
  if (!name.consume_front("GroupNonUniform"))
    name.consume_front("Group");
  name.consume_back("KHR");
  return llvm::StringSwitch<StringRef>(name)
      .Case("IAdd", "add")
      .Case("IMul", "mul")
      .Case("FAdd", "fadd")
      .Case("FMul", "fmul")
      .Case("SMin", "smin")
      .Case("SMax", "smax")
      .Case("UMin", "umin")
      .Case("UMax", "umax")
      .Case("FMin", "fmin")
      .Case("FMax", "fmax")
      .Cases({"BitwiseAnd", "LogicalAnd"}, "and")
      .Cases({"BitwiseOr", "LogicalOr"}, "or")
      .Default("xor");
}

static LogicalResult reduce(Lowering &l, Operation *op) {
  auto numbers = l.numbers(op, {"execution_scope", "group_operation"});
  std::string name = instructionName(op);
  bool whole = group::isWorkgroups(l, op);
  if ((!whole && failed(checkScope(l, op))) || failed(numbers))
    return failure();
  static constexpr StringLiteral scans[] = {"none", "inclusive", "exclusive", "none"};
  int64_t how = (*numbers)[1];
  int32_t cluster = 0;
  if (how < 0 || how > 3)
    return l.error() << "Op" << name << " has the unknown group operation " << how;
  if (how == 3) {
    auto size = op->getNumOperands() > 1 ? l.constant(op->getOperand(1)) : std::nullopt;
    if (!size)
      return l.error() << "Op" << name << " needs a cluster size that is a constant";
    cluster = static_cast<int32_t>(*size);
  }
  if (whole && how != 3)
    return group::reduce(l, op, kindOf(name), scans[how]);
  Scalars results;
  for (Value value : l.get(op->getOperand(0)))
    results.push_back(
        lane::ReduceOp::create(l.b, value.getType(), kindOf(name), scans[how], cluster, value));
  return l.finish(op, results);
}

static constexpr Rule rulesOfSubgroups[] = {
    {"GroupAll", lowerVote<voteAll, true>},
    {"GroupAny", lowerVote<voteAny, true>},
    {"GroupBitwiseAndKHR", reduce},
    {"GroupBitwiseOrKHR", reduce},
    {"GroupBitwiseXorKHR", reduce},
    {"GroupBroadcast", lowerBroadcast},
    {"GroupFAdd", reduce},
    {"GroupFMax", reduce},
    {"GroupFMin", reduce},
    {"GroupFMulKHR", reduce},
    {"GroupIAdd", reduce},
    {"GroupIMulKHR", reduce},
    {"GroupLogicalAndKHR", reduce},
    {"GroupLogicalOrKHR", reduce},
    {"GroupLogicalXorKHR", reduce},
    {"GroupNonUniformAll", lowerVote<voteAll, true>},
    {"GroupNonUniformAllEqual", allEqual<true>},
    {"GroupNonUniformAny", lowerVote<voteAny, true>},
    {"GroupNonUniformBallot", lowerBallot<true>},
    {"GroupNonUniformBallotBitCount", countBits},
    {"GroupNonUniformBallotBitExtract", extractBit},
    {"GroupNonUniformBallotFindLSB", findBit<false>},
    {"GroupNonUniformBallotFindMSB", findBit<true>},
    {"GroupNonUniformBitwiseAnd", reduce},
    {"GroupNonUniformBitwiseOr", reduce},
    {"GroupNonUniformBitwiseXor", reduce},
    {"GroupNonUniformBroadcast", lowerShuffle<true>},
    {"GroupNonUniformBroadcastFirst", broadcastFirst<true>},
    {"GroupNonUniformElect", elect},
    {"GroupNonUniformFAdd", reduce},
    {"GroupNonUniformFMax", reduce},
    {"GroupNonUniformFMin", reduce},
    {"GroupNonUniformFMul", reduce},
    {"GroupNonUniformIAdd", reduce},
    {"GroupNonUniformIMul", reduce},
    {"GroupNonUniformInverseBallot", inverseBallot},
    {"GroupNonUniformLogicalAnd", reduce},
    {"GroupNonUniformLogicalOr", reduce},
    {"GroupNonUniformLogicalXor", reduce},
    {"GroupNonUniformRotateKHR", rotate},
    {"GroupNonUniformSMax", reduce},
    {"GroupNonUniformSMin", reduce},
    {"GroupNonUniformShuffle", lowerShuffle<true>},
    {"GroupNonUniformShuffleDown", shuffleMoved<arith::AddIOp>},
    {"GroupNonUniformShuffleUp", shuffleMoved<arith::SubIOp>},
    {"GroupNonUniformShuffleXor", shuffleMoved<arith::XOrIOp>},
    {"GroupNonUniformUMax", reduce},
    {"GroupNonUniformUMin", reduce},
    {"GroupSMax", reduce},
    {"GroupSMin", reduce},
    {"GroupUMax", reduce},
    {"GroupUMin", reduce},
    {"SubgroupAllEqualKHR", allEqual<false>},
    {"SubgroupAllKHR", lowerVote<voteAll, false>},
    {"SubgroupAnyKHR", lowerVote<voteAny, false>},
    {"SubgroupBallotKHR", lowerBallot<false>},
    {"SubgroupFirstInvocationKHR", broadcastFirst<false>},
    {"SubgroupReadInvocationKHR", lowerShuffle<false>},
};

ArrayRef<Rule> pumice::cpu::subgroupRules() { return rulesOfSubgroups; }
