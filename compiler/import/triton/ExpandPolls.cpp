//===- ExpandPolls.cpp - tt.atomic_poll → loops over tt.atomic_load ---------===//
//   before: %seen = tt.atomic_poll acquire, gpu, %p, %e timeout %t : …, … -> tensor<16xi1>
//   after:  %open:2 = scf.while (%open = %true, %turns = %t / 64) {
//             %v = tt.atomic_load acquire, gpu, %p, %open : …
//             %still = arith.andi %open, (%v != %e)
//             scf.condition((some of %still) and %turns > 0) %still, %turns - 1
//           } do { … }
//           %seen = arith.xori %open#0, %true
// Not every device has a clock, so each iteration of the loop counts as 64 ns. Each element is read
// at least once, and no more after it had the expected value. Needs: nothing. Leaves: no
// tt.atomic_poll.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/triton/TritonDialect.h"
#include "compiler/import/triton/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::triton {
#define GEN_PASS_DEF_EXPANDPOLLS
#include "compiler/import/triton/Passes.h.inc"
} // namespace pumice::triton

using namespace mlir;
using namespace pumice::triton;

/// The number of nanoseconds for which one iteration of the loop counts.
constexpr int64_t turnNanoseconds = 64;

/// Returns a constant of type `type`: a scalar, or a tensor whose elements are equal.
static Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  TypedAttr one = b.getIntegerAttr(scalarOf(type), value);
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return arith::ConstantOp::create(b, DenseElementsAttr::get(tensor, Attribute(one)));
  return arith::ConstantOp::create(b, one);
}

/// Returns a scalar that is true if any element is true.
static Value anyOf(ImplicitLocOpBuilder &b, Value truth) {
  auto type = dyn_cast<RankedTensorType>(truth.getType());
  if (!type)
    return truth;
  if (type.getRank() > 1)
    truth =
        ReshapeOp::create(b, RankedTensorType::get({type.getNumElements()}, b.getI1Type()), truth);
  Type i32 = b.getI32Type();
  Value numbers = arith::ExtUIOp::create(b, withScalar(truth.getType(), i32), truth);
  auto reduce = ReduceOp::create(b, TypeRange{i32}, ValueRange{numbers}, 0u);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&reduce.getCombine(), {}, {i32, i32}, {b.getLoc(), b.getLoc()});
    Value either = arith::OrIOp::create(b, body->getArgument(0), body->getArgument(1));
    ReduceReturnOp::create(b, ValueRange{either});
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, reduce.getResult(0),
                               constant(b, i32, 0));
}

static void expand(AtomicPollOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Type truth = op.getType(), i64 = b.getI64Type();
  Value all = constant(b, truth, 1);
  SmallVector<Value> inits{all};
  if (Value time = op.getTimeout())
    inits.push_back(arith::DivUIOp::create(b, time, constant(b, i64, turnNanoseconds)));
  auto turn = [&](OpBuilder &builder, Location loc, ValueRange carried) {
    ImplicitLocOpBuilder b(loc, builder);
    Value value = AtomicLoadOp::create(b, op.getExpected().getType(), op.getPointer(), carried[0],
                                       op.getOrder(), op.getScope());
    Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, op.getExpected());
    SmallVector<Value> next{arith::AndIOp::create(b, carried[0], differs)};
    Value goesOn = anyOf(b, next[0]);
    if (carried.size() > 1) {
      Value left =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, carried[1], constant(b, i64, 0));
      goesOn = arith::AndIOp::create(b, goesOn, left);
      next.push_back(arith::SubIOp::create(b, carried[1], constant(b, i64, 1)));
    }
    scf::ConditionOp::create(b, goesOn, next);
  };
  auto again = [](OpBuilder &builder, Location loc, ValueRange carried) {
    scf::YieldOp::create(builder, loc, carried);
  };
  auto loop = scf::WhileOp::create(b, TypeRange(ValueRange(inits)), inits, turn, again);
  op.replaceAllUsesWith(arith::XOrIOp::create(b, loop.getResult(0), all).getResult());
  op.erase();
}

namespace {

struct ExpandPolls final : pumice::triton::impl::ExpandPollsBase<ExpandPolls> {
  void runOnOperation() override {
    getOperation().walk([](AtomicPollOp op) { expand(op); });
  }
};

} // namespace
