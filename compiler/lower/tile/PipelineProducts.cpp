//===- PipelineProducts.cpp - software pipelines for products in loops ------===//
//   before: scf.for %i … iter_args(%s) {
//             %a = tile.load …; %b = tile.load …; %t = tile.dot %a, %b, %s; yield %t
//   after:  the pieces of the first iteration's %a and %b are loaded, and the first is staged
//           scf.for %i … iter_args(%s, %a, %b, %x0, %y0) {     (%x0, %y0: fragments of step 0)
//             for each step of the depth, unrolled:
//               tile.stage the piece that the next step begins, if it begins one
//               tile.begin_loads of the same piece for the next iteration
//               gpu.barrier, if something was staged
//               vk.load_factor the fragments of the next step
//               vk.multiply_factors with the fragments of this step
//             yield …
//
// So multiplications never wait for the memory accesses next to them. Registers hold what is on its
// way from memory, and two slots of workgroup memory hold the current and the next piece. The last
// iteration loads its own factors again instead of those of an iteration that does not exist.
//
// If the loop does not change one of the factors, that factor stays in fragments. The other one is
// staged as a whole, at the end of the iteration before the one that uses it.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/PipelinedFactors.h"
#include "compiler/lower/tile/WorkgroupMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_PIPELINEPRODUCTS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;
using namespace pumice::lower::tiles::pipeline;
using tile::layoutOf;
using tile::LinearLayout;

namespace {

/// Emits the pipeline of one loop.
class Pipeline {
public:
  /// The factors may take `bytes` of workgroup memory. Pieces have these depths, at least.
  Pipeline(scf::ForOp loop, std::vector<Product> products, uint64_t bytes, uint64_t firstDepth,
           uint64_t secondDepth)
      : loop(loop), products(std::move(products)), bytes(bytes), firstDepth(firstDepth),
        secondDepth(secondDepth), rewriter(loop.getContext()) {
    const LinearLayout &layout = layoutOf(this->products.front().op.getResult().getType());
    lanes = 1u << layout.input(tile::laneSpace).bits;
  }

  /// Returns false, and changes nothing, if the factors do not fit workgroup memory.
  bool run();

private:
  Location loc() { return loop.getLoc(); }
  LaneCode code() { return LaneCode(rewriter, loc(), lanes); }
  Value number(uint64_t value) {
    return arith::ConstantOp::create(rewriter, loc(),
                                     rewriter.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  void barrier() {
    gpu::BarrierOp::create(rewriter, loc())->setAttr(workgroupOnlyAttrName, rewriter.getUnitAttr());
  }
  template <typename F> void eachLoaded(F visit) {
    for (Product &product : products)
      for (Factor &factor : product.factors)
        if (factor.kind == Factor::Loaded)
          visit(factor);
  }

  bool choosePieces();
  bool place(bool doubled);
  Value memory();
  Value slotOf(const Factor &factor, uint64_t piece, Value turn);
  void stage(const Factor &factor, Value tensor, uint64_t piece, Value slot);
  Value loadFragment(Product &product, unsigned which, uint64_t f, uint64_t depth, Value slot);
  Fragments loadFragments(Product &product, unsigned which, uint64_t step, Value turn);
  void multiply(Product &product, const Fragments &a, const Fragments &b,
                SmallVectorImpl<Value> &sums);
  void loadFixed(Product &product);
  Value loadAt(Factor &factor, IRMapping &mapping, Value exists);
  Value firstTurn(IRMapping &mapping);
  IRMapping nextTurn(Operation *before);
  Value operandFrom(Factor &factor, Value tensor);
  SmallVector<Value> sumsOf(Product &product);
  void finish(Product &product, ValueRange sums);
  scf::ForOp carry(SmallVectorImpl<Value> &inits);

  void runSteps();
  void runTensors();

  scf::ForOp loop;
  std::vector<Product> products;
  uint64_t bytes, firstDepth, secondDepth;
  unsigned lanes; // of a subgroup
  IRRewriter rewriter;
  uint64_t words = 0; // of workgroup memory
  Value array;
};

/// Computes the places of all factors in workgroup memory. Returns whether they fit.
bool Pipeline::place(bool doubled) {
  uint64_t used = 0, fixed = 0;
  for (Product &product : products)
    for (Factor &factor : product.factors) {
      factor.place = {Value(), used, factor.strideWords(), factor.bytes};
      if (factor.kind == Factor::Fixed) { // only before the loop, when no others are there yet
        factor.place.offset = 0;
        fixed = std::max(fixed, factor.pieceVectors() * 4);
        continue;
      }
      factor.slotVectors = doubled ? factor.pieceVectors() : 0;
      used += factor.pieceVectors() * (doubled ? 8 : 4);
    }
  words = std::max(used, fixed);
  return words * 4 <= bytes;
}

bool Pipeline::choosePieces() {
  Product &product = products.front();
  if (products.size() != 1 || product.factors[0].kind != Factor::Loaded ||
      product.factors[1].kind != Factor::Loaded)
    return false;
  uint64_t step = product.fragment.shape.depth;
  uint64_t wanted[2] = {firstDepth, secondDepth};
  for (Factor &factor : product.factors)
    factor.pieceDepth =
        std::min(std::max(leastPiece(factor, step), wanted[factor.which]), factor.depth);
  return place(true);
}

Value Pipeline::memory() {
  if (array)
    return array;
  auto func = loop->getParentOfType<gpu::GPUFuncOp>();
  for (BlockArgument own : ownAttributions(func))
    if (auto type = cast<MemRefType>(own.getType());
        type.getElementType().isInteger(32) && type.getNumElements() >= int64_t(words))
      return array = own;
  addOwnAttribution(func, rewriter.getI32Type(), words);
  return array = ownAttributions(func).back();
}

/// Returns the slot of a piece, in vectors. `turn` is 0 or 1, and alternates between iterations.
Value Pipeline::slotOf(const Factor &factor, uint64_t piece, Value turn) {
  if (factor.slotVectors == 0)
    return number(0);
  if (factor.pieces() > 1)
    return number(piece % 2 * factor.slotVectors);
  return arith::MulIOp::create(rewriter, loc(), turn, number(factor.slotVectors));
}

void Pipeline::stage(const Factor &factor, Value tensor, uint64_t piece, Value slot) {
  auto number = [](uint64_t value) { return static_cast<uint32_t>(value); };
  tile::StageOp::create(rewriter, loc(), tensor, memory(), slot, 1 - factor.which,
                        number(piece * factor.pieceDepth), number(factor.pieceDepth),
                        number(factor.place.offset), number(factor.place.stride),
                        factor.isTransposed);
}

Value Pipeline::loadFragment(Product &product, unsigned which, uint64_t f, uint64_t depth,
                             Value slot) {
  const Factor &factor = product.factors[which];
  const tile::ProductShape &shape = product.fragment.shape;
  LaneCode lane = code();
  Value line = lane.place(product.fragments, tile::dimensionName(which), f);
  line = arith::MulIOp::create(lane.b, line, number(which ? shape.columns : shape.rows));
  Value along = number(depth % factor.pieceDepth);
  if ((which == 0) == factor.isTransposed)
    std::swap(line, along);
  StagedPiece piece = factor.place;
  piece.slot = slot;
  Type element = product.op.getA().getType().getElementType();
  if (element.isInteger())
    element = IntegerType::get(rewriter.getContext(), element.getIntOrFloatBitWidth(),
                               IntegerType::Signed);
  auto type =
      vk::FactorType::get(rewriter.getContext(), int64_t(which ? shape.depth : shape.rows),
                          int64_t(which ? shape.columns : shape.depth), element, which == 1);
  return vk::LoadFactorOp::create(rewriter, loc(), type, memory(),
                                  wordOf(lane, piece, line, along, 16 / piece.elementBytes),
                                  static_cast<int32_t>(piece.stride), factor.isTransposed);
}

Fragments Pipeline::loadFragments(Product &product, unsigned which, uint64_t step, Value turn) {
  const Factor &factor = product.factors[which];
  if (factor.kind == Factor::Fixed && !product.fixed[which].empty())
    return product.fixed[which][step];
  uint64_t depth = step * product.fragment.shape.depth;
  Value slot = slotOf(factor, depth / factor.pieceDepth, turn);
  Fragments result;
  for (uint64_t f = 0; f < product.count(); ++f) {
    Value &value = result[product.placeOf(which, f)];
    if (!value)
      value = loadFragment(product, which, f, depth, slot);
  }
  return result;
}

void Pipeline::multiply(Product &product, const Fragments &a, const Fragments &b,
                        SmallVectorImpl<Value> &sums) {
  for (uint64_t f = 0; f < product.count(); ++f)
    sums[f] = vk::MultiplyFactorsOp::create(rewriter, loc(), sums[f].getType(),
                                            a.at(product.placeOf(0, f)),
                                            b.at(product.placeOf(1, f)), sums[f]);
}

/// Loads the fragments of factors that the loop does not change.
void Pipeline::loadFixed(Product &product) {
  for (unsigned which : {0u, 1u}) {
    Factor &factor = product.factors[which];
    if (factor.kind != Factor::Fixed)
      continue;
    gpu::BarrierOp::create(rewriter, loc()); // other lanes may still read the previous contents
    stage(factor, factor.operand, 0, number(0));
    barrier();
    std::vector<Fragments> all;
    for (uint64_t step = 0; step < product.steps(); ++step)
      all.push_back(loadFragments(product, which, step, Value()));
    product.fixed[which] = std::move(all);
  }
}

/// Moves an operation of the loop's body, and those that it needs, to before `point`.
void hoist(Value value, Operation *point) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != point->getBlock() || op->isBeforeInBlock(point))
    return;
  for (Value operand : op->getOperands())
    hoist(operand, point);
  op->moveBefore(point);
}

/// Clones the operations of the loop's body that compute `value`, at the insertion point.
void cloneSlice(OpBuilder &b, Value value, scf::ForOp loop, IRMapping &mapping) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || mapping.contains(value))
    return;
  for (Value operand : op->getOperands())
    cloneSlice(b, operand, loop, mapping);
  b.clone(*op, mapping);
}

/// Emits the factor's load with the loop's variables as `mapping` says. If `exists` is given, the
/// load accesses memory only if it is true.
Value Pipeline::loadAt(Factor &factor, IRMapping &mapping, Value exists) {
  for (Value operand : factor.load->getOperands())
    cloneSlice(rewriter, operand, loop, mapping);
  auto copy = cast<tile::LoadOp>(rewriter.clone(*factor.load, mapping));
  auto type = cast<RankedTensorType>(copy.getResult().getType());
  if (exists) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(copy);
    auto truths = RankedTensorType::get(type.getShape(), rewriter.getI1Type(), type.getEncoding());
    Value mask = tile::SplatOp::create(rewriter, loc(), truths, exists);
    if (copy.getMask())
      mask = arith::AndIOp::create(rewriter, loc(), mask, copy.getMask());
    copy.getMaskMutable().assign(mask);
  } else {
    bool isSwapped = llvm::count_if(factor.chain, llvm::IsaPred<tile::TransOp>) % 2;
    unsigned dimension = isSwapped ? factor.which : 1 - factor.which;
    copy->setAttr(prefetchedAttrName,
                  rewriter.getDenseI32ArrayAttr({factor.number, static_cast<int32_t>(dimension),
                                                 static_cast<int32_t>(factor.pieceDepth)}));
  }
  Value result = copy.getResult();
  Type carried = carriedType(type);
  return carried == type ? result
                         : arith::BitcastOp::create(rewriter, loc(), carried, result).getResult();
}

/// Maps the loop's variables to their first values. Returns whether there is an iteration.
Value Pipeline::firstTurn(IRMapping &mapping) {
  mapping.map(loop.getInductionVar(), loop.getLowerBound());
  mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(rewriter, loc(), less, loop.getLowerBound(), loop.getUpperBound());
}

/// Returns the mapping of the loop's variables to their values in the next iteration, or in this
/// one if it is the last. Operations that compute them are moved to before `before`.
IRMapping Pipeline::nextTurn(Operation *before) {
  llvm::SetVector<BlockArgument> variables;
  std::function<void(Value)> collect = [&](Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() == loop.getBody() && argument.getArgNumber() > 0)
        variables.insert(argument);
      return;
    }
    if (value.getParentBlock() == loop.getBody())
      for (Value operand : value.getDefiningOp()->getOperands())
        collect(operand);
  };
  eachLoaded([&](Factor &factor) {
    for (Value operand : factor.load->getOperands())
      collect(operand);
  });
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  IRMapping mapping;
  Value next = arith::AddIOp::create(rewriter, loc(), loop.getInductionVar(), loop.getStep());
  Value exists = arith::CmpIOp::create(rewriter, loc(), less, next, loop.getUpperBound());
  mapping.map(
      loop.getInductionVar(),
      arith::SelectOp::create(rewriter, loc(), exists, next, loop.getInductionVar()).getResult());
  for (BlockArgument variable : variables) {
    Value yielded = loop.getTiedLoopYieldedValue(variable)->get();
    hoist(yielded, before);
    Value condition = exists;
    if (auto tensor = dyn_cast<RankedTensorType>(variable.getType()))
      condition =
          tile::SplatOp::create(rewriter, loc(), tensor.clone(rewriter.getI1Type()), exists);
    mapping.map(variable,
                arith::SelectOp::create(rewriter, loc(), condition, yielded, variable).getResult());
  }
  return mapping;
}

/// Computes the product's operand from a loaded tensor.
Value Pipeline::operandFrom(Factor &factor, Value tensor) {
  Type loaded = factor.load.getResult().getType();
  if (tensor.getType() != loaded)
    tensor = arith::BitcastOp::create(rewriter, loc(), loaded, tensor);
  IRMapping mapping;
  mapping.map(factor.load.getResult(), tensor);
  for (Operation *op : factor.chain)
    tensor = rewriter.clone(*op, mapping)->getResult(0);
  return tensor;
}

SmallVector<Value> Pipeline::sumsOf(Product &product) {
  Value sum = product.op.getAccumulator();
  const tile::ProductShape &shape = product.fragment.shape;
  Type type =
      gpu::MMAMatrixType::get({int64_t(shape.rows), int64_t(shape.columns)},
                              cast<RankedTensorType>(sum.getType()).getElementType(), "COp");
  auto fragments =
      tile::ToFragmentsOp::create(rewriter, loc(), SmallVector<Type>(product.count(), type), sum);
  return llvm::to_vector_of<Value>(fragments.getFragments());
}

void Pipeline::finish(Product &product, ValueRange sums) {
  relyOn(loop->getParentOfType<gpu::GPUFuncOp>(), product.fragment.map);
  Value result =
      tile::FromFragmentsOp::create(rewriter, loc(), product.op.getResult().getType(), sums);
  rewriter.replaceOp(product.op, result);
}

/// Makes the loop carry more values, which it yields unchanged. Callers replace what it yields.
scf::ForOp Pipeline::carry(SmallVectorImpl<Value> &inits) {
  rewriter.setInsertionPoint(loop);
  FailureOr<LoopLikeOpInterface> wider = loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return llvm::to_vector_of<Value>(arguments);
      });
  return cast<scf::ForOp>(wider->getOperation());
}

/// Emits the pipeline of a loop with one product, whose factors pass it in pieces.
void Pipeline::runSteps() {
  Product &product = products.front();
  rewriter.setInsertionPoint(loop);
  IRMapping first;
  Value exists = firstTurn(first);
  SmallVector<Value> inits;
  for (Factor &factor : product.factors)
    inits.push_back(loadAt(factor, first, exists));
  Value zero = number(0);
  inits.push_back(zero);
  gpu::BarrierOp::create(rewriter, loc()); // other lanes may still read the previous contents
  for (Factor &factor : product.factors)
    stage(factor, operandFrom(factor, inits[factor.which]), 0, slotOf(factor, 0, zero));
  barrier();
  Fragments now[2];
  for (unsigned which : {0u, 1u}) {
    now[which] = loadFragments(product, which, 0, zero);
    for (auto &[at, value] : now[which])
      inits.push_back(value);
  }
  size_t kept = loop.getNumRegionIterArgs();
  loop = carry(inits);
  auto carried = loop.getRegionIterArgs().drop_front(kept);
  for (Factor &factor : product.factors)
    factor.carried = carried[factor.which];
  Value turn = carried[2];
  size_t next = 3;
  for (Fragments &set : now)
    for (auto &[at, value] : set)
      value = carried[next++];

  rewriter.setInsertionPoint(product.op);
  Operation *terminator = loop.getBody()->getTerminator();
  auto beginLoads = [&](Factor &factor, uint64_t piece) {
    tile::BeginLoadsOp::create(rewriter, loc(), static_cast<uint32_t>(factor.number),
                               static_cast<uint32_t>(piece));
  };
  Value otherTurn = arith::XOrIOp::create(rewriter, loc(), turn, number(1));
  for (Factor &factor : product.factors)
    beginLoads(factor, 0);
  SmallVector<Value> sums = sumsOf(product);
  Value tensors[2], following[2];
  for (Factor &factor : product.factors)
    tensors[factor.which] = operandFrom(factor, factor.carried);
  uint64_t steps = product.steps(), step = product.fragment.shape.depth;
  for (uint64_t t = 0; t < steps; ++t) {
    bool isLast = t + 1 == steps, stages = false;
    if (isLast) {
      IRMapping mapping = nextTurn(product.op);
      for (Factor &factor : product.factors)
        following[factor.which] = loadAt(factor, mapping, Value());
    }
    for (Factor &factor : product.factors) {
      uint64_t depth = (t + 1) * step;
      if (depth % factor.pieceDepth)
        continue;
      uint64_t piece = isLast ? 0 : depth / factor.pieceDepth;
      Value tensor = isLast ? operandFrom(factor, following[factor.which]) : tensors[factor.which];
      stage(factor, tensor, piece, slotOf(factor, piece, otherTurn));
      stages = true;
      if (!isLast)
        beginLoads(factor, piece);
    }
    if (stages)
      barrier();
    Fragments then[2];
    for (unsigned which : {0u, 1u})
      then[which] = loadFragments(product, which, isLast ? 0 : t + 1, isLast ? otherTurn : turn);
    multiply(product, now[0], now[1], sums);
    for (unsigned which : {0u, 1u})
      now[which] = std::move(then[which]);
  }
  finish(product, sums);
  size_t at = kept;
  for (Value value : {following[0], following[1], otherTurn})
    terminator->setOperand(static_cast<unsigned>(at++), value);
  for (Fragments &set : now)
    for (auto &[where, value] : set)
      terminator->setOperand(static_cast<unsigned>(at++), value);
}

/// Emits the pipeline of a loop whose factors pass it as whole tensors.
void Pipeline::runTensors() {
  rewriter.setInsertionPoint(loop);
  for (Product &product : products)
    loadFixed(product);
  IRMapping first;
  Value exists = firstTurn(first);
  Value zero = number(0);
  SmallVector<Value> tensors;
  eachLoaded([&](Factor &factor) { tensors.push_back(loadAt(factor, first, exists)); });
  gpu::BarrierOp::create(rewriter, loc()); // other lanes may still read the previous contents
  size_t i = 0;
  eachLoaded([&](Factor &factor) {
    stage(factor, operandFrom(factor, tensors[i++]), 0, slotOf(factor, 0, zero));
  });
  barrier();
  SmallVector<Value> inits{zero};
  unsigned kept = loop.getNumRegionIterArgs();
  loop = carry(inits);
  Value turn = loop.getRegionIterArgs()[kept];
  Operation *terminator = loop.getBody()->getTerminator();
  rewriter.setInsertionPointToStart(loop.getBody());
  eachLoaded([&](Factor &factor) {
    tile::BeginLoadsOp::create(rewriter, loc(), static_cast<uint32_t>(factor.number), 0u);
  });
  rewriter.setInsertionPoint(terminator);
  IRMapping mapping = nextTurn(terminator);
  tensors.clear();
  eachLoaded([&](Factor &factor) { tensors.push_back(loadAt(factor, mapping, Value())); });
  Value otherTurn = arith::XOrIOp::create(rewriter, loc(), turn, number(1));
  bool isDouble = false;
  eachLoaded([&](Factor &factor) { isDouble = factor.slotVectors != 0; });
  if (!isDouble)
    barrier(); // other lanes may still read this iteration's factors
  i = 0;
  eachLoaded([&](Factor &factor) {
    stage(factor, operandFrom(factor, tensors[i++]), 0, slotOf(factor, 0, otherTurn));
  });
  barrier();
  terminator->setOperand(kept, otherTurn);
  for (Product &product : products) {
    rewriter.setInsertionPoint(product.op);
    SmallVector<Value> sums = sumsOf(product);
    Fragments now[2], then[2];
    for (unsigned which : {0u, 1u})
      then[which] = loadFragments(product, which, 0, turn);
    for (uint64_t t = 0; t < product.steps(); ++t) {
      for (unsigned which : {0u, 1u}) {
        now[which] = std::move(then[which]);
        if (t + 1 < product.steps())
          then[which] = loadFragments(product, which, t + 1, turn);
      }
      multiply(product, now[0], now[1], sums);
    }
    finish(product, sums);
  }
}

bool Pipeline::run() {
  int32_t count = 0;
  eachLoaded([&](Factor &factor) { factor.number = count++; });
  if (choosePieces()) {
    runSteps();
    return true;
  }
  for (Product &product : products)
    for (Factor &factor : product.factors)
      factor.pieceDepth = factor.depth;
  if (!place(true) && !place(false))
    return false;
  runTensors();
  return true;
}

struct PipelineProducts final : tiles::impl::PipelineProductsBase<PipelineProducts> {
  using PipelineProductsBase::PipelineProductsBase;

  void runOnOperation() override {
    uint64_t bytes = workgroupMemory(getOperation()).bytes;
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      SmallVector<scf::ForOp> loops;
      func.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        if (!isProductLoop(loop) || writesMemory(loop))
          continue;
        std::vector<Product> products;
        for (auto dot : loop.getBody()->getOps<tile::DotOp>())
          if (std::optional<Product> product = productOf(dot, loop))
            products.push_back(std::move(*product));
        if (!products.empty())
          Pipeline(loop, std::move(products), bytes / 16 * 15, firstDepth, secondDepth).run();
      }
    }
  }
};

} // namespace
