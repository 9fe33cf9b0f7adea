//===- Accesses.cpp - which memory accesses may be reordered ----------------===//
#include "compiler/lower/tile/loops/Accesses.h"

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/lower/tile/loops/Schedule.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

static Value rootOf(Value memory) {
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    memory = view.getViewSource();
  return memory;
}

static std::pair<Value, Value> placeOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return {load.getBase(), load.getOffsets()};
  auto store = cast<tile::StoreOp>(op);
  return {store.getBase(), store.getOffsets()};
}

static bool isVolatile(Operation *op) { return op->hasAttr("volatile"); }

/// Returns the constant that all elements are equal to, if they are equal to one.
static std::optional<int64_t> numberOf(Value numbers) {
  Operation *op = numbers.getDefiningOp();
  if (isa_and_nonnull<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp>(op))
    return numberOf(op->getOperand(0));
  return getConstantIntValue(numbers);
}

/// The difference between numbers that are neighbours along a dimension. 0 means that they are
/// equal. Nothing means that the difference is known only at launch.
using Step = std::optional<int64_t>;

static Step combined(Operation *op, Step a, Step b) {
  if (!a || !b)
    return std::nullopt;
  int64_t result;
  bool isTooFar = isa<arith::SubIOp>(op) ? llvm::SubOverflow(*a, *b, result)
                                         : llvm::AddOverflow(*a, *b, result);
  return isTooFar ? std::nullopt : Step(result);
}

/// Returns the steps of numbers after a multiplication by a factor. Unless the factor is constant,
/// steps other than 0 are unknown.
static SmallVector<Step> multiplied(ArrayRef<Step> steps, std::optional<int64_t> factor) {
  return llvm::map_to_vector(steps, [&](Step step) -> Step {
    if (step == Step(0))
      return 0;
    int64_t result;
    if (!step || !factor || llvm::MulOverflow(*step, *factor, result))
      return std::nullopt;
    return result;
  });
}

static SmallVector<Step> productOf(ArrayRef<Step> a, Value valueA, ArrayRef<Step> b, Value valueB) {
  if (std::optional<int64_t> factor = numberOf(valueB))
    return multiplied(a, factor);
  if (std::optional<int64_t> factor = numberOf(valueA))
    return multiplied(b, factor);
  SmallVector<Step> result;
  for (auto [stepA, stepB] : llvm::zip_equal(a, b))
    result.push_back(stepA == Step(0) && stepB == Step(0) ? Step(0) : std::nullopt);
  return result;
}

static std::optional<int64_t> powerOfTwo(Value exponent) {
  std::optional<int64_t> bits = numberOf(exponent);
  return bits && *bits >= 0 && *bits < 63 ? std::optional(int64_t(1) << *bits) : std::nullopt;
}

/// Returns how numbers grow along each dimension. Returns nothing for computations that it does not
/// know, since distant elements may then have the same number.
static std::optional<SmallVector<Step>> stepsOf(Value numbers) {
  auto type = dyn_cast<RankedTensorType>(numbers.getType());
  if (!type)
    return SmallVector<Step>();
  Operation *op = numbers.getDefiningOp();
  if (isa_and_nonnull<tile::RangeOp>(op))
    return SmallVector<Step>(1, 1);
  auto rank = static_cast<size_t>(type.getRank());
  if (isa_and_nonnull<tile::SplatOp, arith::ConstantOp>(op))
    return SmallVector<Step>(rank, 0);
  if (!isa_and_nonnull<tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp, arith::AddIOp,
                       arith::SubIOp, arith::MulIOp, arith::ShLIOp, arith::ExtSIOp, arith::ExtUIOp,
                       arith::TruncIOp>(op))
    return std::nullopt;
  std::optional<SmallVector<Step>> first = stepsOf(op->getOperand(0));
  if (!first)
    return std::nullopt;
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    first->insert(first->begin() + expand.getAxis(), Step(0));
  } else if (auto trans = dyn_cast<tile::TransOp>(op)) {
    return llvm::map_to_vector(trans.getOrder(),
                               [&](auto from) { return (*first)[static_cast<size_t>(from)]; });
  } else if (isa<arith::ShLIOp>(op)) {
    return multiplied(*first, powerOfTwo(op->getOperand(1)));
  } else if (op->getNumOperands() == 2) {
    std::optional<SmallVector<Step>> second = stepsOf(op->getOperand(1));
    if (!second)
      return std::nullopt;
    if (isa<arith::MulIOp>(op))
      return productOf(*first, op->getOperand(0), *second, op->getOperand(1));
    for (auto [a, b] : llvm::zip_equal(*first, *second))
      a = combined(op, a, b);
  }
  return first;
}

/// Returns whether all elements of a block have different places. A constant stride must exceed the
/// distance that smaller strides cover. Strides known only at launch are assumed to do this, as
/// they do in usual code.
static bool haveOwnPlaces(Value places) {
  auto type = dyn_cast<RankedTensorType>(places.getType());
  std::optional<SmallVector<Step>> steps = stepsOf(places);
  if (!type || !steps)
    return false;
  SmallVector<std::pair<uint64_t, uint64_t>>
      known; // the stride of each dimension, and its number of steps
  for (auto [size, step] : llvm::zip_equal(type.getShape(), *steps))
    if (size > 1 && step)
      known.push_back({*step < 0 ? 0 - static_cast<uint64_t>(*step) : static_cast<uint64_t>(*step),
                       static_cast<uint64_t>(size - 1)});
  llvm::sort(known);
  uint64_t covered = 0;
  for (auto [step, count] : known) {
    if (step <= covered)
      return false;
    covered = llvm::SaturatingMultiplyAdd(step, count, covered);
  }
  return true;
}

bool pumice::lower::tiles::mayShareLoop(Operation *a, Operation *b, const LoopLimits &limits) {
  if (!isa<tile::LoadOp, tile::StoreOp>(a) || !isa<tile::LoadOp, tile::StoreOp>(b) ||
      isVolatile(a) || isVolatile(b))
    return false;
  auto [baseA, placeA] = placeOf(a);
  auto [baseB, placeB] = placeOf(b);
  if (!baseA || !baseB)
    return false;
  return isOtherMemory(a, b, limits) ||
         (baseA == baseB && placeA == placeB && haveOwnPlaces(placeA));
}

bool pumice::lower::tiles::isOtherMemory(Operation *a, Operation *b, const LoopLimits &limits) {
  return !limits.overlap && rootOf(placeOf(a).first) != rootOf(placeOf(b).first);
}

bool pumice::lower::tiles::accessesMemory(Operation *op) {
  return isa<tile::LoadOp, tile::StoreOp>(op) || isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) ||
         !isMemoryEffectFree(op);
}

bool pumice::lower::tiles::writesMemory(Operation *op) {
  if (isa<tile::LoadOp, memref::LoadOp>(op))
    return isVolatile(op);
  if (op->getNumRegions() == 0)
    return !isMemoryEffectFree(op);
  WalkResult walked = op->walk([&](Operation *inner) {
    bool writes = inner->getNumRegions() == 0 && writesMemory(inner);
    return writes ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}
