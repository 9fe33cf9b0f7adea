//===- SplitDimensions.cpp - shapes with small blocks for large tensors -----===//
//   before: %u = tile.reshape %t : (tensor<16x16x8x8xf32, #l>) -> tensor<16384xf32, #k>
//           %i = tile.range 0 to 16384 : tensor<16384xi32, #k>    (#k: blocks of 128 registers)
//           tile.store %u to %y at %i : …
//   after:  %u = tile.reshape %t : (tensor<16x16x8x8xf32, #l>) -> tensor<16x128x8xf32, #m>
//           %i = (range 0 to 16) * 1024 + (range 0 to 128) * 8 + range 0 to 8, each broadcast
//           tile.store %u to %y at %i : …                         (#m: blocks of one)
//
// Needs: nothing. Leaves: tiles.
//===-------------------------------------------------------------------------===//
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/loops/Slices.h"

#include "compiler/dialect/tile/TileDialect.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Iterators.h"

#include <bit>

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_SPLITDIMENSIONS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

/// Returns whether an operation handles each element separately, regardless of the dimensions.
static bool worksElementByElement(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op) ||
         isa<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, tile::AtomicCasOp,
             tile::ConvertLayoutOp, tile::AnyHeldOp>(op);
}

static RankedTensorType reshaped(Type type, ArrayRef<uint64_t> shape) {
  return tile::tensorOf(getElementTypeOrSelf(type), tile::reshape(layoutOf(type), shape).value());
}

static Value constant(OpBuilder &b, Location loc, RankedTensorType type, int64_t value) {
  Attribute number = b.getIntegerAttr(type.getElementType(), value);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, number));
}

namespace {

class Splitter {
public:
  explicit Splitter(uint64_t registers) : registers(registers) {}

  void run(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [number, type] : llvm::enumerate(loop.getResultTypes()))
        if (Sizes shape = neededShape(type); !shape.empty())
          carry(loop, static_cast<unsigned>(number), shape);
    } else if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      if (!neededShape(reduce->getOperand(0).getType()).empty())
        combine(reduce);
    } else if (worksElementByElement(op)) {
      SmallVector<Type> types(op->getOperandTypes());
      llvm::append_range(types, op->getResultTypes());
      if (Sizes shape = neededShape(types); !shape.empty())
        rewrite(op, shape);
    }
  }

  /// Merges reshapes of reshapes, and erases operations whose results have no users.
  static void clean(Operation *func) {
    func->walk([](tile::ReshapeOp op) {
      while (auto before = op.getTensor().getDefiningOp<tile::ReshapeOp>())
        op.getTensorMutable().assign(before.getTensor());
      if (op.getTensor().getType() == op.getType())
        op.replaceAllUsesWith(op.getTensor());
    });
    func->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

private:
  /// Returns the shape that gives tensors of these types small blocks. Returns no sizes if they
  /// have small blocks already, or if no other shape helps.
  Sizes neededShape(TypeRange types) const {
    SmallVector<LinearLayout> layouts;
    for (Type type : types)
      if (tile::isDistributed(type))
        layouts.push_back(layoutOf(type));
    if (layouts.empty() || llvm::none_of(layouts, [&](const LinearLayout &layout) {
          return registersIn(layout, smallestSlice(layout)) > registers;
        }))
      return {};
    Sizes shape = splitShape(layouts);
    return shape.size() > layouts.front().outputs().size() ? shape : Sizes();
  }

  /// Changes the shape of `value`. Its users get a reshape to the old shape.
  static void change(Value value, ArrayRef<uint64_t> shape) {
    Type type = value.getType();
    value.setType(reshaped(type, shape));
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    auto back = tile::ReshapeOp::create(b, value.getLoc(), type, value);
    value.replaceAllUsesExcept(back, back);
  }

  void carry(scf::ForOp loop, unsigned number, ArrayRef<uint64_t> shape) {
    OpOperand &first = loop.getInitArgsMutable()[number];
    first.set(split(first.get(), shape));
    OpOperand &next = loop.getBody()->getTerminator()->getOpOperand(number);
    next.set(split(next.get(), shape));
    change(loop.getRegionIterArg(number), shape);
    change(loop.getResult(number), shape);
  }

  /// Reorders the elements of the reduced dimension: those in different registers come first. This
  /// is allowed because a reduction combines elements in any order.
  static void combine(tile::ReduceOp op) {
    LinearLayout layout = layoutOf(op->getOperand(0).getType());
    unsigned axis = op.getAxis();
    SmallVector<Piece> pieces = piecesOf(layout, axis);
    if (pieces.size() < 2 || (pieces.size() == 2 && pieces[0].isRegisters))
      return;
    Sizes parts, shape = shapeOf(layout);
    SmallVector<int32_t> order;
    for (unsigned d = 0; d < shape.size(); ++d)
      if (d != axis) {
        parts.push_back(shape[d]);
        order.push_back(static_cast<int32_t>(d < axis ? d : d + pieces.size() - 1));
      } else {
        for (bool registers : {true, false})
          for (auto [i, piece] : llvm::enumerate(pieces))
            if (piece.isRegisters == registers)
              order.push_back(static_cast<int32_t>(axis + i));
        for (const Piece &piece : pieces)
          parts.push_back(uint64_t(1) << piece.bits);
      }
    OpBuilder b(op);
    Location loc = op.getLoc();
    for (OpOperand &operand : op->getOpOperands()) {
      Type element = getElementTypeOrSelf(operand.get().getType());
      Value apart =
          tile::ReshapeOp::create(b, loc, reshaped(operand.get().getType(), parts), operand.get());
      SmallVector<unsigned> numbers(order.begin(), order.end());
      LinearLayout sorted = tile::transpose(layoutOf(apart.getType()), numbers).value();
      Value inOrder = tile::TransOp::create(b, loc, tile::tensorOf(element, sorted), apart, order);
      operand.set(tile::ReshapeOp::create(b, loc, reshaped(inOrder.getType(), shape), inOrder));
    }
  }

  void rewrite(Operation *op, ArrayRef<uint64_t> shape) {
    OpBuilder b(op);
    IRMapping map;
    for (Value operand : op->getOperands())
      if (tile::isDistributed(operand.getType()) && !map.contains(operand))
        map.map(operand, split(operand, shape));
    Operation *copy = op->clone(map);
    b.insert(copy);
    op->replaceAllUsesWith(copy);
    op->erase();
    for (Value result : copy->getResults())
      if (tile::isDistributed(result.getType()))
        change(result, shape);
  }

  /// Returns the value in another shape. It is computed once, right after the value.
  Value split(Value value, ArrayRef<uint64_t> shape) {
    RankedTensorType type = reshaped(value.getType(), shape);
    Value &known = parts[{value, type}];
    if (!known) {
      OpBuilder b(value.getContext());
      b.setInsertionPointAfterValue(value);
      known = make(b, value, type);
    }
    return known;
  }

  static Value make(OpBuilder &b, Value value, RankedTensorType type) {
    Location loc = value.getLoc();
    Operation *def = value.getDefiningOp();
    if (auto range = dyn_cast_or_null<tile::RangeOp>(def))
      return rangeOf(b, range, type);
    if (auto splat = dyn_cast_or_null<tile::SplatOp>(def))
      return tile::SplatOp::create(b, loc, type, splat.getValue());
    if (isa_and_nonnull<ub::PoisonOp>(def))
      return ub::PoisonOp::create(b, loc, type);
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(def))
      if (auto same = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(
            b, loc, DenseElementsAttr::get(type, same.getSplatValue<Attribute>()));
    if (auto reshape = dyn_cast_or_null<tile::ReshapeOp>(def))
      value = reshape->getOperand(0);
    return b.createOrFold<tile::ReshapeOp>(loc, type, value);
  }

  /// Replaces a range by a sum of ranges, one for each dimension and multiplied by the dimension's
  /// stride.
  static Value rangeOf(OpBuilder &b, tile::RangeOp op, RankedTensorType type) {
    Location loc = op.getLoc();
    const LinearLayout &layout = layoutOf(type);
    unsigned rank = static_cast<unsigned>(layout.outputs().size());
    Value sum;
    int64_t distance = 1;
    for (unsigned d = rank; d-- > 0;) {
      LinearLayout own = layout;
      for (unsigned axis = 0; axis < rank; ++axis)
        if (axis != d)
          own = tile::collapse(own, axis).value();
      own = tile::withoutFreeRegisters(own).value();
      int64_t size = type.getDimSize(d);
      own = tile::reshape(own, std::vector<uint64_t>{static_cast<uint64_t>(size)}).value();
      int32_t start = d == rank - 1 ? static_cast<int32_t>(op.getStart()) : 0;
      RankedTensorType rangeType = tile::tensorOf(type.getElementType(), own);
      Value range =
          tile::RangeOp::create(b, loc, rangeType, start, start + static_cast<int32_t>(size));
      if (distance != 1)
        range = arith::MulIOp::create(b, loc, range, constant(b, loc, rangeType, distance));
      for (unsigned axis = 0; axis < rank; ++axis)
        if (axis != d) {
          own = tile::expandDims(own, axis).value();
          range = tile::ExpandDimsOp::create(b, loc, tile::tensorOf(type.getElementType(), own),
                                             range, axis);
        }
      range = tile::BroadcastOp::create(b, loc, type, range);
      sum = sum ? arith::AddIOp::create(b, loc, range, sum).getResult() : range;
      distance *= size;
    }
    return sum;
  }

  uint64_t registers;
  llvm::DenseMap<std::pair<Value, Type>, Value> parts;
};

struct SplitDimensions final : tiles::impl::SplitDimensionsBase<SplitDimensions> {
  using SplitDimensionsBase::SplitDimensionsBase;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (multipliesFragments(func))
        continue; // fragments live in registers, and loops carry them unchanged
      SmallVector<Operation *> found;
      func.walk([&](Operation *op) { found.push_back(op); });
      Splitter splitter(registers);
      for (Operation *op : found)
        splitter.run(op);
      Splitter::clean(func);
    }
  }
};

} // namespace
