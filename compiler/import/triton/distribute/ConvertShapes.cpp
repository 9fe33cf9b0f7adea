//===- ConvertShapes.cpp - makes tensors, and views of them -----------------===//
//   before: %c = tt.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
//           %m = tt.broadcast %c : tensor<64x1xi32> -> tensor<64x32xi32>     (%i is a recipe)
//   after:  if a user needs %m in #l, then %c and %i are computed in layouts that follow from #l
// A view of a held tensor is also held, unless it is a broadcast. Lanes would hold all copies of a
// broadcast, so it becomes a recipe, which waits for a layout.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

namespace {

/// Describes how a view changes layouts, and which tile operation implements it.
struct View {
  std::function<pumice::Result<Layout>(const Layout &)> before, after;
  std::function<Value(OpBuilder &, Location, Type, Value)> make;
};

} // namespace

static View viewOfShape(const Shape &from, const Shape &to) {
  return {[from](const Layout &result) { return tile::reshape(result, from); },
          [to](const Layout &source) { return tile::reshape(source, to); }, nullptr};
}

static View expand(ExpandDimsOp op, const Shape &from, const Shape &to) {
  View view = viewOfShape(from, to);
  view.make = [axis = op.getAxis()](OpBuilder &b, Location loc, Type type, Value v) -> Value {
    return tile::ExpandDimsOp::create(b, loc, type, v, axis);
  };
  return view;
}

static View reshapeTo(const Shape &from, const Shape &to) {
  View view = viewOfShape(from, to);
  view.make = [](OpBuilder &b, Location loc, Type type, Value v) -> Value {
    return tile::ReshapeOp::create(b, loc, type, v);
  };
  return view;
}

static View transposed(TransOp op) {
  SmallVector<unsigned> order(op.getOrder().begin(), op.getOrder().end()), back(order.size());
  for (auto [i, d] : llvm::enumerate(order))
    back[d] = static_cast<unsigned>(i);
  return {[back](const Layout &result) { return tile::transpose(result, back); },
          [order](const Layout &source) { return tile::transpose(source, order); },
          [order = SmallVector<int32_t>(op.getOrder())](OpBuilder &b, Location loc, Type type,
                                                        Value v) -> Value {
            return tile::TransOp::create(b, loc, type, v, order);
          }};
}

static View repeated(const Shape &from, const Shape &to) {
  auto before = [from, to](const Layout &result) -> pumice::Result<Layout> {
    Layout layout = result;
    for (size_t axis = 0; axis < from.size(); ++axis) {
      if (from[axis] == to[axis])
        continue;
      PUMICE_TRY(layout, tile::beforeBroadcast(layout, static_cast<unsigned>(axis)));
    }
    return layout;
  };
  return {before, nullptr, [](OpBuilder &b, Location loc, Type type, Value v) -> Value {
            return tile::BroadcastOp::create(b, loc, type, v);
          }};
}

static View describe(Operation *op, const Shape &from, const Shape &to) {
  return llvm::TypeSwitch<Operation *, View>(op)
      .Case([&](ExpandDimsOp op) { return expand(op, from, to); })
      .Case([&](ReshapeOp) { return reshapeTo(from, to); })
      .Case([&](TransOp op) { return transposed(op); })
      .Default([&](Operation *) { return repeated(from, to); });
}

bool triton::distribute::isView(Operation *op) {
  return isa<ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp>(op);
}

FailureOr<TensorRef> triton::distribute::viewOf(Distribution &d, Operation *op,
                                                const TensorRef &source) {
  Location loc = op->getLoc();
  Shape to = shapeOf(op->getResult(0).getType());
  if (source->uniform)
    return d.splat(loc, to, source->uniform);
  View view = describe(op, source->shape, to);
  if (source->home && view.after) {
    FailureOr<Layout> layout = d.take(loc, view.after(*source->home));
    if (failed(layout))
      return failure();
    FailureOr<Value> tile = d.in(source, *source->home);
    if (failed(tile))
      return failure();
    return d.held(view.make(d.b, loc, tile::tensorOf(source->element, *layout), *tile));
  }
  return d.recipe(loc, to, source->element, source->isFree,
                  [&d, loc, view, source](OpBuilder &b, const Layout &layout) -> FailureOr<Value> {
                    FailureOr<Layout> before = d.take(loc, view.before(layout));
                    if (failed(before))
                      return failure();
                    FailureOr<Value> tile = d.in(source, *before);
                    if (failed(tile))
                      return failure();
                    return view.make(b, loc, tile::tensorOf(source->element, layout), *tile);
                  });
}

//===-------------------------------------------------------------------------===//
// Other operations
//===-------------------------------------------------------------------------===//

static LogicalResult convertRange(Distribution &d, MakeRangeOp op) {
  Type i32 = d.b.getI32Type();
  d.set(op.getResult(),
        d.recipe(op.getLoc(), shapeOf(op.getType()), i32, /*isFree=*/true,
                 [op, i32](OpBuilder &b, const Layout &layout) mutable -> FailureOr<Value> {
                   return tile::RangeOp::create(b, op.getLoc(), tile::tensorOf(i32, layout),
                                                op.getStart(), op.getEnd())
                       .getResult();
                 }));
  return success();
}

static LogicalResult convertUnsplat(Distribution &d, UnsplatOp op) {
  TensorRef source = d.tensor(op.getSource());
  FailureOr<Layout> layout = d.homeOf(source);
  FailureOr<Value> tile = failed(layout) ? FailureOr<Value>() : d.in(source, *layout);
  if (failed(tile))
    return failure();
  d.set(op.getResult(), tile::UnsplatOp::create(d.b, op.getLoc(), source->element, *tile));
  return success();
}

/// Converts join and cat, with both operands in one layout.
template <typename TileOp>
static LogicalResult convertPair(Distribution &d, Operation *op,
                                 pumice::Result<Layout> after(const Layout &)) {
  SmallVector<TensorRef> sources{d.tensor(op->getOperand(0)), d.tensor(op->getOperand(1))};
  FailureOr<Layout> layout = d.common(sources);
  if (failed(layout))
    return failure();
  FailureOr<Layout> result = d.take(op->getLoc(), after(*layout));
  FailureOr<Value> first = d.in(sources[0], *layout), second = d.in(sources[1], *layout);
  if (failed(result) || failed(first) || failed(second))
    return failure();
  d.set(op->getResult(0),
        d.held(TileOp::create(d.b, op->getLoc(), tile::tensorOf(sources[0]->element, *result),
                              *first, *second)));
  return success();
}

/// Converts split. If the bit that distinguishes the halves is not a register bit, the tensor is
/// converted to another layout first.
static LogicalResult convertSplit(Distribution &d, SplitOp op) {
  TensorRef source = d.tensor(op.getSource());
  FailureOr<Layout> layout = d.homeOf(source);
  if (succeeded(layout) && !tile::splitBit(*layout).isOk())
    layout = d.take(op.getLoc(), tile::beforeSplit(*layout));
  if (failed(layout))
    return failure();
  FailureOr<Layout> half = d.take(op.getLoc(), tile::split(*layout));
  FailureOr<Value> tile = d.in(source, *layout);
  if (failed(half) || failed(tile))
    return failure();
  Type type = tile::tensorOf(source->element, *half);
  auto split = tile::SplitOp::create(d.b, op.getLoc(), type, type, *tile);
  d.set(op.getOutLHS(), d.held(split.getFirst()));
  d.set(op.getOutRHS(), d.held(split.getSecond()));
  return success();
}

LogicalResult triton::distribute::convertShape(Distribution &d, Operation *op) {
  if (isView(op)) {
    FailureOr<TensorRef> view = viewOf(d, op, d.tensor(op->getOperand(0)));
    if (succeeded(view))
      d.set(op->getResult(0), *view);
    return view;
  }
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](MakeRangeOp op) { return convertRange(d, op); })
      .Case([&](SplatOp op) {
        Shape shape = shapeOf(op.getType());
        d.set(op.getResult(), d.splat(op.getLoc(), shape, d.scalar(op.getSource())));
        return success();
      })
      .Case([&](UnsplatOp op) { return convertUnsplat(d, op); })
      .Case([&](JoinOp op) { return convertPair<tile::JoinOp>(d, op, tile::join); })
      .Case([&](CatOp op) { return convertPair<tile::CatOp>(d, op, tile::concatenate); })
      .Case([&](SplitOp op) { return convertSplit(d, op); });
}
