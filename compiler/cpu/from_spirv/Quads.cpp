//===- Quads.cpp - exchange within four neighbours --------------------------===//
#include "compiler/cpu/from_spirv/Subgroups.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using namespace pumice::cpu::subgroup;

static Value quadStart(Lowering &l) {
  return arith::AndIOp::create(l.b, l.builtin("subgroup_lane"), l.integer(~3));
}

static LogicalResult quadBroadcast(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  Value index = arith::AndIOp::create(l.b, word(l, l.scalar(op->getOperand(1))), l.integer(3));
  Value from = arith::OrIOp::create(l.b, quadStart(l), index);
  return l.finish(op, shuffleAll(l, l.get(op->getOperand(0)), from));
}

/// Swaps lanes of a quad. The direction is 0 for horizontal (lane xor 1), 1 for vertical (xor 2),
/// or 2 for diagonal (xor 3).
static LogicalResult quadSwap(Lowering &l, Operation *op) {
  if (failed(checkScope(l, op)))
    return failure();
  Value direction = word(l, l.scalar(op->getOperand(1)));
  Value step = arith::AddIOp::create(l.b, direction, l.integer(1));
  Value from = arith::XOrIOp::create(l.b, l.builtin("subgroup_lane"),
                                     arith::AndIOp::create(l.b, step, l.integer(3)));
  return l.finish(op, shuffleAll(l, l.get(op->getOperand(0)), from));
}

/// Returns the quad's four bits of a ballot.
static Value quadBallot(Lowering &l, Value condition) {
  Value start = narrow(l, quadStart(l), l.b.getI64Type());
  Value moved = arith::ShRUIOp::create(l.b, ballot(l, condition), start);
  return arith::AndIOp::create(l.b, moved, l.integer(15, 64));
}

template <bool all> static LogicalResult quadVote(Lowering &l, Operation *op) {
  Value condition = l.scalar(op->getOperand(0));
  if (all) // true if no lane's condition is false
    condition = arith::XOrIOp::create(l.b, condition, l.integer(1, 1));
  auto how = all ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne;
  return l.finish(op,
                  {arith::CmpIOp::create(l.b, how, quadBallot(l, condition), l.integer(0, 64))});
}

static constexpr Rule rulesOfQuads[] = {
    {"GroupNonUniformQuadAllKHR", quadVote<true>},
    {"GroupNonUniformQuadAnyKHR", quadVote<false>},
    {"GroupNonUniformQuadBroadcast", quadBroadcast},
    {"GroupNonUniformQuadSwap", quadSwap},
};

ArrayRef<Rule> pumice::cpu::quadRules() { return rulesOfQuads; }
