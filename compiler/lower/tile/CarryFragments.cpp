//===- CarryFragments.cpp - lets loops carry fragments ----------------------===//
//   before: %v = scf.for … iter_args(%r = %zeros) -> vector<8xf32> {
//             %m = … gpu.subgroup_mma_insert_thread_local of each element of %r
//             %n = vk.multiply_factors %x, %y, %m
//             yield vector.from_elements of each element of %n
//   after:  %n = scf.for … iter_args(%m = gpu.subgroup_mma_constant_matrix) {
//             yield vk.multiply_factors %x, %y, %m
//
// Registers are extracted from the fragments only where they are used.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/FragmentProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace pumice;
using Extract = gpu::SubgroupMmaExtractThreadLocalOp;
using Insert = gpu::SubgroupMmaInsertThreadLocalOp;

/// Returns the scalar from which a vector's element was made, if it is known.
static Value scalarOf(Value element) {
  auto unpack = element.getDefiningOp<vector::ToElementsOp>();
  auto pack = unpack ? unpack.getSource().getDefiningOp<vector::FromElementsOp>() : nullptr;
  return pack ? pack.getElements()[cast<OpResult>(element).getResultNumber()] : element;
}

static std::optional<int64_t> componentOf(ValueRange indices) {
  return indices.size() == 1 ? getConstantIntValue(indices.front()) : std::nullopt;
}

/// Returns the matrix if these elements begin with its components, in order.
static Value matrixOf(ValueRange elements) {
  auto first = elements.front().getDefiningOp<Extract>();
  if (!first)
    return {};
  for (auto [i, element] : llvm::enumerate(elements)) {
    auto extract = element.getDefiningOp<Extract>();
    if (!extract || extract.getMatrix() != first.getMatrix())
      break;
    if (componentOf(extract.getIndices()) != static_cast<int64_t>(i))
      return {};
  }
  return first.getMatrix();
}

/// Returns the matrices whose components, in order, are all elements of the vector.
static SmallVector<Value> matricesOf(Value vector) {
  auto pack = vector.getDefiningOp<vector::FromElementsOp>();
  SmallVector<Value> matrices;
  for (ValueRange rest = pack ? pack.getElements() : ValueRange(); !rest.empty();) {
    Value matrix = matrixOf(rest);
    if (!matrix)
      return {};
    matrices.push_back(matrix);
    while (!rest.empty()) {
      auto extract = rest.front().getDefiningOp<Extract>();
      if (!extract || extract.getMatrix() != matrix)
        break;
      rest = rest.drop_front();
    }
  }
  return matrices;
}

static Value registersOf(OpBuilder &b, Location loc, ValueRange matrices, VectorType type) {
  SmallVector<Value> elements;
  uint64_t each = static_cast<uint64_t>(type.getNumElements()) / matrices.size();
  for (Value matrix : matrices)
    for (uint64_t c = 0; c < each; ++c)
      elements.push_back(
          Extract::create(b, loc, type.getElementType(), matrix,
                          ValueRange{arith::ConstantIndexOp::create(b, loc, int64_t(c))}));
  return vector::FromElementsOp::create(b, loc, type, elements);
}

/// Creates matrices of these types that hold a vector's elements.
static SmallVector<Value> matricesWith(OpBuilder &b, Location loc, Value vector, ValueRange like) {
  auto type = cast<VectorType>(vector.getType());
  DenseElementsAttr constant;
  SmallVector<Value> matrices, elements;
  bool isUniform = matchPattern(vector, m_Constant(&constant)) && constant.isSplat();
  Value first =
      arith::ConstantOp::create(b, loc,
                                isUniform ? cast<TypedAttr>(constant.getSplatValue<Attribute>())
                                          : b.getZeroAttr(type.getElementType()));
  if (!isUniform)
    llvm::append_range(elements, vector::ToElementsOp::create(b, loc, vector).getElements());
  size_t each = static_cast<size_t>(type.getNumElements()) / like.size();
  for (auto [f, old] : llvm::enumerate(like)) {
    Value matrix = gpu::SubgroupMmaConstantMatrixOp::create(b, loc, old.getType(), first);
    for (size_t c = 0; !isUniform && c < each; ++c)
      matrix = Insert::create(b, loc, old.getType(), elements[f * each + c], matrix,
                              ValueRange{arith::ConstantIndexOp::create(b, loc, int64_t(c))});
    matrices.push_back(matrix);
  }
  return matrices;
}

/// Makes the loop also carry variable `number` as matrices. The loop no longer changes the vector
/// itself.
static scf::ForOp carry(IRRewriter &rewriter, scf::ForOp loop, unsigned number,
                        ArrayRef<Value> matrices) {
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> inits = matricesWith(rewriter, loc, loop.getInitArgs()[number], matrices);
  FailureOr<LoopLikeOpInterface> wider = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>(matrices); });
  auto result = cast<scf::ForOp>(wider->getOperation());
  auto type = cast<VectorType>(result.getInitArgs()[number].getType());
  size_t first = result.getNumRegionIterArgs() - matrices.size();
  rewriter.setInsertionPointToStart(result.getBody());
  Value within = registersOf(
      rewriter, loc, SmallVector<Value>(result.getRegionIterArgs().drop_front(first)), type);
  BlockArgument old = result.getRegionIterArgs()[number];
  rewriter.replaceAllUsesWith(old, within);
  result.getBody()->getTerminator()->setOperand(number, old);
  rewriter.setInsertionPointAfter(result);
  Value behind =
      registersOf(rewriter, loc, SmallVector<Value>(result.getResults().drop_front(first)), type);
  rewriter.replaceAllUsesWith(result.getResult(number), behind);
  return result;
}

/// Returns a matrix if all its components are inserted into another matrix, in order.
static Value originOf(Insert last, int64_t lanes) {
  Value origin, matrix = last.getResult();
  llvm::SmallDenseSet<int64_t> seen;
  auto type = cast<gpu::MMAMatrixType>(matrix.getType());
  int64_t components = type.getShape()[0] * type.getShape()[1] / lanes;
  while (auto insert = matrix.getDefiningOp<Insert>()) {
    std::optional<int64_t> component = componentOf(insert.getIndices());
    auto extract = scalarOf(insert.getValue()).getDefiningOp<Extract>();
    if (!component || !extract || componentOf(extract.getIndices()) != component ||
        extract.getMatrix().getType() != type || (origin && extract.getMatrix() != origin))
      return {};
    origin = extract.getMatrix();
    seen.insert(*component);
    matrix = insert.getMatrix();
  }
  // If a component is not replaced, the result still has that component of the initial matrix.
  return static_cast<int64_t>(seen.size()) == components ? origin : Value();
}

void pumice::lower::tiles::carryFragments(gpu::GPUFuncOp func) {
  IRRewriter rewriter(func.getContext());
  SmallVector<scf::ForOp> loops;
  func.walk([&](scf::ForOp loop) { loops.push_back(loop); }); // innermost loops first
  for (scf::ForOp loop : loops)
    for (unsigned i = 0, count = loop.getNumRegionIterArgs(); i < count; ++i)
      if (SmallVector<Value> matrices = matricesOf(loop.getYieldedValues()[i]); !matrices.empty())
        loop = carry(rewriter, loop, i, matrices);
  auto lanes = func->getAttrOfType<IntegerAttr>(lower::requiredSubgroupSizeAttrName);
  if (!lanes)
    return;
  SmallVector<Insert> inserts;
  func.walk([&](Insert insert) {
    if (llvm::none_of(insert->getUsers(), llvm::IsaPred<Insert>))
      inserts.push_back(insert);
  });
  for (Insert insert : inserts)
    if (Value origin = originOf(insert, lanes.getInt()))
      rewriter.replaceAllUsesWith(insert.getResult(), origin);
}

/// Moves an operation to just after `place`, together with the operations that compute its
/// operands. Does nothing if one of the latter has side effects.
static void moveWithOperands(Operation *op, Operation *place) {
  llvm::SetVector<Operation *> slice;
  std::function<void(Operation *)> collect = [&](Operation *one) {
    one->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && def->getBlock() == place->getBlock() &&
                                                      place->isBeforeInBlock(def) &&
                                                      !slice.contains(def))
          collect(def);
    });
    slice.insert(one);
  };
  collect(op);
  if (!llvm::all_of(slice.getArrayRef().drop_back(), [](Operation *one) { return isPure(one); }))
    return;
  for (Operation *one : llvm::reverse(slice))
    one->moveAfter(place);
}

void pumice::lower::tiles::placePieces(gpu::GPUFuncOp func) {
  SmallVector<tile::BeginLoadsOp> places;
  func.walk([&](tile::BeginLoadsOp place) { places.push_back(place); });
  for (tile::BeginLoadsOp place : places) {
    SmallVector<Operation *> accesses;
    for (Operation &op : *place->getBlock())
      if (auto piece = op.getAttrOfType<DenseI32ArrayAttr>(prefetchedAttrName);
          piece && piece[0] == static_cast<int32_t>(place.getLoad()) &&
          (piece[1] < 0 || piece[1] == static_cast<int32_t>(place.getPiece())))
        accesses.push_back(&op);
    for (Operation *op : llvm::reverse(accesses)) {
      op->removeAttr(prefetchedAttrName);
      moveWithOperands(op, place);
    }
  }
  for (tile::BeginLoadsOp place : places)
    place.erase();
}

void pumice::lower::tiles::placePrefetches(gpu::GPUFuncOp func) {
  SmallVector<Operation *> prefetches;
  func.walk([&](Operation *op) {
    if (op->hasAttr(prefetchedAttrName))
      prefetches.push_back(op);
  });
  for (Operation *op : prefetches) {
    op->removeAttr(prefetchedAttrName);
    Block *block = op->getBlock();
    auto products = block->getOps<vk::MultiplyFactorsOp>();
    if (products.empty() || !(*products.begin())->isBeforeInBlock(op))
      continue;
    Operation *barrier = nullptr;
    for (auto one : block->getOps<gpu::BarrierOp>())
      if (one->isBeforeInBlock(*products.begin()))
        barrier = one;
    if (barrier)
      moveWithOperands(op, barrier);
  }
}
