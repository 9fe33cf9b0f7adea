//===- ConvertControl.cpp - loops and conditions ----------------------------===//
//   before: %r = scf.for … iter_args(%p = %x, %s = %zero) -> (!tt.ptr<f32>, tensor<64xf32>)
//   after:  %r = scf.for … iter_args(%at = %c0, %s = %zero) -> (i64, tensor<64xf32, #l>)
// A variable that begins as a recipe gets the layout of the value that the loop yields for it. To
// learn that layout, the loop is first built without the variable. The loop is rebuilt until all
// layouts are known.
//===-------------------------------------------------------------------------===//
#include "compiler/import/triton/distribute/Carriers.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

static SmallVector<Distributed> valuesOf(Distribution &d, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return d[value]; });
}

static Carriers carriersOf(ValueRange places, ArrayRef<Distributed> values) {
  Carriers carriers;
  for (auto [place, value] : llvm::zip_equal(places, values))
    carriers.push_back(carrierOf(place.getLoc(), value));
  return carriers;
}

static void setAll(Distribution &d, ValueRange values, ArrayRef<Distributed> are) {
  for (auto [value, is] : llvm::zip_equal(values, are))
    d.set(value, is);
}

/// Adapts all carriers to the values, and returns whether any carrier changed. With `isLast`,
/// layouts that are still unknown become the layouts of the shapes.
static FailureOr<bool> adaptAll(Distribution &d, Carriers &carriers, ArrayRef<Distributed> values,
                                bool isLast) {
  bool changed = false;
  for (auto [carrier, value] : llvm::zip_equal(carriers, values)) {
    FailureOr<bool> here = adapt(d, carrier, value);
    if (failed(here))
      return failure();
    bool isKnown = carrier.kind != Carrier::Tile || carrier.layout;
    if (isLast && !isKnown) {
      if (failed(settle(d, carrier)))
        return failure();
      here = true;
    }
    changed |= *here;
  }
  return changed;
}

/// Builds a loop repeatedly, until its variables can carry the values that it yields. Each round
/// changes a carrier, and each carrier changes at most twice.
static LogicalResult
untilSettled(Distribution &d, Carriers &carriers,
             llvm::function_ref<FailureOr<Operation *>(SmallVector<Distributed> &yielded)> build) {
  while (true) {
    SmallVector<Distributed> yielded;
    FailureOr<Operation *> loop = build(yielded);
    if (failed(loop))
      return failure();
    FailureOr<bool> changed = adaptAll(d, carriers, yielded, /*isLast=*/true);
    if (failed(changed) || !*changed)
      return changed;
    (*loop)->erase();
  }
}

//===-------------------------------------------------------------------------===//
// for
//===-------------------------------------------------------------------------===//

static LogicalResult convertFor(Distribution &d, scf::ForOp op) {
  Location loc = op.getLoc();
  SmallVector<Distributed> inits = valuesOf(d, op.getInitArgs());
  Carriers carriers = carriersOf(op.getRegionIterArgs(), inits);
  scf::ForOp loop;
  auto build = [&](SmallVector<Distributed> &yielded) -> FailureOr<Operation *> {
    FailureOr<SmallVector<Value>> packed = pack(d, carriers, inits);
    if (failed(packed))
      return failure();
    loop = scf::ForOp::create(d.b, loc, d.scalar(op.getLowerBound()), d.scalar(op.getUpperBound()),
                              d.scalar(op.getStep()), *packed);
    loop->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    loop.setUnsignedCmp(op.getUnsignedCmp());
    OpBuilder::InsertionGuard guard(d.b);
    if (Block *body = loop.getBody(); !body->empty())
      body->getTerminator()->erase();
    d.b.setInsertionPointToStart(loop.getBody());
    loop.getInductionVar().setLoc(op.getInductionVar().getLoc());
    d.set(op.getInductionVar(), Value(loop.getInductionVar()));
    setAll(d, op.getRegionIterArgs(), unpack(d, carriers, loop.getRegionIterArgs()));
    if (failed(convertBody(d, *op.getBody())))
      return failure();
    yielded = valuesOf(d, op.getYieldedValues());
    return loop.getOperation();
  };
  if (failed(untilSettled(d, carriers, build)))
    return failure();
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPointToEnd(loop.getBody());
  FailureOr<SmallVector<Value>> yielded = pack(d, carriers, valuesOf(d, op.getYieldedValues()));
  if (failed(yielded))
    return failure();
  scf::YieldOp::create(d.b, loc, *yielded);
  d.b.setInsertionPointAfter(loop);
  setAll(d, op.getResults(), unpack(d, carriers, loop.getResults()));
  return success();
}

//===-------------------------------------------------------------------------===//
// if
//===-------------------------------------------------------------------------===//

static LogicalResult convertIf(Distribution &d, scf::IfOp op) {
  Location loc = op.getLoc();
  // The result types are known only after both branches are built.
  auto sides =
      scf::IfOp::create(d.b, loc, TypeRange{}, d.scalar(op.getCondition()),
                        /*addThenBlock=*/true, /*addElseBlock=*/!op.getElseRegion().empty());
  Carriers carriers;
  auto convertSide = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(d.b);
    to->clear();
    d.b.setInsertionPointToStart(to);
    return convertBody(d, *from);
  };
  if (failed(convertSide(op.thenBlock(), sides.thenBlock())) ||
      (op.elseBlock() && failed(convertSide(op.elseBlock(), sides.elseBlock()))))
    return failure();
  if (op.getNumResults()) {
    SmallVector<Distributed> yes = valuesOf(d, op.thenYield().getOperands()),
                             no = valuesOf(d, op.elseYield().getOperands());
    carriers = carriersOf(op.getResults(), yes);
    if (failed(adaptAll(d, carriers, no, /*isLast=*/true)))
      return failure();
    for (Carrier &carrier : carriers)
      if (failed(carryFromWithin(d, carrier, sides)))
        return failure();
  }
  auto branch = scf::IfOp::create(d.b, loc, typesOf(d.b, carriers), d.scalar(op.getCondition()),
                                  /*addThenBlock=*/false, /*addElseBlock=*/false);
  branch.getThenRegion().takeBody(sides.getThenRegion());
  branch.getElseRegion().takeBody(sides.getElseRegion());
  sides.erase();
  auto end = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(d.b);
    d.b.setInsertionPointToEnd(to);
    FailureOr<SmallVector<Value>> yielded =
        pack(d, carriers, valuesOf(d, from->getTerminator()->getOperands()));
    if (succeeded(yielded))
      scf::YieldOp::create(d.b, loc, *yielded);
    return yielded;
  };
  if (failed(end(op.thenBlock(), branch.thenBlock())) ||
      (op.elseBlock() && failed(end(op.elseBlock(), branch.elseBlock()))))
    return failure();
  setAll(d, op.getResults(), unpack(d, carriers, branch.getResults()));
  return success();
}

//===-------------------------------------------------------------------------===//
// while
//===-------------------------------------------------------------------------===//

static Block *addBlock(Distribution &d, Region &region, ArrayRef<Carrier> carriers, Location loc) {
  SmallVector<Type> types = typesOf(d.b, carriers);
  return d.b.createBlock(&region, region.end(), types, SmallVector<Location>(types.size(), loc));
}

/// Builds the loop once, with `carriers` for its variables. Sets `passed` to the carriers of the
/// values that its condition passes on.
static FailureOr<scf::WhileOp> buildWhile(Distribution &d, scf::WhileOp op,
                                          ArrayRef<Distributed> inits, ArrayRef<Carrier> carriers,
                                          Carriers &passed) {
  Location loc = op.getLoc();
  FailureOr<SmallVector<Value>> packed = pack(d, carriers, inits);
  if (failed(packed))
    return failure();
  auto condition = scf::WhileOp::create(d.b, loc, TypeRange{}, *packed);
  OpBuilder::InsertionGuard guard(d.b);
  Block *before = addBlock(d, condition.getBefore(), carriers, loc);
  setAll(d, op.getBeforeArguments(), unpack(d, carriers, before->getArguments()));
  if (failed(convertBody(d, *op.getBeforeBody())))
    return failure();
  SmallVector<Distributed> values = valuesOf(d, op.getConditionOp().getArgs());
  passed = carriersOf(op.getResults(), values);
  for (Carrier &carrier : passed)
    if (failed(settle(d, carrier)) || failed(carryFromWithin(d, carrier, condition)))
      return failure();
  FailureOr<SmallVector<Value>> passedOn = pack(d, passed, values);
  if (failed(passedOn))
    return failure();
  scf::ConditionOp::create(d.b, loc, d.scalar(op.getConditionOp().getCondition()), *passedOn);

  d.b.setInsertionPointAfter(condition);
  auto loop = scf::WhileOp::create(d.b, loc, typesOf(d.b, passed), *packed);
  loop.getBefore().takeBody(condition.getBefore());
  condition.erase();
  Block *after = addBlock(d, loop.getAfter(), passed, loc);
  setAll(d, op.getAfterArguments(), unpack(d, passed, after->getArguments()));
  if (failed(convertBody(d, *op.getAfterBody())))
    return failure();
  return loop;
}

static LogicalResult convertWhile(Distribution &d, scf::WhileOp op) {
  SmallVector<Distributed> inits = valuesOf(d, op.getInits());
  Carriers carriers = carriersOf(op.getBeforeArguments(), inits), passed;
  scf::WhileOp loop;
  auto build = [&](SmallVector<Distributed> &yielded) -> FailureOr<Operation *> {
    FailureOr<scf::WhileOp> built = buildWhile(d, op, inits, carriers, passed);
    if (failed(built))
      return failure();
    loop = *built;
    yielded = valuesOf(d, op.getYieldOp().getOperands());
    return loop.getOperation();
  };
  if (failed(untilSettled(d, carriers, build)))
    return failure();
  OpBuilder::InsertionGuard guard(d.b);
  d.b.setInsertionPointToEnd(loop.getAfterBody());
  FailureOr<SmallVector<Value>> yielded =
      pack(d, carriers, valuesOf(d, op.getYieldOp().getOperands()));
  if (failed(yielded))
    return failure();
  scf::YieldOp::create(d.b, op.getLoc(), *yielded);
  d.b.setInsertionPointAfter(loop);
  setAll(d, op.getResults(), unpack(d, passed, loop.getResults()));
  return success();
}

LogicalResult triton::distribute::convertControl(Distribution &d, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp op) { return convertFor(d, op); })
      .Case([&](scf::IfOp op) { return convertIf(d, op); })
      .Case([&](scf::WhileOp op) { return convertWhile(d, op); });
}
