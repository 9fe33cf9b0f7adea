//===- LoopProducts.cpp - products of matrices as loops over blocks ------------===//
//   before: %d = tile.dot %a, %b, %c : … -> tensor<128x256xf32, #l>
//   after:  gpu.barrier; %a and %b to workgroup memory, widened; gpu.barrier
//           for each block of %d (a few rows of a few registers)
//             %s = scf.for %k … iter_args(%sum = the block of %c)
//               column %k of %a: the same for all lanes; row %k of %b; fma for each register
// What does not fit workgroup memory goes there in pieces of the depth.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

namespace {

struct Shape {
  uint64_t rows, columns, depth;
  explicit Shape(tile::DotOp op)
      : rows(static_cast<uint64_t>(op.getA().getType().getDimSize(0))),
        columns(static_cast<uint64_t>(op.getB().getType().getDimSize(1))),
        depth(static_cast<uint64_t>(op.getA().getType().getDimSize(1))) {}
};

} // namespace

std::optional<ProductPlan> pumice::lower::tiles::planProduct(tile::DotOp op,
                                                             const LoopLimits &limits) {
  const LinearLayout &layout = layoutOf(op.getResult().getType());
  if (layout.outputs().size() != 2 || fragmentOf(op))
    return std::nullopt;
  Shape shape(op);
  if (registerCount(layout) * shape.depth <= limits.multiplications)
    return std::nullopt;
  ProductPlan plan{grow(layout, smallestSlice(layout), limits.productRegisters, /*balanced=*/true),
                   shape.depth};
  Result<Slice> block = sliceOf(layout, plan.block);
  if (!block.isOk() || block->registers.size() > mostRegistersInSlice)
    return std::nullopt;
  uint64_t dimensions[2] = {shape.rows, shape.columns};
  for (unsigned which : {0u, 1u}) {
    Value factor = op->getOperand(which);
    Sizes of = shapeOf(layoutOf(factor.getType())), sizes(2, 1);
    if (!growToFit(factor, {0, 1}, of, sizes) || of[which] != dimensions[which])
      return std::nullopt;
    Result<Slice> slice = sliceOf(layoutOf(factor.getType()), sizes);
    if (!slice.isOk() || slice->registers.size() > mostRegistersInSlice)
      return std::nullopt;
  }
  unsigned bytes = tile::storedBytes(op.getResult().getType().getElementType());
  while ((shape.rows + shape.columns) * plan.depth * bytes > limits.workgroupBytes)
    plan.depth /= 2;
  return plan.depth > 0 ? std::optional(plan) : std::nullopt;
}

/// One memory for each type of elements, as large as the largest product needs.
void FragmentLoops::addFactorMemory() {
  llvm::MapVector<Type, uint64_t> elements;
  func.walk([&](tile::DotOp op) {
    if (std::optional<ProductPlan> plan = planProduct(op, limits)) {
      Shape shape(op);
      uint64_t &most = elements[op.getResult().getType().getElementType()];
      most = std::max(most, (shape.rows + shape.columns) * plan->depth);
    }
  });
  for (auto [type, count] : elements) {
    addOwnAttribution(func, type, count);
    factorMemories[type] = func.getWorkgroupAttributions().back();
  }
}

static Value i32(ImplicitLocOpBuilder &b, uint64_t number) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(number)));
}

/// Of each element of a matrix: its row, or its column.
static Value coordinates(ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dimension) {
  RankedTensorType type = tile::tensorOf(b.getI32Type(), layout);
  LinearLayout line = tile::removeDimension(layout, 1 - dimension).value();
  LinearLayout lifted = tile::expandDims(line, 1 - dimension).value();
  Value numbers = tile::RangeOp::create(b, tile::tensorOf(b.getI32Type(), line), 0,
                                        static_cast<int32_t>(type.getDimSize(dimension)));
  numbers =
      tile::ExpandDimsOp::create(b, tile::tensorOf(b.getI32Type(), lifted), numbers, 1 - dimension);
  return numbers.getType() == type ? numbers
                                   : tile::BroadcastOp::create(b, type, numbers).getResult();
}

/// The sum of `base`, of the column, and of the row times its stride.
static Value placesOf(ImplicitLocOpBuilder &b, const LinearLayout &layout, uint64_t rowStride,
                      Value base) {
  RankedTensorType type = tile::tensorOf(b.getI32Type(), layout);
  Value sum = tile::SplatOp::create(b, type, base);
  if (type.getDimSize(0) > 1) {
    Value stride = tile::SplatOp::create(b, type, i32(b, rowStride));
    Value rows = arith::MulIOp::create(b, coordinates(b, layout, 0), stride);
    sum = arith::AddIOp::create(b, sum, rows);
  }
  return type.getDimSize(1) > 1
             ? arith::AddIOp::create(b, sum, coordinates(b, layout, 1)).getResult()
             : sum;
}

/// Where a block begins that begins at these coordinates.
static Value startOf(ImplicitLocOpBuilder &b, ArrayRef<Value> starts, uint64_t rowStride,
                     uint64_t first) {
  Value sum = i32(b, first);
  if (starts[0])
    sum = arith::AddIOp::create(b, sum, arith::MulIOp::create(b, starts[0], i32(b, rowStride)));
  return starts[1] ? arith::AddIOp::create(b, sum, starts[1]).getResult() : sum;
}

static Value widened(ImplicitLocOpBuilder &b, Value value, Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  auto wide = RankedTensorType::get(type.getShape(), element, type.getEncoding());
  if (type == wide)
    return value;
  if (isa<FloatType>(element))
    return arith::ExtFOp::create(b, wide, value);
  return arith::ExtSIOp::create(b, wide, value);
}

static Value multiplyAdd(ImplicitLocOpBuilder &b, Value x, Value y, Value sum) {
  if (isa<FloatType>(getElementTypeOrSelf(sum.getType())))
    return math::FmaOp::create(b, x, y, sum);
  return arith::AddIOp::create(b, arith::MulIOp::create(b, x, y), sum);
}

/// Brings what a piece of the depth needs of a factor (0: the rows, 1: the columns) to memory.
void FragmentLoops::stage(Emission &e, tile::DotOp op, unsigned which, Value chunk,
                          const ProductPlan &plan, size_t item) {
  ImplicitLocOpBuilder b(op.getLoc(), e.builder);
  Shape shape(op);
  Value factor = op->getOperand(which);
  const LinearLayout &layout = layoutOf(factor.getType());
  Type element = op.getResult().getType().getElementType();
  Sizes piece = shapeOf(layout), sizes(2, 1);
  growToFit(factor, {0, 1}, piece, sizes);
  unsigned axis = 1 - which; // of the depth
  uint64_t least = sizes[axis];
  sizes = grow(layout, sizes, limits.unrolled, /*balanced=*/false);
  sizes[axis] = std::max(least, std::min(sizes[axis], plan.depth));
  bool isPart = sizes[axis] > plan.depth; // what lanes hold alike is more than the piece
  piece[axis] = isPart ? sizes[axis] : plan.depth;
  Nest nest = makeNest(b, op.getLoc(), piece, sizes, {0, 1});
  Frame frame = nest.frame;
  SmallVector<Value> starts = frame.starts; // in the piece
  if (isPart) {
    Value first = arith::AndIOp::create(b, chunk, i32(b, ~(sizes[axis] - 1)));
    starts[axis] = arith::SubIOp::create(b, first, chunk);
    if (sizes[axis] < shape.depth)
      frame.starts[axis] = first;
  } else if (chunk) {
    frame.starts[axis] =
        starts[axis] ? arith::AddIOp::create(b, chunk, starts[axis]).getResult() : chunk;
  }
  Site site = siteAt(e, b, frame, item);
  Value block = widened(b, slice(factor, frame, site), element);
  const LinearLayout &held = layoutOf(block.getType());
  uint64_t stride = which == 0 ? plan.depth : shape.columns;
  uint64_t first = which == 0 ? 0 : shape.rows * plan.depth;
  Value places = placesOf(b, held, stride, startOf(b, starts, stride, first)), mask;
  if (isPart) {
    Value depths = coordinates(b, held, axis);
    Type type = depths.getType();
    depths = arith::AddIOp::create(b, depths, tile::SplatOp::create(b, type, starts[axis]));
    mask = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, depths,
                                 tile::SplatOp::create(b, type, i32(b, plan.depth)));
  }
  tile::StoreOp::create(b, block, factorMemories[element], places, mask);
}

/// Adds the products of one piece of the depth to `array`, or else, where all is one block, to what
/// is returned.
Value FragmentLoops::multiply(Emission &e, tile::DotOp op, Value array, const ProductPlan &plan,
                              size_t item) {
  ImplicitLocOpBuilder b(op.getLoc(), e.builder);
  Shape shape(op);
  RankedTensorType type = op.getResult().getType();
  Value memory = factorMemories[type.getElementType()];
  // Columns outside: their part of b is read again and again, and stays in the nearest cache.
  Nest nest = makeNest(b, op.getLoc(), shapeOf(layoutOf(type)), plan.block, {1, 0});
  Site site = siteAt(e, b, nest.frame, item);
  bool isFirst = plan.depth == shape.depth;
  Value sums = isFirst ? slice(op.getAccumulator(), nest.frame, site)
                       : load(site.builder, op.getLoc(), array, type, nest.frame);
  auto block = cast<RankedTensorType>(sums.getType());
  auto ofRows =
      tile::tensorOf(type.getElementType(), tile::beforeBroadcast(layoutOf(block), 1).value());
  auto ofColumns =
      tile::tensorOf(type.getElementType(), tile::beforeBroadcast(layoutOf(block), 0).value());
  const auto &starts = nest.frame.starts;
  Value rows =
      placesOf(b, layoutOf(ofRows), plan.depth, startOf(b, {starts[0], Value()}, plan.depth, 0));
  Value columns =
      placesOf(b, layoutOf(ofColumns), shape.columns,
               startOf(b, {Value(), starts[1]}, shape.columns, shape.rows * plan.depth));
  auto loop = scf::ForOp::create(b, i32(b, 0), i32(b, plan.depth), i32(b, 1), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto element = [&](RankedTensorType from, Value places, Value more) -> Value {
      places = arith::AddIOp::create(b, places, tile::SplatOp::create(b, places.getType(), more));
      Value loaded = tile::LoadOp::create(b, from, memory, places, Value(), Value());
      return from == block ? loaded : tile::BroadcastOp::create(b, block, loaded).getResult();
    };
    Value k = loop.getInductionVar();
    Value x = element(ofRows, rows, k);
    Value y = element(ofColumns, columns, arith::MulIOp::create(b, k, i32(b, shape.columns)));
    scf::YieldOp::create(b, multiplyAdd(b, x, y, loop.getRegionIterArg(0)));
  }
  if (!array)
    return loop.getResult(0);
  store(b, op.getLoc(), loop.getResult(0), array, type, nest.frame);
  return {};
}

void FragmentLoops::emitProduct(Emission &e, tile::DotOp op, size_t item) {
  ProductPlan plan = *planProduct(op, limits);
  Shape shape(op);
  bool isOneBlock = plan.block == shapeOf(layoutOf(op.getResult().getType()));
  bool isOnePiece = plan.depth == shape.depth;
  Value array;
  if (!isOneBlock || !isOnePiece) {
    array = e.targets.lookup(op.getResult());
    if (!array)
      array = newArray(op.getResult());
  }
  if (!isOnePiece && arrays.lookup(op.getAccumulator()) != array)
    copy(e, op.getAccumulator(), array, item);
  OpBuilder::InsertionGuard guard(e.builder);
  ImplicitLocOpBuilder b(op.getLoc(), e.builder);
  Value chunk;
  if (!isOnePiece) {
    auto pieces = scf::ForOp::create(b, i32(b, 0), i32(b, shape.depth), i32(b, plan.depth));
    chunk = pieces.getInductionVar();
    e.builder.setInsertionPointToStart(pieces.getBody());
  }
  gpu::BarrierOp::create(e.builder, op.getLoc()); // others may still read what was there before
  stage(e, op, 0, chunk, plan, item);
  stage(e, op, 1, chunk, plan, item);
  gpu::BarrierOp::create(e.builder, op.getLoc());
  Value result = multiply(e, op, array, plan, item);
  if (result)
    op.getResult().replaceAllUsesWith(result);
  else
    arrays[op.getResult()] = array;
  replaced.push_back(op);
}
