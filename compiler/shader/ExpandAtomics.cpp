//===- ExpandAtomics.cpp - atomics as loops of exchanges --------------------===//
//   before: %old = lane.atomic fmax monotonic %p, %v : f32
//   after:  ^again(%seen: i32): %new = bits of max(%seen, %v)
//           %now = lane.compare_exchange monotonic %p, %seen, %new : i32
//           cf.cond_br %now == %seen, ^done, ^again(%now)
//===-------------------------------------------------------------------------===//
#include "compiler/shader/Passes.h"

#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace pumice::shader {
#define GEN_PASS_DEF_EXPANDATOMICS
#include "compiler/shader/Passes.h.inc"
} // namespace pumice::shader

using namespace mlir;
using namespace pumice;

namespace {
struct ExpandAtomics final : shader::impl::ExpandAtomicsBase<ExpandAtomics> {
  using ExpandAtomicsBase::ExpandAtomicsBase;
  void runOnOperation() override;
};
} // namespace

/// Returns the value that an update leaves in memory, or null for updates that OpenCL has.
static Value updated(ImplicitLocOpBuilder &b, StringRef kind, Value now, Value operand,
                     bool floatAdd) {
  if (kind == "fadd" && !(floatAdd && !now.getType().isF16()))
    return arith::AddFOp::create(b, now, operand);
  if (kind == "fmin")
    return arith::MinNumFOp::create(b, now, operand);
  if (kind == "fmax")
    return arith::MaxNumFOp::create(b, now, operand);
  if (kind != "inc_wrap" && kind != "dec_wrap")
    return {};
  Type type = now.getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  };
  using Predicate = arith::CmpIPredicate;
  Value beyond =
      arith::CmpIOp::create(b, kind == "inc_wrap" ? Predicate::uge : Predicate::ugt, now, operand);
  if (kind == "inc_wrap")
    return arith::SelectOp::create(b, beyond, number(0),
                                   arith::AddIOp::create(b, now, number(1)).getResult());
  Value isZero = arith::CmpIOp::create(b, Predicate::eq, now, number(0));
  return arith::SelectOp::create(b, arith::OrIOp::create(b, beyond, isZero).getResult(), operand,
                                 arith::SubIOp::create(b, now, number(1)).getResult());
}

static bool isExpanded(lane::AtomicOp op, bool floatAdd) {
  StringRef kind = op.getKind();
  if (kind == "fadd")
    return !floatAdd || op.getValue().getType().isF16();
  return kind == "fmin" || kind == "fmax" || kind == "inc_wrap" || kind == "dec_wrap";
}

static void expand(lane::AtomicOp op, bool floatAdd) {
  Type type = op.getValue().getType();
  Type bits = IntegerType::get(op.getContext(), type.getIntOrFloatBitWidth());
  auto cast = [](ImplicitLocOpBuilder &b, Type to, Value value) -> Value {
    return value.getType() == to ? value : arith::BitcastOp::create(b, to, value).getResult();
  };
  Block *before = op->getBlock(), *after = before->splitBlock(op);
  auto *again = new Block;
  before->getParent()->getBlocks().insert(after->getIterator(), again);
  Value seen = again->addArgument(bits, op.getLoc());
  ImplicitLocOpBuilder b(op.getLoc(), op.getContext());
  b.setInsertionPointToEnd(before);
  auto first = lane::LoadOp::create(b, TypeRange(bits), op.getAddress(),
                                    static_cast<uint64_t>(bits.getIntOrFloatBitWidth() / 8));
  first->setAttr("atomic_order", b.getStringAttr("monotonic"));
  cf::BranchOp::create(b, again, first.getResults());
  b.setInsertionPointToEnd(again);
  Value next = updated(b, op.getKind(), cast(b, type, seen), op.getValue(), floatAdd);
  Value now = lane::CompareExchangeOp::create(b, bits, op.getOrder(), op.getAddress(), seen,
                                              cast(b, bits, next), false);
  Value done = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, now, seen);
  cf::CondBranchOp::create(b, done, after, ValueRange(), again, ValueRange(now));
  b.setInsertionPoint(op);
  op.getOld().replaceAllUsesWith(cast(b, type, seen));
  op.erase();
}

void ExpandAtomics::runOnOperation() {
  SmallVector<lane::AtomicOp> found;
  getOperation().walk([&](lane::AtomicOp op) {
    if (isExpanded(op, floatAdd))
      found.push_back(op);
  });
  for (lane::AtomicOp op : found)
    expand(op, floatAdd);
}
