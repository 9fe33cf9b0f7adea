//===- Reductions.cpp - reduces dimensions block by block -------------------===//
//   before: %s = tile.reduce %t axis 0 : (tensor<8192xf32, #l>) -> f32 { addf }
//   after:  %p = scf.for … iter_args(%sum = 0) {
//             scf.yield (arith.addf %sum, %block)          : tensor<64xf32, #block>
//           }
//           %s = tile.reduce %p axis 0 : (tensor<64xf32, #block>) -> f32 { addf }
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/loops/FragmentLoops.h"

#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;

/// Returns the neutral element of a combination, if it is a single operation that has one.
static std::optional<TypedAttr> neutralElement(Region &combine) {
  Block &block = combine.front();
  if (block.getNumArguments() != 2 || !llvm::hasSingleElement(block.without_terminator()))
    return std::nullopt;
  Operation &only = block.front();
  bool combinesBoth = only.getNumOperands() == 2 && only.getOperand(0) != only.getOperand(1) &&
                      llvm::all_of(only.getOperands(), [&](Value operand) {
                        return llvm::is_contained(block.getArguments(), operand);
                      });
  if (!combinesBoth || block.getTerminator()->getOperand(0) != only.getResult(0))
    return std::nullopt;
  if (isa<arith::AddFOp>(only)) // a start at +0 would turn a sum of only -0 into +0
    return FloatAttr::get(only.getResult(0).getType(), -0.0);
  return arith::getNeutralElement(&only);
}

SmallVector<Value> FragmentLoops::firstSums(OpBuilder &b, const Group &group, const Frame &frame) {
  SmallVector<Value> sums;
  for (Operation *member : group.ops) {
    if (axisOf(member) != group.axis)
      continue;
    for (Value operand : member->getOperands()) {
      RankedTensorType type = sliceType(operand.getType(), frame.sizes);
      Attribute zero = b.getZeroAttr(type.getElementType());
      if (std::optional<TypedAttr> neutral = neutralElement(member->getRegion(0)))
        zero = *neutral;
      sums.push_back(
          arith::ConstantOp::create(b, member->getLoc(), DenseElementsAttr::get(type, zero)));
    }
  }
  return sums;
}

/// Returns whether the operations of a combination also work element-wise on tensors.
static bool worksOnTensors(Region &region) {
  return llvm::all_of(region.front().without_terminator(), [](Operation &op) {
    return OpTrait::hasElementwiseMappableTraits(&op) || isa<arith::ConstantOp>(op);
  });
}

/// Masks a print in a combination. The first block is combined with nothing, so it must print
/// nothing.
static void printLater(tile::PrintOp op, Value isFirst) {
  OpBuilder b(op);
  Value all = op.getMask();
  for (Value value : op.getValues())
    if (!all && tile::isDistributed(value.getType()))
      all = value;
  Type masks = cast<RankedTensorType>(all.getType()).clone(b.getI1Type());
  Value yes = arith::ConstantOp::create(b, op.getLoc(), b.getBoolAttr(true));
  Value isLater = arith::XOrIOp::create(b, op.getLoc(), isFirst, yes);
  Value mask = tile::SplatOp::create(b, op.getLoc(), masks, isLater);
  if (op.getMask())
    mask = arith::AndIOp::create(b, op.getLoc(), op.getMask(), mask);
  op.getMaskMutable().assign(mask);
}

/// Combines two blocks by scalar code for each element. This is needed for combinations that
/// contain loops or prints.
static SmallVector<Value> combineElements(OpBuilder &b, Region &region, ValueRange first,
                                          ValueRange second, Value isFirst) {
  SmallVector<Value> operands(first);
  llvm::append_range(operands, second);
  auto map = tile::MapOp::create(b, region.getLoc(), first.getTypes(), operands, /*pack=*/1);
  IRMapping same;
  region.cloneInto(&map.getScalar(), same);
  map.walk([&](tile::PrintOp op) { printLater(op, isFirst); });
  SmallVector<Value> combined(map->getResults());
  for (auto [both, alone] : llvm::zip_equal(combined, second))
    both = arith::SelectOp::create(b, both.getLoc(), isFirst, alone, both);
  return combined;
}

SmallVector<Value> pumice::lower::tiles::combineBlocks(OpBuilder &b, Region &region,
                                                       ValueRange first, ValueRange second,
                                                       Value isFirst) {
  if (!worksOnTensors(region))
    return combineElements(b, region, first, second, isFirst);
  Block &block = region.front();
  auto type = cast<RankedTensorType>(first[0].getType());
  IRMapping map;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(),
                       llvm::concat<const Value>(llvm::to_vector(first), llvm::to_vector(second))))
    map.map(argument, value);
  auto asTensor = [&](Value value) -> Value {
    Value here = map.lookupOrDefault(value);
    if (tile::isDistributed(here.getType()))
      return here;
    auto splat = RankedTensorType::get(type.getShape(), here.getType(), type.getEncoding());
    return tile::SplatOp::create(b, value.getLoc(), splat, here);
  };
  for (Operation &op : block.without_terminator()) {
    if (op.getNumOperands() == 0) {
      b.clone(op, map);
      continue;
    }
    IRMapping operands;
    for (Value operand : op.getOperands())
      operands.map(operand, asTensor(operand));
    Operation *copy = op.clone(operands);
    for (auto [from, to] : llvm::zip_equal(op.getResults(), copy->getResults())) {
      to.setType(RankedTensorType::get(type.getShape(), from.getType(), type.getEncoding()));
      map.map(from, to);
    }
    b.insert(copy);
  }
  SmallVector<Value> combined = llvm::map_to_vector(block.getTerminator()->getOperands(), asTensor);
  if (!neutralElement(region))
    for (auto [both, alone] : llvm::zip_equal(combined, second))
      both = arith::SelectOp::create(b, both.getLoc(), isFirst, alone, both);
  return combined;
}

void FragmentLoops::combine(Site &site, tile::ReduceOp op, MutableArrayRef<Value> sums,
                            Value isFirst) {
  SmallVector<Value> blocks = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return slice(operand, site.frame, site); });
  llvm::copy(combineBlocks(site.builder, op.getCombine(), sums, blocks, isFirst), sums.begin());
}

Frame pumice::lower::tiles::frameOf(Operation *op, Frame frame) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
    frame.sizes.erase(frame.sizes.begin() + reduce.getAxis());
    frame.starts.erase(frame.starts.begin() + reduce.getAxis());
  }
  return frame;
}

/// Reduces the one block that remains along the dimension.
static SmallVector<Value> reduceBlocks(OpBuilder &b, tile::ReduceOp op, ValueRange operands,
                                       const Frame &frame) {
  unsigned axis = op.getAxis();
  const tile::LinearLayout &block = tile::layoutOf(operands[0].getType());
  SmallVector<Type> types = llvm::map_to_vector(op->getResultTypes(), [&](Type type) -> Type {
    if (!tile::isDistributed(type))
      return type;
    return tile::tensorOf(getElementTypeOrSelf(type), tile::removeDimension(block, axis).value());
  });
  auto rest = tile::ReduceOp::create(b, op.getLoc(), types, operands, axis);
  IRMapping map;
  op.getCombine().cloneInto(&rest.getCombine(), map);
  SmallVector<Value> reduced(rest->getResults());
  // The elements are in the same lanes, but their registers may have another order.
  for (auto [from, to] : llvm::zip_equal(op->getResults(), reduced))
    if (tile::isDistributed(to.getType()))
      if (Type wanted = sliceType(from.getType(), frame.sizes); to.getType() != wanted)
        to = tile::ConvertLayoutOp::create(b, op.getLoc(), wanted, to);
  return reduced;
}

void FragmentLoops::reduce(Site &site, tile::ReduceOp op) {
  SmallVector<Value> blocks = llvm::map_to_vector(
      op.getOperands(), [&](Value operand) { return slice(operand, site.frame, site); });
  Frame frame = frameOf(op, site.frame);
  for (auto [whole, part] :
       llvm::zip_equal(op->getResults(), reduceBlocks(site.builder, op, blocks, frame)))
    site.known[whole].push_back({frame, part});
}

SmallVector<FragmentLoops::AnyHeld> FragmentLoops::beginAnyHeld(OpBuilder &b, const Group &group) {
  SmallVector<AnyHeld> found;
  for (Operation *member : group.ops) {
    auto op = dyn_cast<tile::AnyHeldOp>(member);
    if (!op)
      continue;
    // The result combines all dimensions, but loops carry values along one only. So it is kept in
    // private memory, which later becomes a register.
    OpBuilder first = OpBuilder::atBlockBegin(&func.getBody().front());
    auto space = gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Private);
    auto type = MemRefType::get({1}, b.getI32Type(), MemRefLayoutAttrInterface(), space);
    Value cell = memref::AllocaOp::create(first, op.getLoc(), type);
    Value none = arith::ConstantOp::create(b, op.getLoc(), b.getI32IntegerAttr(0));
    memref::StoreOp::create(b, op.getLoc(), none, cell,
                            arith::ConstantIndexOp::create(b, op.getLoc(), 0).getResult());
    found.push_back({op, cell});
  }
  return found;
}

void FragmentLoops::addAnyHeld(Site &site, AnyHeld any) {
  Value block = slice(any.op->getOperand(0), site.frame, site);
  OpBuilder &b = site.builder;
  Location loc = any.op.getLoc();
  Value here = tile::AnyHeldOp::create(b, loc, b.getI1Type(), block);
  Value place = arith::ConstantIndexOp::create(b, loc, 0);
  Value before = memref::LoadOp::create(b, loc, any.cell, place);
  Value now =
      arith::OrIOp::create(b, loc, before, arith::ExtUIOp::create(b, loc, b.getI32Type(), here));
  memref::StoreOp::create(b, loc, now, any.cell, place);
}

void FragmentLoops::finishAnyHeld(OpBuilder &b, ArrayRef<AnyHeld> all) {
  for (const AnyHeld &any : all) {
    Location loc = any.op->getLoc();
    Value place = arith::ConstantIndexOp::create(b, loc, 0);
    Value found = memref::LoadOp::create(b, loc, any.cell, place);
    Value none = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    any.op->getResult(0).replaceAllUsesWith(
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, found, none));
  }
}

void FragmentLoops::finishReduction(Emission &e, OpBuilder &b, tile::ReduceOp op, const Nest &nest,
                                    ValueRange operands) {
  Frame frame = frameOf(op, nest.frame);
  bool isWhole = llvm::none_of(frame.starts, [](Value start) { return start; });
  for (auto [from, to] : llvm::zip_equal(op->getResults(), reduceBlocks(b, op, operands, frame))) {
    // A reshape of the result refers to registers of an array, so the result must be in an array.
    bool isRenamed =
        llvm::any_of(from.getUsers(), [&](Operation *user) { return isRenaming(user, limits); });
    if (isWhole && !isRenamed) {
      from.replaceAllUsesWith(to);
      continue;
    }
    Value array = e.targets.lookup(from);
    if (!array)
      array = newArray(from);
    storeBlock(b, op.getLoc(), to, array, cast<RankedTensorType>(from.getType()), frame);
    arrays[from] = array;
  }
}
