//===- ConvertCollective.cpp - moves elements between lanes -----------------===//
//   before: %s = "tt.reduce"(%t) <{axis = 1 : i32}> ({ … }) : (tensor<4x8xf32>) -> tensor<4xf32>
//   after:  %s = tile.reduce %t axis 1 : (tensor<4x8xf32, #l>) -> tensor<4xf32, #rows> { … }
// All operands are converted to the layout of one of them.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/AnyOrder.h"
#include "compiler/dialect/tile/layout/ProductFragments.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

static FailureOr<SmallVector<Value>> inLayout(Distribution &d, ValueRange operands,
                                              const Layout &layout) {
  SmallVector<Value> tiles;
  for (Value operand : operands) {
    FailureOr<Value> tile = d.in(d.tensor(operand), layout);
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  return tiles;
}

/// Returns the operands, all converted to one layout.
static FailureOr<SmallVector<Value>> inOneLayout(Distribution &d, ValueRange operands) {
  SmallVector<TensorRef> tensors =
      llvm::map_to_vector(operands, [&](Value operand) { return d.tensor(operand); });
  FailureOr<Layout> layout = d.common(tensors);
  return failed(layout) ? FailureOr<SmallVector<Value>>() : inLayout(d, operands, *layout);
}

/// Converts the region that combines elements. It computes with scalars, so its operations are
/// converted like those of the kernel.
static LogicalResult convertRegion(Distribution &d, Region &from, Region &to) {
  if (!from.hasOneBlock())
    return from.getParentOp()->emitError("has branches in its region; run "
                                         "pumice-structure-triton first");
  OpBuilder::InsertionGuard guard(d.b);
  Block &body = from.front();
  Block *block = d.b.createBlock(&to);
  for (BlockArgument argument : body.getArguments())
    d.set(argument, block->addArgument(argument.getType(), argument.getLoc()));
  if (failed(convertBody(d, body)))
    return failure();
  Operation *end = body.getTerminator();
  SmallVector<Value> yielded =
      llvm::map_to_vector(end->getOperands(), [&](Value value) { return d.scalar(value); });
  tile::YieldOp::create(d.b, end->getLoc(), yielded);
  return success();
}

/// Returns the values to reduce. If a tensor was flattened in arbitrary order, this is the tensor
/// before flattening. All axes of that tensor are reduced, and its loads may become a loop.
static SmallVector<Value> reducedBy(ReduceOp op) {
  SmallVector<Value> before;
  for (Value source : op.getSources()) {
    auto flat = source.getDefiningOp<ReshapeOp>();
    if (!flat || !flat.getAllowReorder() || cast<RankedTensorType>(source.getType()).getRank() != 1)
      return op.getSources();
    before.push_back(flat.getSource());
    if (shapeOf(before.back().getType()) != shapeOf(before.front().getType()))
      return op.getSources();
  }
  return before;
}

static LogicalResult convertReduce(Distribution &d, ReduceOp op) {
  SmallVector<Value> sources = reducedBy(op);
  FailureOr<SmallVector<Value>> tiles = inOneLayout(d, sources);
  if (failed(tiles))
    return failure();
  bool isWhole = sources != SmallVector<Value>(op.getSources());
  auto axis = isWhole ? static_cast<unsigned>(shapeOf(sources.front().getType()).size()) - 1
                      : static_cast<unsigned>(op.getAxis());
  for (;; --axis) {
    const Layout &layout = tile::layoutOf(tiles->front().getType());
    SmallVector<Type> types;
    for (Value result : op.getResults()) {
      if (!isa<RankedTensorType>(result.getType()) && (!isWhole || axis == 0)) {
        types.push_back(result.getType());
        continue;
      }
      FailureOr<Layout> rest = d.take(op.getLoc(), tile::removeDimension(layout, axis));
      if (failed(rest))
        return failure();
      types.push_back(tile::tensorOf(scalarOf(result.getType()), *rest));
    }
    auto reduce = tile::ReduceOp::create(d.b, op.getLoc(), types, *tiles, axis);
    if (failed(convertRegion(d, op.getCombine(), reduce.getCombine())))
      return failure();
    tiles = SmallVector<Value>(reduce.getReduced());
    if (!isWhole || axis == 0)
      break;
  }
  for (auto [value, result] : llvm::zip_equal(op.getResults(), *tiles))
    if (tile::isDistributed(result.getType()))
      d.set(value, d.held(result));
    else
      d.set(value, result);
  return success();
}

static LogicalResult convertScan(Distribution &d, ScanOp op) {
  FailureOr<SmallVector<Value>> tiles = inOneLayout(d, op.getSources());
  if (failed(tiles))
    return failure();
  auto scan = tile::ScanOp::create(d.b, op.getLoc(), ValueRange(*tiles).getTypes(), *tiles,
                                   op.getAxis(), op.getReverse());
  if (failed(convertRegion(d, op.getCombine(), scan.getCombine())))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op.getResults(), scan.getScanned()))
    d.set(value, d.held(result));
  return success();
}

/// Gives each lane as many neighbouring elements as one pack of the code takes.
static LogicalResult convertMap(Distribution &d, MapElementwiseOp op) {
  FailureOr<SmallVector<Value>> tiles;
  bool isInAnyOrder = op.getPack() == 1 || op->hasAttr(tile::anyOrderAttrName);
  if (isInAnyOrder) {
    tiles = inOneLayout(d, op.getSources());
  } else {
    Workgroup inOrder = d.workgroup;
    inOrder.seed = 0;
    FailureOr<Layout> layout =
        d.take(op.getLoc(), blockLayout(shapeOf(op.getSources().front().getType()), inOrder, {},
                                        static_cast<uint64_t>(op.getPack())));
    tiles =
        failed(layout) ? FailureOr<SmallVector<Value>>() : inLayout(d, op.getSources(), *layout);
  }
  if (failed(tiles))
    return failure();
  const Layout &layout = tile::layoutOf(tiles->front().getType());
  SmallVector<Type> types = llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type {
    return tile::tensorOf(scalarOf(type), layout);
  });
  auto map = tile::MapOp::create(d.b, op.getLoc(), types, *tiles, op.getPack());
  if (op->hasAttr(tile::anyOrderAttrName))
    map->setAttr(tile::anyOrderAttrName, d.b.getUnitAttr());
  if (failed(convertRegion(d, op.getScalar(), map.getScalar())))
    return failure();
  for (auto [value, result] : llvm::zip_equal(op.getResults(), map.getMapped()))
    d.set(value, d.held(result));
  return success();
}

/// Converts element numbers to i32. They are unsigned, and they fit.
static FailureOr<TensorRef> asI32(Distribution &d, Location loc, const TensorRef &numbers) {
  Type i32 = d.b.getI32Type();
  unsigned bits = numbers->element.getIntOrFloatBitWidth();
  if (bits == 32)
    return numbers;
  auto results = d.elementwise(
      loc, Distributed(numbers), i32, /*isCheap=*/true,
      [loc, i32, bits](OpBuilder &b, ValueRange v, llvm::function_ref<Type(Type)> like) {
        Value same = bits > 32 ? arith::TruncIOp::create(b, loc, like(i32), v[0]).getResult()
                               : arith::ExtUIOp::create(b, loc, like(i32), v[0]).getResult();
        return SmallVector<Value>{same};
      });
  return failed(results) ? FailureOr<TensorRef>() : std::get<TensorRef>(results->front());
}

static LogicalResult convertGather(Distribution &d, GatherOp op) {
  TensorRef source = d.tensor(op.getSource());
  FailureOr<TensorRef> indices = asI32(d, op.getLoc(), d.tensor(op.getIndices()));
  if (failed(indices))
    return failure();
  FailureOr<Layout> from = d.homeOf(source), to = d.homeOf(*indices);
  if (failed(from) || failed(to))
    return failure();
  FailureOr<Value> elements = d.in(source, *from), places = d.in(*indices, *to);
  if (failed(elements) || failed(places))
    return failure();
  d.set(op.getResult(),
        d.held(tile::GatherOp::create(d.b, op.getLoc(), tile::tensorOf(source->element, *to),
                                      *elements, *places, op.getAxis())));
  return success();
}

static LogicalResult convertHistogram(Distribution &d, HistogramOp op) {
  FailureOr<TensorRef> counted = asI32(d, op.getLoc(), d.tensor(op.getSource()));
  if (failed(counted))
    return failure();
  SmallVector<TensorRef> tensors{*counted};
  if (op.getMask())
    tensors.push_back(d.tensor(op.getMask()));
  FailureOr<Layout> from = d.common(tensors), to = d.ofShape(op.getLoc(), shapeOf(op.getType()));
  if (failed(from) || failed(to))
    return failure();
  FailureOr<Value> numbers = d.in(tensors.front(), *from),
                   mask = op.getMask() ? d.in(tensors.back(), *from) : FailureOr<Value>(Value());
  if (failed(numbers) || failed(mask))
    return failure();
  d.set(op.getResult(),
        d.held(tile::HistogramOp::create(d.b, op.getLoc(), tile::tensorOf(d.b.getI32Type(), *to),
                                         *numbers, *mask)));
  return success();
}

/// Returns the precision of a product. It may exceed the requested precision.
static StringRef precisionOf(InputPrecision precision) {
  switch (precision) {
  case InputPrecision::TF32:
    return "tf32";
  case InputPrecision::TF32x3:
    return "tf32x3";
  default:
    return "ieee";
  }
}

/// Returns the layout of the target's matrix fragments, if it is known for these factors. A CPU
/// computes in blocks that fit its caches instead.
static std::optional<Layout> layoutOfFragments(Distribution &d, DotOp op) {
  if (!d.target || d.target->isCpu() || op.getType().getRank() != 2)
    return std::nullopt;
  Shape a = shapeOf(op.getA().getType()), b = shapeOf(op.getB().getType());
  tile::ProductShape shape{a[0], b[1], a[1]};
  auto types = tile::productTypes(scalarOf(op.getA().getType()), scalarOf(op.getB().getType()),
                                  scalarOf(op.getType()));
  auto fragment =
      types ? tile::productFragment(*d.target, *types, shape, d.workgroup.lanes) : std::nullopt;
  if (!fragment)
    return std::nullopt;
  // A kernel with several products, such as attention, usually reduces the rows of one product
  // before the next. If a subgroup holds whole rows, these reductions need no workgroup memory.
  unsigned products = 0;
  op->getParentOfType<FuncOp>().walk([&](DotOp) { ++products; });
  Result<Layout> layout =
      tile::fragmentedLayout(*fragment, shape, d.workgroup.subgroups, /*wholeRows=*/products > 1);
  return layout.isOk() ? std::optional(*layout) : std::nullopt;
}

static LogicalResult convertDot(Distribution &d, DotOp op) {
  SmallVector<Value> tiles;
  std::optional<Layout> ofFragments = layoutOfFragments(d, op);
  for (Value operand : op->getOperands()) {
    TensorRef tensor = d.tensor(operand);
    bool isSum = tiles.size() == 2;
    FailureOr<Layout> layout =
        isSum && ofFragments ? FailureOr<Layout>(*ofFragments) : d.homeOf(tensor);
    FailureOr<Value> tile = failed(layout) ? FailureOr<Value>() : d.in(tensor, *layout);
    if (failed(tile))
      return failure();
    tiles.push_back(*tile);
  }
  d.set(op.getResult(),
        d.held(tile::DotOp::create(d.b, op.getLoc(), tiles[2].getType(), tiles[0], tiles[1],
                                   tiles[2], precisionOf(op.getInputPrecision()))));
  return success();
}

LogicalResult triton::distribute::convertCollective(Distribution &d, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ReduceOp op) { return convertReduce(d, op); })
      .Case([&](ScanOp op) { return convertScan(d, op); })
      .Case([&](MapElementwiseOp op) { return convertMap(d, op); })
      .Case([&](GatherOp op) { return convertGather(d, op); })
      .Case([&](HistogramOp op) { return convertHistogram(d, op); })
      .Case([&](DotOp op) { return convertDot(d, op); });
}
