//===- MergeMatrixProducts.cpp - merges products that share a factor --------===//
//   before: %p = lane.matrix_product 16, 16, 16 (%a) (%b) (%x)
//           %q = lane.matrix_product 16, 16, 16 (%a) (%c) (%y)
//   after: %r = lane.matrix_product 16, 32, 16 (%a) (%b | %c) (%x | %y)
// Here | joins matrices side by side. Products with the same right factor are joined one below the
// other. If a product is added to another, they are joined along their depth. A larger product has
// larger tiles in registers, so each multiplication needs fewer loads. If a row fills whole
// registers, joining matrices only reorders their scalars.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/Passes.h"
#include "compiler/dialect/lane/LaneDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace pumice::cpu {
#define GEN_PASS_DEF_MERGEMATRIXPRODUCTS
#include "compiler/cpu/Passes.h.inc"
} // namespace pumice::cpu

using namespace mlir;
using namespace pumice;
using lane::MatrixProductOp;

namespace {
struct MergeMatrixProducts final : cpu::impl::MergeMatrixProductsBase<MergeMatrixProducts> {
  void runOnOperation() override;
};

/// The dimension that grows. The products share the factor that lacks this dimension.
enum class Side { Columns, Rows };
} // namespace

/// Larger products would save no further loads.
static constexpr uint32_t mostColumns = 64, mostRows = 64, mostDepth = 128;

static OperandRange shared(MatrixProductOp op, Side side) {
  return side == Side::Columns ? op.getA() : op.getB();
}

static uint32_t lanesOf(MatrixProductOp op) {
  return op.getRows() * op.getColumns() / op.getResults().size();
}

static bool isAlike(MatrixProductOp x, MatrixProductOp y, Side side) {
  return x.getRows() == y.getRows() && x.getColumns() == y.getColumns() &&
         x->getAttrDictionary() == y->getAttrDictionary() &&
         x.getA().getTypes() == y.getA().getTypes() && x.getB().getTypes() == y.getB().getTypes() &&
         x.getC().getTypes() == y.getC().getTypes() &&
         llvm::equal(shared(x, side), shared(y, side));
}

/// Returns whether a set can move down to `end`, because nothing in between reads its variable.
static bool canMove(Operation *user, Operation *end) {
  auto set = dyn_cast<lane::SetOp>(user);
  return set && set->getBlock() == end->getBlock() &&
         llvm::none_of(set.getSlot().getUsers(), [&](Operation *other) {
           Operation *here = end->getBlock()->findAncestorOpInBlock(*other);
           return here && here != set && set->isBeforeInBlock(here) && here->isBeforeInBlock(end);
         });
}

/// Returns whether no result is used before the last product. Uses in sets of variables do not
/// count, because they can move.
static bool canWait(ArrayRef<MatrixProductOp> products) {
  MatrixProductOp last = products.back();
  for (MatrixProductOp product : products.drop_back())
    for (Operation *user : product->getUsers()) {
      Operation *here = last->getBlock()->findAncestorOpInBlock(*user);
      if (here && !last->isBeforeInBlock(here) && !canMove(user, last))
        return false;
    }
  return true;
}

/// Moves those sets of variables that use a product's results behind `last`.
static void moveSets(MatrixProductOp product, MatrixProductOp last) {
  for (Operation *user : llvm::to_vector(product->getUsers()))
    if (isa<lane::SetOp>(user) && user->getBlock() == last->getBlock() &&
        user->isBeforeInBlock(last))
      user->moveAfter(last);
}

/// Joins matrices with `perRow` scalars in each row, side by side or one below the other.
static SmallVector<Value> joined(ArrayRef<ValueRange> parts, size_t perRow, Side side) {
  SmallVector<Value> all;
  if (side == Side::Rows)
    perRow = parts.front().size();
  for (size_t row = 0; row < parts.front().size(); row += perRow)
    for (ValueRange part : parts)
      llvm::append_range(all, part.slice(row, perRow));
  return all;
}

static MatrixProductOp merge(ArrayRef<MatrixProductOp> products, Side side) {
  MatrixProductOp last = products.back();
  size_t perRow = std::max<size_t>(last.getColumns() / lanesOf(last), 1);
  SmallVector<ValueRange> own, sums, results;
  for (MatrixProductOp product : products) {
    own.push_back(side == Side::Columns ? product.getB() : product.getA());
    sums.push_back(product.getC());
    results.push_back(product.getResults());
    moveSets(product, last);
  }
  SmallVector<Value> factor = joined(own, perRow, side), sum = joined(sums, perRow, side);
  auto count = static_cast<uint32_t>(products.size());
  OpBuilder b(last);
  ValueRange left = last.getA(), right = last.getB();
  (side == Side::Columns ? right : left) = factor;
  auto merged = MatrixProductOp::create(
      b, last.getLoc(), SmallVector<Type>(sum.size(), sum.front().getType()), left, right, sum,
      last.getRows() * (side == Side::Rows ? count : 1),
      last.getColumns() * (side == Side::Columns ? count : 1), last.getDepth(), last.getSignedA(),
      last.getSignedB(), last.getSignedC(), last.getSaturating());
  for (auto [old, result] : llvm::zip(joined(results, perRow, side), merged.getResults()))
    old.replaceAllUsesWith(result);
  for (MatrixProductOp product : products)
    product.erase();
  return merged;
}

//===-------------------------------------------------------------------------===//
// Chains: a product is added to another one
//===-------------------------------------------------------------------------===//

/// Returns the product to which `product` is added, if nothing else uses it.
static MatrixProductOp addedTo(MatrixProductOp product) {
  auto before = product.getC().front().getDefiningOp<MatrixProductOp>();
  bool onlyUse = before && before->getBlock() == product->getBlock() &&
                 llvm::equal(before.getResults(), product.getC()) &&
                 llvm::all_of(before.getResults(), [](Value v) { return v.hasOneUse(); });
  bool alike = onlyUse && before->getAttrDictionary() == product->getAttrDictionary() &&
               before.getA().getTypes() == product.getA().getTypes() &&
               before.getB().getTypes() == product.getB().getTypes();
  return alike ? before : MatrixProductOp();
}

static void mergeChain(ArrayRef<MatrixProductOp> chain) {
  MatrixProductOp first = chain.front(), last = chain.back();
  SmallVector<ValueRange> lefts;
  SmallVector<Value> right;
  for (MatrixProductOp product : chain) {
    lefts.push_back(product.getA());
    llvm::append_range(right, product.getB());
  }
  OpBuilder b(last);
  SmallVector<Value> left = joined(lefts, last.getDepth() / lanesOf(last), Side::Columns);
  auto merged = MatrixProductOp::create(
      b, last.getLoc(), last.getResultTypes(), left, right, first.getC(), last.getRows(),
      last.getColumns(), last.getDepth() * static_cast<uint32_t>(chain.size()), last.getSignedA(),
      last.getSignedB(), last.getSignedC(), last.getSaturating());
  last->replaceAllUsesWith(merged);
  for (MatrixProductOp product : llvm::reverse(chain))
    product.erase();
}

/// Merges chains of products. Saturating products are excluded, because each sum in their chain is
/// clamped.
static void mergeChains(Block &block) {
  llvm::DenseSet<Operation *> done;
  SmallVector<MatrixProductOp> products(block.getOps<MatrixProductOp>());
  for (MatrixProductOp product : llvm::reverse(products)) {
    if (done.contains(product) || product.getSaturating() || product.getDepth() < lanesOf(product))
      continue;
    SmallVector<MatrixProductOp> chain;
    for (MatrixProductOp at = product; at; at = addedTo(at)) {
      chain.push_back(at);
      done.insert(at);
    }
    std::reverse(chain.begin(), chain.end());
    size_t most = std::max<size_t>(mostDepth / product.getDepth(), 1);
    for (ArrayRef<MatrixProductOp> left = chain; !left.empty();) {
      size_t count = std::min(most, llvm::bit_floor(left.size()));
      if (count > 1)
        mergeChain(left.take_front(count));
      left = left.drop_front(count);
    }
  }
}

//===-------------------------------------------------------------------------===//
// Products that share a factor
//===-------------------------------------------------------------------------===//

/// Returns the number of products that fit together within the limits.
static size_t mostTogether(MatrixProductOp op, Side side) {
  if (side == Side::Rows)
    return std::max<size_t>(mostRows / op.getRows(), 1);
  bool wholeRows = op.getColumns() >= lanesOf(op);
  return wholeRows ? std::max<size_t>(mostColumns / op.getColumns(), 1) : 1;
}

static void mergeBlock(Block &block, Side side) {
  SmallVector<MatrixProductOp> rest(block.getOps<MatrixProductOp>());
  while (!rest.empty()) {
    SmallVector<MatrixProductOp> group, others;
    for (MatrixProductOp product : rest)
      (isAlike(product, rest.front(), side) ? group : others).push_back(product);
    rest = others;
    size_t most = mostTogether(group.front(), side);
    for (ArrayRef<MatrixProductOp> left = group; !left.empty();) {
      size_t count = std::min(most, llvm::bit_floor(left.size()));
      while (count > 1 && !canWait(left.take_front(count)))
        count /= 2;
      if (count > 1)
        merge(left.take_front(count), side);
      left = left.drop_front(count);
    }
  }
}

void MergeMatrixProducts::runOnOperation() {
  getOperation().walk([](Block *block) { mergeChains(*block); });
  for (Side side : {Side::Columns, Side::Rows})
    getOperation().walk([&](Block *block) { mergeBlock(*block, side); });
}
