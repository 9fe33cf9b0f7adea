//===- Fragments.cpp - keeps tensors, and computes their blocks -------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

//===-------------------------------------------------------------------------===//
// Loops
//===-------------------------------------------------------------------------===//

/// Returns the block that one iteration handles. It is at least as large as `smallest`.
Sizes FragmentLoops::grownBlocks(const tile::LinearLayout &layout, const Sizes &smallest) const {
  uint64_t registers = limits.unrolled;
  while (limits.turns && registers < mostRegistersInSlice &&
         registerCount(layout) > registers * limits.turns)
    registers *= 2;
  return grow(layout, smallest, registers, /*balanced=*/false);
}

Site FragmentLoops::siteAt(Emission &e, OpBuilder builder, const Frame &frame, size_t item) const {
  return Site(e.block, item, frame, builder);
}

//===-------------------------------------------------------------------------===//
// Arrays
//===-------------------------------------------------------------------------===//

Value FragmentLoops::newArray(Value value) {
  OpBuilder b = OpBuilder::atBlockBegin(&func.getBody().front());
  Type element = getElementTypeOrSelf(value.getType());
  if (element.isInteger(1))
    element = b.getI8Type();
  int64_t count = int64_t(1) << layoutOf(value.getType()).input(tile::registerSpace).bits;
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Private);
  auto type = MemRefType::get({count}, element, MemRefLayoutAttrInterface(), space);
  return allArrays.emplace_back(memref::AllocaOp::create(b, value.getLoc(), type));
}

/// Returns the array that keeps the value, and stores the value in it. If a loop computes the
/// value, the store is in that loop. Otherwise it follows the operation that computes the value.
Value FragmentLoops::arrayOf(Value value) {
  if (Value known = arrays.lookup(value))
    return known;
  Operation *def = value.getDefiningOp();
  if (def && isRenamed(def))
    return arrays[value] = arrayOf(def->getOperand(0));
  Value array;
  for (Emission *e : llvm::reverse(emissions))
    if (!array)
      array = e->targets.lookup(value);
  if (!array)
    array = newArray(value);
  auto type = cast<RankedTensorType>(value.getType());
  if (Site *site = def ? sites.lookup(def) : nullptr) {
    Frame frame = frameOf(def, site->frame);
    Value part = slice(value, frame, *site);
    storeBlock(site->builder, value.getLoc(), part, array, type, frame);
  } else {
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    storeBlock(b, value.getLoc(), whole(value, b), array, type, wholeFrame(value));
  }
  return arrays[value] = array;
}

static SmallVector<unsigned> dimensionsOf(RankedTensorType type) {
  return llvm::to_vector(llvm::seq<unsigned>(0, static_cast<unsigned>(type.getRank())));
}

/// Returns the smallest blocks of a tensor that all have the same layout, or nothing if it has no
/// such blocks.
static std::optional<Sizes> blocksAlike(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  const tile::LinearLayout &layout = layoutOf(type);
  Sizes sizes = smallestSlice(layout);
  if (!growToFit(tensor, llvm::to_vector(llvm::seq<int>(0, static_cast<int>(type.getRank()))),
                 shapeOf(layout), sizes))
    return std::nullopt;
  return sliceOf(layout, sizes).isOk() ? std::optional(sizes) : std::nullopt;
}

std::optional<Sizes> pumice::lower::tiles::blocksOf(Value tensor) {
  std::optional<Sizes> sizes = blocksAlike(tensor);
  bool isSmall = sizes && registersIn(layoutOf(tensor.getType()), *sizes) <= mostRegistersInSlice;
  return isSmall ? sizes : std::nullopt;
}

Frame FragmentLoops::loopOver(Value tensor, ImplicitLocOpBuilder &b) {
  auto type = cast<RankedTensorType>(tensor.getType());
  const tile::LinearLayout &layout = layoutOf(type);
  Sizes sizes = grownBlocks(layout, *blocksAlike(tensor));
  return makeNest(b, b.getLoc(), shapeOf(layout), sizes, dimensionsOf(type)).frame;
}

/// Makes a loop that copies all of `value` to an array.
void FragmentLoops::copy(Emission &e, Value value, Value array, size_t item, uint64_t behind) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!blocksAlike(value))
    return storeBlock(e.builder, value.getLoc(), whole(value, e.builder), array, type,
                      wholeFrame(value), behind);
  OpBuilder::InsertionGuard guard(e.builder);
  ImplicitLocOpBuilder b(value.getLoc(), e.builder);
  Frame frame = loopOver(value, b);
  Site site = siteAt(e, b, frame, item);
  Value part = slice(value, frame, site);
  storeBlock(site.builder, value.getLoc(), part, array, type, frame, behind);
}

/// Makes a loop that copies one array to another.
void FragmentLoops::move(OpBuilder &b, Location loc, RankedTensorType type, Value from, Value to) {
  const tile::LinearLayout &layout = layoutOf(type);
  Sizes sizes = grownBlocks(layout, smallestSlice(layout));
  OpBuilder::InsertionGuard guard(b);
  Frame frame = makeNest(b, loc, shapeOf(layout), sizes, dimensionsOf(type)).frame;
  storeBlock(b, loc, loadBlock(b, loc, from, type, frame), to, type, frame);
}

//===-------------------------------------------------------------------------===//
// Blocks of values
//===-------------------------------------------------------------------------===//

/// Returns whether the value itself exists in the emitted code. This excludes values of loops,
/// values computed on demand, and values kept in arrays.
bool FragmentLoops::isDirect(Value value) const {
  Operation *def = value.getDefiningOp();
  return !arrays.contains(value) &&
         !(def && (sites.contains(def) || isOnDemand(def) || isRenamed(def)));
}

static Sizes sizesOfOperand(Operation *op, Value operand, ArrayRef<uint64_t> sizes) {
  return tile::isDistributed(operand.getType()) ? ofOperand<uint64_t>(op, operand, sizes, 1, 2)
                                                : Sizes();
}

static bool fits(Value value, ArrayRef<uint64_t> sizes) {
  if (!tile::isDistributed(value.getType()))
    return true;
  if (!sliceOf(layoutOf(value.getType()), sizes).isOk())
    return false;
  Operation *def = value.getDefiningOp();
  if (!def || !isOnDemand(def))
    return true;
  if (isa<tile::JoinOp>(def) && sizes.back() != 2)
    return false;
  return llvm::all_of(def->getOperands(), [&](Value operand) {
    return fits(operand, sizesOfOperand(def, operand, sizes));
  });
}

ArrayRef<Access> FragmentLoops::accessesOf(const Site &site) const {
  return (*llvm::find_if(emissions, [&](Emission *e) { return e->block == site.source; }))
      ->schedule.accesses;
}

/// Returns the bytes of the whole tensor that one lane holds.
static uint64_t bytesOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return tile::storedBytes(type.getElementType()) << layoutOf(type).input(tile::registerSpace).bits;
}

/// Returns whether loading this block again gives the values that the original load gave. No write
/// since then may have changed them. `isTurns` means that the block belongs to the current
/// iteration. The site's loop may then store to the same places later in this iteration.
bool FragmentLoops::isAsMade(tile::LoadOp load, bool isTurns, const Site &site) const {
  const Site &made = *sites.lookup(load);
  return llvm::none_of(accessesOf(site), [&](const Access &access) {
    if (!access.writes || access.item < made.item || access.item > site.item)
      return false;
    bool isKept =
        access.item == site.item && mayShareLoop(load, access.op, limits) &&
        (isOtherMemory(load, access.op, limits) || (isTurns && !site.stored.contains(access.op)));
    return !isKept;
  });
}

/// Returns whether computing a block again is cheaper than keeping it, and gives the same result.
/// Inputs that are small enough may be kept in arrays instead. `isTurns` means that the block
/// belongs to the current iteration of the site's loop.
bool FragmentLoops::canRepeat(Value value, ArrayRef<uint64_t> sizes, bool isTurns, const Site &site,
                              RepeatBudget &budget) const {
  if (!tile::isDistributed(value.getType()))
    return true;
  if (!fits(value, sizes))
    return false;
  if (arrays.contains(value) || isDirect(value))
    return !changing.contains(value);
  Operation *def = value.getDefiningOp();
  if (budget.operations-- == 0 || isRenamed(def))
    return false;
  if (!isOnDemand(def) && !isCheap(def)) {
    auto load = dyn_cast<tile::LoadOp>(def);
    if (sites.lookup(def)->source != site.source || !load || def->hasAttr("volatile")) {
      uint64_t bytes = bytesOf(value);
      bool isLess = bytes <= budget.kept;
      budget.kept -= isLess ? bytes : 0;
      return isLess;
    }
    if (!isAsMade(load, isTurns, site))
      return false;
  }
  return llvm::all_of(def->getOperands(), [&](Value operand) {
    return canRepeat(operand, sizesOfOperand(def, operand, sizes), isTurns && !isView(def), site,
                     budget);
  });
}

Value FragmentLoops::slice(Value value, const Frame &frame, Site &site) {
  if (!tile::isDistributed(value.getType()))
    return value;
  for (auto &[known, part] : site.known[value])
    if (known == frame)
      return part;
  Value part = makeSlice(value, frame, site);
  site.known[value].push_back({frame, part});
  return part;
}

Value FragmentLoops::makeSlice(Value value, const Frame &frame, Site &site) {
  Operation *def = value.getDefiningOp();
  if (!arrays.contains(value)) {
    if (isDirect(value)) {
      if (frame == wholeFrame(value))
        return value;
    } else if (isRenamed(def)) {
      return sliceRenamed(cast<tile::ReshapeOp>(def), frame, site);
    } else if (auto reduction = dyn_cast<tile::ReduceOp>(def);
               reduction && sites.lookup(def) == &site) {
      reduce(site, reduction);
      return slice(value, frame, site);
    } else {
      RepeatBudget budget{32, bytesOf(value) / 2};
      if (isOnDemand(def) || sites.lookup(def) == &site ||
          canRepeat(value, frame.sizes, frame == site.frame, site, budget))
        return cloneSlice(def, frame, site, cast<OpResult>(value).getResultNumber());
    }
  }
  Value array = arrayOf(value);
  return loadBlock(site.builder, value.getLoc(), array, cast<RankedTensorType>(value.getType()),
                   frame);
}

static Value rangeSlice(tile::RangeOp op, RankedTensorType type, const Frame &frame, OpBuilder &b) {
  int32_t start = static_cast<int32_t>(op.getStart());
  Value range = tile::RangeOp::create(b, op.getLoc(), type, start,
                                      start + static_cast<int32_t>(frame.sizes[0]));
  if (!frame.starts[0])
    return range;
  Value first = tile::SplatOp::create(b, op.getLoc(), type, frame.starts[0]);
  return arith::AddIOp::create(b, op.getLoc(), range, first);
}

/// Returns the dimension along which consecutive registers of a lane hold consecutive elements.
static std::optional<unsigned> rowOf(const tile::LinearLayout &layout) {
  for (unsigned d = 0; d < layout.outputs().size(); ++d)
    if (tile::contiguousBits(layout, tile::registerSpace, tile::dimensionName(d)) > 0)
      return d;
  return std::nullopt;
}

/// Removes the `neighbours` attribute from the access of a block if it does not hold for the block.
/// Elements are neighbours in memory along one dimension. If a block has only one element along it,
/// its registers follow another dimension.
static void keepNeighbours(Operation *whole, Operation *part) {
  auto rowIn = [](Operation *op) {
    Value places = isa<tile::LoadOp>(op) ? cast<tile::LoadOp>(op).getOffsets()
                                         : cast<tile::StoreOp>(op).getOffsets();
    return rowOf(layoutOf(places.getType()));
  };
  if (part->hasAttr(tile::neighboursAttrName) && rowIn(whole) != rowIn(part))
    part->removeAttr(tile::neighboursAttrName);
}

Value FragmentLoops::cloneSlice(Operation *op, const Frame &frame, Site &site, unsigned result) {
  OpBuilder &b = site.builder;
  auto operand = [&](Value value) {
    if (!tile::isDistributed(value.getType()))
      return value;
    return slice(value,
                 {sizesOfOperand(op, value, frame.sizes),
                  ofOperand<Value>(op, value, frame.starts, Value(), Value())},
                 site);
  };
  SmallVector<Value> operands = llvm::map_to_vector(op->getOperands(), operand);
  IRMapping map;
  map.map(op->getOperands(), operands);
  if (op->getNumResults() == 0) {
    keepNeighbours(op, b.clone(*op, map));
    return {};
  }
  RankedTensorType type = sliceType(op->getResult(0).getType(), frame.sizes);
  if (auto range = dyn_cast<tile::RangeOp>(op))
    return rangeSlice(range, type, frame, b);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return arith::ConstantOp::create(
        b, op->getLoc(),
        DenseElementsAttr::get(
            type, cast<SplatElementsAttr>(constant.getValue()).getSplatValue<Attribute>()));
  if (isa<tile::BroadcastOp>(op) && operands[0].getType() == type)
    return operands[0];
  Operation *copy = op->clone(map);
  b.insert(copy);
  keepNeighbours(op, copy);
  for (auto [whole, part] : llvm::zip_equal(op->getResults(), copy->getResults())) {
    part.setType(sliceType(whole.getType(), frame.sizes));
    if (whole.getResultNumber() != result)
      site.known[whole].push_back({frame, part});
  }
  return copy->getResult(result);
}

Value FragmentLoops::whole(Value value, OpBuilder &b) {
  if (!tile::isDistributed(value.getType()) || isDirect(value))
    return value;
  Operation *def = value.getDefiningOp();
  if (arrays.contains(value) || !isOnDemand(def))
    return loadBlock(b, value.getLoc(), arrayOf(value), cast<RankedTensorType>(value.getType()),
                     wholeFrame(value));
  IRMapping map;
  for (Value operand : def->getOperands())
    map.map(operand, whole(operand, b));
  return b.clone(*def, map)->getResult(cast<OpResult>(value).getResultNumber());
}
