//===- Products.cpp - products of matrices as loops over blocks -------------===//
//   before: %d = tile.dot %a, %b, %c : … -> tensor<128x256xf32, #l>
//   after:  gpu.barrier; stores %a and %b, widened, to workgroup memory; gpu.barrier
//           for each block of %d (a few rows of a few registers), matrix by matrix of a batch
//             %s = scf.for %k … iter_args(%sum = the block of %c)
//               loads column %k of %a (the same for all lanes) and row %k of %b
//               an fma for each register
//
// If factors do not fit in workgroup memory, they go there in pieces of the depth.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupMemory.h"
#include "compiler/lower/tile/loops/FragmentLoops.h"
#include "compiler/lower/tile/loops/MemoryPlace.h"

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

/// The shape of a product. The last two dimensions are those of the matrices. A batch dimension may
/// precede them.
struct Shape {
  unsigned rank;
  uint64_t batches, rows, columns, depth;

  explicit Shape(tile::DotOp op)
      : rank(static_cast<unsigned>(op.getA().getType().getRank())),
        batches(rank == 3 ? sizeOf(op.getA(), 0) : 1), rows(sizeOf(op.getA(), rank - 2)),
        columns(sizeOf(op.getB(), rank - 1)), depth(sizeOf(op.getA(), rank - 1)) {}

  static uint64_t sizeOf(TypedValue<RankedTensorType> tensor, unsigned dimension) {
    return static_cast<uint64_t>(tensor.getType().getDimSize(dimension));
  }
  unsigned rowsAxis() const { return rank - 2; }
  unsigned columnsAxis() const { return rank - 1; }
  SmallVector<int> dimensions() const {
    return llvm::to_vector(llvm::seq<int>(0, static_cast<int>(rank)));
  }
  /// Returns the number of elements of both factors in a piece of the depth.
  uint64_t elements(uint64_t piece) const { return batches * (rows + columns) * piece; }
};

/// Returns the place of a factor's piece in memory, in row-major order. The left factor precedes
/// the right one.
MemoryPlace placeOf(const Shape &shape, unsigned which, uint64_t piece) {
  uint64_t rows = which == 0 ? shape.rows : piece, columns = which == 0 ? piece : shape.columns;
  MemoryPlace place{{columns, 1}, which == 0 ? 0 : shape.batches * shape.rows * piece};
  if (shape.rank == 3)
    place.strides.insert(place.strides.begin(), rows * columns);
  return place;
}

} // namespace

/// Returns the cost of one multiplication. A narrow sum is rounded after each step, which takes
/// several instructions if the target has no narrow arithmetic.
static uint64_t costOf(tile::DotOp op) {
  Type sum = op.getResult().getType().getElementType();
  return isa<FloatType>(sum) && sum.getIntOrFloatBitWidth() < 32 ? 16 : 1;
}

/// Returns whether lanes hold different columns and also different rows. Elements of both factors
/// then need shuffles.
static bool isNarrow(const LinearLayout &layout) {
  unsigned dimensions = 0;
  for (unsigned d = 0; d < layout.outputs().size(); ++d) {
    tile::Field field = layout.output(d);
    uint64_t mask = ((uint64_t(1) << field.bits) - 1) << field.shift;
    dimensions += llvm::any_of(layout.columns(tile::laneSpace),
                               [&](uint64_t place) { return (place & mask) != 0; });
  }
  return dimensions > 1;
}

std::optional<ProductPlan> pumice::lower::tiles::planProduct(tile::DotOp op,
                                                             const LoopLimits &limits) {
  const LinearLayout &layout = layoutOf(op.getResult().getType());
  if (fragmentOf(op))
    return std::nullopt;
  Shape shape(op);
  // If lanes hold different rows and columns, each element of the factors takes a shuffle.
  constexpr uint64_t mostOfNarrow = 32;
  uint64_t most = limits.multiplications;
  if (isNarrow(layout))
    most = std::min(most, mostOfNarrow);
  if (registerCount(layout) * shape.depth * costOf(op) <= most)
    return std::nullopt;
  uint64_t registers = limits.productRegisters;
  while (limits.turns && registers < mostRegistersInSlice &&
         registerCount(layout) / registers * shape.depth > limits.turns * limits.depthUnrolled)
    registers *= 2;
  // A block grows inside its matrix first, because all of it then uses the loaded values. Other
  // matrices of the batch use other values.
  Sizes ofMatrix =
      grow(layout, smallestSlice(layout), registers, /*balanced=*/true, shape.rowsAxis());
  ProductPlan plan{grow(layout, ofMatrix, registers, /*balanced=*/true), shape.depth};
  Result<Slice> block = sliceOf(layout, plan.block);
  if (!block.isOk() || block->registers.size() > mostRegistersInSlice)
    return std::nullopt;
  for (unsigned which : {0u, 1u}) {
    Value factor = op->getOperand(which);
    Sizes of = shapeOf(layoutOf(factor.getType())), sizes(shape.rank, 1);
    if (!growToFit(factor, shape.dimensions(), of, sizes))
      return std::nullopt;
    Result<Slice> slice = sliceOf(layoutOf(factor.getType()), sizes);
    if (!slice.isOk() || slice->registers.size() > mostRegistersInSlice)
      return std::nullopt;
  }
  unsigned bytes = tile::storedBytes(op.getResult().getType().getElementType());
  while (shape.elements(plan.depth) * bytes > limits.workgroupBytes)
    plan.depth /= 2;
  return plan.depth > 0 ? std::optional(plan) : std::nullopt;
}

/// Returns the bytes of workgroup memory for each array. Products, gathers and histograms of each
/// type have an array of their own.
uint64_t FragmentLoops::bytesForEach() const {
  llvm::SmallDenseSet<Type> elements;
  func->walk([&](tile::DotOp op) {
    if (planProduct(op, limits))
      elements.insert(op.getResult().getType().getElementType());
  });
  func->walk([&](tile::GatherOp op) {
    if (isLoopedGather(op, limits))
      elements.insert(typeInMemory(op));
  });
  func->walk([&](tile::HistogramOp op) {
    if (isLoopedHistogram(op, limits))
      elements.insert(op.getResult().getType().getElementType());
  });
  return limits.workgroupBytes / std::max<size_t>(elements.size(), 1);
}

/// Adds an array in workgroup memory for each element type. It is as large as the largest product,
/// gather or histogram of that type needs.
void FragmentLoops::addWorkgroupMemory() {
  llvm::MapVector<Type, uint64_t> elements;
  auto use = [&](Type element, uint64_t count) {
    uint64_t &most = elements[element];
    most = std::max(most, count);
  };
  func.walk([&](tile::DotOp op) {
    if (std::optional<ProductPlan> plan = planProduct(op, limits))
      use(op.getResult().getType().getElementType(), Shape(op).elements(plan->depth));
  });
  func.walk([&](tile::GatherOp op) {
    if (isLoopedGather(op, limits))
      use(typeInMemory(op), static_cast<uint64_t>(op.getSource().getType().getNumElements()));
  });
  func.walk([&](tile::HistogramOp op) {
    if (isLoopedHistogram(op, limits))
      use(op.getResult().getType().getElementType(),
          static_cast<uint64_t>(op.getResult().getType().getNumElements()));
  });
  for (auto [type, count] : elements) {
    addOwnAttribution(func, type, count);
    workgroupMemories[type] = func.getWorkgroupAttributions().back();
  }
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

/// Stores the part of a factor (0: left, 1: right) that one piece of the depth needs to workgroup
/// memory.
void FragmentLoops::stage(Emission &e, tile::DotOp op, unsigned which, Value chunk,
                          const ProductPlan &plan, size_t item) {
  ImplicitLocOpBuilder b(op.getLoc(), e.builder);
  Shape shape(op);
  Value factor = op->getOperand(which);
  const LinearLayout &layout = layoutOf(factor.getType());
  Type element = op.getResult().getType().getElementType();
  Sizes piece = shapeOf(layout), sizes(shape.rank, 1);
  growToFit(factor, shape.dimensions(), piece, sizes);
  unsigned axis = shape.rank - 1 - which; // the dimension of the depth
  uint64_t least = sizes[axis];
  sizes = grownBlocks(layout, sizes);
  sizes[axis] = std::max(least, std::min(sizes[axis], plan.depth));
  bool isPart =
      sizes[axis] > plan.depth; // the smallest block of the factor is deeper than the piece
  piece[axis] = isPart ? sizes[axis] : plan.depth;
  Nest nest =
      makeNest(b, op.getLoc(), piece, sizes, llvm::to_vector(llvm::seq<unsigned>(0, shape.rank)));
  Frame frame = nest.frame;
  SmallVector<Value> starts = frame.starts; // to be made relative to the piece
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
  MemoryPlace place = placeOf(shape, which, plan.depth);
  Value places = placesOf(b, held, place, startOf(b, starts, place)), mask;
  if (isPart) {
    Value depths = coordinates(b, held, axis);
    Type type = depths.getType();
    depths = arith::AddIOp::create(b, depths, tile::SplatOp::create(b, type, starts[axis]));
    mask = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, depths,
                                 tile::SplatOp::create(b, type, i32(b, plan.depth)));
  }
  tile::StoreOp::create(b, block, workgroupMemories[element], places, mask);
}

/// Adds the products of one piece of the depth to `array`. Without an array, the result is a single
/// block, which is returned.
Value FragmentLoops::multiply(Emission &e, tile::DotOp op, Value array, const ProductPlan &plan,
                              size_t item) {
  ImplicitLocOpBuilder b(op.getLoc(), e.builder);
  Shape shape(op);
  RankedTensorType type = op.getResult().getType();
  Value memory = workgroupMemories[type.getElementType()];
  // The loop over columns is the outer one. All iterations of the inner loop read the same part of
  // the right factor, which stays in the nearest cache.
  SmallVector<unsigned> order{shape.columnsAxis(), shape.rowsAxis()};
  if (shape.rank == 3)
    order.insert(order.begin(), 0);
  Nest nest = makeNest(b, op.getLoc(), shapeOf(layoutOf(type)), plan.block, order);
  Site site = siteAt(e, b, nest.frame, item);
  bool isFirst = plan.depth == shape.depth;
  Value sums = isFirst ? slice(op.getAccumulator(), nest.frame, site)
                       : loadBlock(site.builder, op.getLoc(), array, type, nest.frame);
  auto block = cast<RankedTensorType>(sums.getType());
  // Returns the elements of a factor that a block needs in the first step along the depth: their
  // type, and their offsets in memory. They are a column of the left factor's piece, or a row of
  // the right factor's.
  auto factor = [&](unsigned which) {
    unsigned repeated = which == 0 ? shape.columnsAxis() : shape.rowsAxis();
    auto held = tile::tensorOf(type.getElementType(),
                               tile::beforeBroadcast(layoutOf(block), repeated).value());
    MemoryPlace place = placeOf(shape, which, plan.depth);
    SmallVector<Value> starts = nest.frame.starts;
    starts[repeated] = {};
    return std::pair(held, placesOf(b, layoutOf(held), place, startOf(b, starts, place)));
  };
  auto [ofRows, rows] = factor(0);
  auto [ofColumns, columns] = factor(1);
  uint64_t steps = std::min(limits.depthUnrolled, plan.depth);
  auto loop = scf::ForOp::create(b, i32(b, 0), i32(b, plan.depth), i32(b, steps), sums);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    auto element = [&](RankedTensorType from, Value places, Value more) -> Value {
      places = arith::AddIOp::create(b, places, tile::SplatOp::create(b, places.getType(), more));
      Value loaded = tile::LoadOp::create(b, from, memory, places, Value(), Value());
      return from == block ? loaded : tile::BroadcastOp::create(b, block, loaded).getResult();
    };
    Value sum = loop.getRegionIterArg(0);
    for (uint64_t step = 0; step < steps; ++step) {
      Value k = loop.getInductionVar();
      if (step)
        k = arith::AddIOp::create(b, k, i32(b, step));
      Value x = element(ofRows, rows, k);
      Value y = element(ofColumns, columns, arith::MulIOp::create(b, k, i32(b, shape.columns)));
      sum = multiplyAdd(b, x, y, sum);
    }
    scf::YieldOp::create(b, sum);
  }
  if (!array)
    return loop.getResult(0);
  storeBlock(b, op.getLoc(), loop.getResult(0), array, type, nest.frame);
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
  gpu::BarrierOp::create(e.builder,
                         op.getLoc()); // other lanes may still read the previous contents
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
