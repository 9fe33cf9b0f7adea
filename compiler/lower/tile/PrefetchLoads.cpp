//===- PrefetchLoads.cpp - loads factors one iteration ahead ----------------===//
//   before: scf.for %i … { %a = tile.load %x at %o(%i); %d = tile.dot (… of %a), … }
//   after:  %first = tile.load %x at %o(0) mask (there is an iteration)
//           scf.for %i … iter_args(%a = %first) {
//             %next = tile.load %x at %o(%i + 1) mask (there is another iteration) {prefetched}
//             %d = tile.dot (… of %a), …; yield %next
//           }
//
// This applies to loops that multiply fragments and write no memory, so that an earlier load reads
// the same values. DistributeTiles places prefetched loads between a product's stores to workgroup
// memory and its multiplications.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_PREFETCHLOADS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

/// Collects operations of the loop's body that compute a value from the loop's variables. Returns
/// false if one of them has side effects or regions.
static bool collect(Value value, scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || slice.contains(op))
    return true;
  if (!isPure(op) || op->getNumRegions())
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, loop, slice))
      return false;
  slice.insert(op); // after its operands
  return true;
}

bool pumice::lower::tiles::canPrefetch(tile::LoadOp load, scf::ForOp loop) {
  if (load->getBlock() != loop.getBody() || load->hasAttr("volatile") || !load.getBase())
    return false;
  llvm::SetVector<Operation *> slice;
  for (Value operand : load->getOperands())
    if (!collect(operand, loop, slice))
      return false;
  // The next iteration's load needs the next values of the loop's variables, which must be
  // computable in this iteration too.
  llvm::SetVector<Value> needed;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (auto argument = dyn_cast<BlockArgument>(operand);
          argument && argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0)
        needed.insert(operand);
  };
  need(load);
  for (Operation *op : slice)
    need(op);
  for (Value argument : needed)
    if (!collect(loop.getTiedLoopYieldedValue(cast<BlockArgument>(argument))->get(), loop, slice))
      return false;
  return true;
}

/// Returns whether the loaded value reaches a product through operations without side effects.
static bool feedsProduct(Value value, unsigned steps = 8) {
  return steps && llvm::any_of(value.getUsers(), [&](Operation *user) {
           if (auto product = dyn_cast<tile::DotOp>(user))
             return product.getAccumulator() != value && fragmentOf(product).has_value();
           return user->getNumResults() == 1 && isPure(user) &&
                  feedsProduct(user->getResult(0), steps - 1);
         });
}

bool pumice::lower::tiles::writesMemory(scf::ForOp loop) {
  return loop
      .walk([&](Operation *op) {
        bool isHarmless =
            isMemoryEffectFree(op) || isa<tile::LoadOp, scf::ForOp, scf::IfOp, scf::YieldOp>(op);
        return isHarmless ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

bool pumice::lower::tiles::isLoadedAhead(tile::LoadOp load) {
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  return loop && feedsProduct(load.getResult()) && canPrefetch(load, loop) && !writesMemory(loop);
}

Type pumice::lower::tiles::carriedType(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getElementType().isBF16() ? tensor.clone(IntegerType::get(type.getContext(), 16))
                                          : type;
}

static Value castTo(OpBuilder &b, Type type, Value value) {
  return value.getType() == type
             ? value
             : arith::BitcastOp::create(b, value.getLoc(), type, value).getResult();
}

/// Emits the load of the iteration at `variable`, with the loop's variables mapped by `mapping`.
/// `exists` says whether there is such an iteration.
static Value loadAt(OpBuilder &b, tile::LoadOp load, scf::ForOp loop, IRMapping &mapping,
                    Value exists) {
  llvm::SetVector<Operation *> slice;
  for (Value operand : load->getOperands())
    collect(operand, loop, slice);
  for (Operation *op : slice)
    if (!mapping.contains(op->getResult(0)))
      b.clone(*op, mapping);
  auto copy = cast<tile::LoadOp>(b.clone(*load, mapping));
  auto type = cast<RankedTensorType>(copy.getResult().getType());
  auto bits = RankedTensorType::get(type.getShape(), b.getI1Type(), type.getEncoding());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(copy);
  Value mask = tile::SplatOp::create(b, load.getLoc(), bits, exists);
  if (copy.getMask())
    mask = arith::AndIOp::create(b, load.getLoc(), mask, copy.getMask());
  copy.getMaskMutable().assign(mask);
  return copy.getResult();
}

static void prefetch(scf::ForOp loop, ArrayRef<tile::LoadOp> loads) {
  IRRewriter rewriter(loop.getContext());
  Location loc = loop.getLoc();
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> firsts;
  {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
    Value exists =
        arith::CmpIOp::create(rewriter, loc, less, loop.getLowerBound(), loop.getUpperBound());
    for (tile::LoadOp load : loads) {
      Value first = loadAt(rewriter, load, loop, mapping, exists);
      firsts.push_back(castTo(rewriter, carriedType(first.getType()), first));
    }
  }
  // In the next iteration, the variables have the values that this iteration yields.
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  IRMapping mapping;
  Value next = arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), loop.getStep());
  mapping.map(loop.getInductionVar(), next);
  for (BlockArgument argument : loop.getRegionIterArgs())
    mapping.map(argument, loop.getTiedLoopYieldedValue(argument)->get());
  Value exists = arith::CmpIOp::create(rewriter, loc, less, next, loop.getUpperBound());
  SmallVector<Value> nexts;
  for (tile::LoadOp load : loads) {
    Value next = loadAt(rewriter, load, loop, mapping, exists);
    next.getDefiningOp()->setAttr(prefetchedAttrName, rewriter.getUnitAttr());
    nexts.push_back(castTo(rewriter, carriedType(next.getType()), next));
  }
  FailureOr<LoopLikeOpInterface> wider = loop.replaceWithAdditionalYields(
      rewriter, firsts, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return nexts; });
  auto result = cast<scf::ForOp>(wider->getOperation());
  size_t first = result.getNumRegionIterArgs() - loads.size();
  for (auto [i, load] : llvm::enumerate(loads)) {
    tile::LoadOp here = load;
    rewriter.setInsertionPoint(here);
    Value carried = result.getRegionIterArg(static_cast<unsigned>(first + i));
    rewriter.replaceOp(here, castTo(rewriter, here.getResult().getType(), carried));
  }
}

namespace {

struct PrefetchLoads final : lower::tiles::impl::PrefetchLoadsBase<PrefetchLoads> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      SmallVector<tile::LoadOp> loads;
      for (auto load : loop.getBody()->getOps<tile::LoadOp>())
        if (feedsProduct(load.getResult()) && canPrefetch(load, loop))
          loads.push_back(load);
      if (!loads.empty() && !writesMemory(loop))
        prefetch(loop, loads);
    }
  }
};

} // namespace
