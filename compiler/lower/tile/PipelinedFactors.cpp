//===- PipelinedFactors.cpp - factors of products in a loop -----------------===//
#include "compiler/lower/tile/PipelinedFactors.h"

#include <set>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using namespace pumice::lower::tiles::pipeline;
using tile::layoutOf;
using tile::LinearLayout;

/// Returns whether a product of the loop affects the address of the load in the next iteration.
static bool dependsOnProduct(tile::LoadOp load, scf::ForOp loop) {
  llvm::DenseSet<Value> seen;
  std::function<bool(Value)> reaches = [&](Value value) {
    if (value.getParentBlock() != loop.getBody() || !seen.insert(value).second)
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getArgNumber() > 0 && reaches(loop.getTiedLoopYieldedValue(argument)->get());
    return isa<tile::DotOp>(value.getDefiningOp()) ||
           llvm::any_of(value.getDefiningOp()->getOperands(), reaches);
  };
  return llvm::any_of(load->getOperands(), reaches);
}

/// Follows an operand to the load that it comes from, through operations on each element alone.
static bool follow(Factor &factor, scf::ForOp loop) {
  Operation *op = factor.operand.getDefiningOp();
  for (; op && op->getBlock() == loop.getBody(); op = op->getOperand(0).getDefiningOp()) {
    if (auto load = dyn_cast<tile::LoadOp>(op)) {
      factor.load = load;
      std::reverse(factor.chain.begin(), factor.chain.end());
      return canPrefetch(load, loop) && !dependsOnProduct(load, loop);
    }
    bool stays = isa<tile::TransOp>(op) || op->hasTrait<OpTrait::Elementwise>();
    if (!stays || op->getNumOperands() != 1 || !isPure(op))
      return false;
    factor.chain.push_back(op);
  }
  return false;
}

static std::optional<Factor> factorOf(tile::DotOp op, unsigned which, scf::ForOp loop) {
  Factor factor;
  factor.which = which;
  factor.operand = op->getOperand(which);
  auto type = cast<RankedTensorType>(factor.operand.getType());
  const LinearLayout &layout = layoutOf(type);
  factor.bytes = tile::storedBytes(type.getElementType());
  factor.depth = static_cast<uint64_t>(type.getDimSize(1 - which));
  factor.lines = static_cast<uint64_t>(type.getDimSize(which));
  factor.isTransposed = contiguousDimension(layout) == 0;
  if (factor.bytes >= 4 || neighbours(layout) * factor.bytes < 16)
    return std::nullopt; // lanes do not store whole vectors of words
  if (loop.isDefinedOutsideOfLoop(factor.operand))
    factor.kind = Factor::Fixed;
  else if (!follow(factor, loop))
    return std::nullopt;
  return factor;
}

uint64_t pipeline::leastPiece(const Factor &factor, uint64_t step) {
  const LinearLayout &layout = layoutOf(factor.operand.getType());
  std::string depth = tile::dimensionName(1 - factor.which);
  uint64_t piece = step;
  while (piece < factor.depth && !pieceOfRegister(layout, depth, 0, piece))
    piece *= 2;
  return piece;
}

std::optional<Product> pipeline::productOf(tile::DotOp op, scf::ForOp loop) {
  std::optional<tile::ProductFragment> fragment = fragmentOf(op);
  if (!fragment)
    return std::nullopt;
  std::optional<Factor> a = factorOf(op, 0, loop), b = factorOf(op, 1, loop);
  if (!a || !b || (a->kind != Factor::Loaded && b->kind != Factor::Loaded))
    return std::nullopt;
  Product product{op,
                  *fragment,
                  fragmentsOf(layoutOf(op.getResult().getType()), *fragment).value(),
                  {std::move(*a), std::move(*b)},
                  {}};
  // Fragments that the loop does not change must leave registers for the sums.
  constexpr uint64_t mostFixedWords = 64;
  uint64_t lanes = uint64_t(1) << layoutOf(op.getResult().getType()).input(tile::laneSpace).bits;
  for (Factor &factor : product.factors) {
    factor.pieceDepth = factor.depth;
    std::set<uint64_t> places;
    for (uint64_t f = 0; f < product.count(); ++f)
      places.insert(product.placeOf(factor.which, f));
    uint64_t size = factor.which ? fragment->shape.columns : fragment->shape.rows;
    bool fits = places.size() * size * factor.depth * factor.bytes <= mostFixedWords * 4 * lanes;
    if (factor.kind == Factor::Fixed && !fits)
      return std::nullopt;
  }
  return product;
}

bool pipeline::isProductLoop(scf::ForOp loop) {
  unsigned products = 0;
  WalkResult walked = loop.getBody()->walk([&](Operation *op) {
    if (auto dot = dyn_cast<tile::DotOp>(op)) {
      if (!fragmentOf(dot))
        return WalkResult::interrupt();
      ++products;
    }
    return isa<scf::ForOp, scf::WhileOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return products == 1 && !walked.wasInterrupted();
}
