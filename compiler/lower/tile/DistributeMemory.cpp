//===- DistributeMemory.cpp - ranges, loads and stores of each lane ---------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/FirstLane.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <span>

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

static uint64_t copiesIn(const LinearLayout &layout, std::string_view name) {
  std::vector<uint64_t> unused = tile::freeBits(layout);
  for (size_t i = 0; i < unused.size(); ++i)
    if (layout.inputs()[i].name == name)
      return unused[i];
  return 0;
}

std::pair<Value, Value> pumice::lower::tiles::placeOf(OpBuilder &b, Location loc, Value base,
                                                      Value offset, Type element) {
  if (base)
    return {base, arith::IndexCastOp::create(b, loc, b.getIndexType(), offset)};
  auto memory = MemRefType::get({ShapedType::kDynamic}, element);
  return {vk::AtAddressOp::create(b, loc, memory, offset),
          arith::ConstantIndexOp::create(b, loc, 0)};
}

uint64_t pumice::lower::tiles::registersAtOnce(Operation *op, const LinearLayout &layout) {
  auto hint = op->getAttrOfType<IntegerAttr>(tile::neighboursAttrName);
  bool hasBase = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
  if (!hint || !hasBase)
    return 1; // elements at addresses are accessed one by one
  unsigned bits = 0;
  for (const tile::Space &dimension : layout.outputs())
    bits = std::max(bits, tile::contiguousBits(layout, tile::registerSpace, dimension.name));
  return std::min(static_cast<uint64_t>(hint.getInt()), uint64_t(1) << bits);
}

namespace {

/// Computes an element from its coordinate. A coordinate combines a number that depends on the lane
/// and subgroup with a constant for the register. They are added if they have no bit in common, and
/// otherwise combined by XOR.
struct DistributeRange final : OpConversionPattern<tile::RangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::RangeOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    if (!type.getElementType().isInteger(32))
      return op.emitOpError() << "needs elements of i32 to be distributed to lanes, got "
                              << type.getElementType();
    const LinearLayout &layout = layoutOf(type);
    LaneCode code = laneCode(rewriter, op, layout);
    Registers registers;
    Value start = code.constant(static_cast<uint64_t>(int64_t(op.getStart())));
    for (uint64_t reg = 0; reg < registerCount(layout); ++reg)
      registers.push_back(
          arith::AddIOp::create(code.b, code.place(layout, tile::dimensionName(0), reg), start));
    rewriter.replaceOp(op, code.pack(registers));
    return success();
  }
};

struct DistributeSplat final : OpConversionPattern<tile::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = getTypeConverter()->convertType(op.getResult().getType());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, adaptor.getValue());
    return success();
  }
};

struct DistributeUnsplat final : OpConversionPattern<tile::UnsplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::UnsplatOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, layoutOf(op.getTensor().getType()));
    rewriter.replaceOp(op, code.unpack(adaptor.getTensor())[0]);
    return success();
  }
};

struct DistributeAnyHeld final : OpConversionPattern<tile::AnyHeldOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::AnyHeldOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, layoutOf(op.getTensor().getType()));
    Registers held = code.unpack(adaptor.getTensor());
    Value any = held.front();
    for (Value each : ArrayRef(held).drop_front())
      any = arith::OrIOp::create(code.b, any, each);
    rewriter.replaceOp(op, any);
    return success();
  }
};

static VectorType rowOf(uint64_t count, Type element) {
  return VectorType::get({static_cast<int64_t>(count)}, element);
}

static IntegerAttr alignmentOf(Builder &b, uint64_t count, Type element) {
  return b.getI64IntegerAttr(static_cast<int64_t>(count * tile::storedBytes(element)));
}

/// Returns the dimension along which the lanes of a register hold neighbours, if there is one.
static std::optional<tile::Field> dimensionOfLanes(const LinearLayout &layout) {
  for (const tile::Space &dimension : layout.outputs())
    if (tile::contiguousBits(layout, tile::laneSpace, dimension.name) ==
        layout.input(tile::laneSpace).bits)
      return layout.output(dimension.name);
  return std::nullopt;
}

/// A group of neighbours along the dimension of the lanes.
struct Neighbours {
  std::span<const uint64_t> registers;
  tile::Field along;
  uint64_t bits = 0; // of the numbers of registers; they choose a register in the group

  Neighbours(const LinearLayout &layout, tile::Field along, uint64_t count)
      : registers(layout.columns(tile::registerSpace)), along(along) {
    for (auto [bit, image] : llvm::enumerate(registers))
      if (image == along.at(along.of(image)) && along.of(image) < count)
        bits |= uint64_t(1) << bit;
  }
  uint64_t first(uint64_t reg) const { return reg & ~bits; }
  int64_t distanceFromFirst(uint64_t reg) const { return coordinate(reg) - coordinate(first(reg)); }

private:
  int64_t coordinate(uint64_t reg) const {
    uint64_t place = 0;
    for (auto [bit, image] : llvm::enumerate(registers))
      place ^= reg & uint64_t(1) << bit ? along.of(image) : 0;
    return static_cast<int64_t>(place);
  }
};

/// Returns the offsets of an access. If neighbours are known to access a row of memory, or one
/// element, the offsets show that.
static Registers offsetsOf(LaneCode &code, Operation *op, const LinearLayout &layout,
                           Value offsets) {
  auto inRow = op->getAttrOfType<IntegerAttr>(tile::lanesInRowAttrName),
       samePlace = op->getAttrOfType<IntegerAttr>(tile::samePlaceAttrName);
  std::optional<tile::Field> along = inRow || samePlace ? dimensionOfLanes(layout) : std::nullopt;
  if (!along)
    return code.unpack(offsets);
  Neighbours group(layout, *along, static_cast<uint64_t>((inRow ? inRow : samePlace).getInt()));
  FirstLane firstLane(code);
  Registers registers;
  for (uint64_t reg = 0; reg < registerCount(layout); ++reg) {
    Value offset = firstLane.of(offsets, group.first(reg));
    if (inRow)
      offset = code.countFrom(offset, group.distanceFromFirst(reg));
    registers.push_back(offset);
  }
  return registers;
}

/// Returns the conjunction of all masks of the accesses. Returns null if testing it gains nothing.
static Value isInterior(LaneCode &code, bool asksForInterior, ArrayRef<Value> masks,
                        uint64_t count) {
  if (!asksForInterior || masks.size() < 2 * count)
    return {};
  Value all = masks[0];
  for (size_t reg = count; reg < masks.size(); reg += count)
    all = arith::AndIOp::create(code.b, all, masks[reg]);
  return all;
}

struct DistributeLoad final : OpConversionPattern<tile::LoadOp> {
  DistributeLoad(const TypeConverter &types, MLIRContext *context, bool asksForInterior)
      : OpConversionPattern(types, context), asksForInterior(asksForInterior) {}

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    LaneCode code = laneCode(rewriter, op, layoutOf(type));
    Registers offsets = offsetsOf(code, op, layoutOf(type), adaptor.getOffsets()), masks, others;
    if (adaptor.getMask())
      masks = code.unpack(adaptor.getMask());
    if (adaptor.getOther())
      others = code.unpack(adaptor.getOther());
    else if (!masks.empty())
      others.assign(offsets.size(),
                    arith::ConstantOp::create(code.b, code.b.getZeroAttr(type.getElementType())));
    uint64_t count = registersAtOnce(op, layoutOf(type));
    auto piece = op->getAttrOfType<DenseI32ArrayAttr>(prefetchedAttrName);
    auto loadAt = [&](size_t reg) {
      Value value = load(code, adaptor.getBase(), offsets[reg], count, type.getElementType());
      if (piece && masks.empty())
        value.getDefiningOp()->setAttr(prefetchedAttrName, pieceOf(code.b, op, piece, reg));
      return value;
    };
    auto loadAll = [&] {
      Registers values;
      for (size_t reg = 0; reg < offsets.size(); reg += count)
        append(code, values, loadAt(reg));
      return asBits(code, code.pack(values));
    };
    auto loadWhereMasked = [&] {
      Registers values;
      for (size_t reg = 0; reg < offsets.size(); reg += count) {
        Value other = count == 1 ? others[reg] : code.pack(ArrayRef(others).slice(reg, count));
        Value value = either(
            code, bitsOf(other.getType()), masks[reg], [&] { return asBits(code, loadAt(reg)); },
            [&] { return asBits(code, other); }, op);
        append(code, values, value);
      }
      return code.pack(values);
    };
    Value all = isInterior(code, asksForInterior, masks, count);
    VectorType whole = rowOf(offsets.size(), type.getElementType());
    bool isVolatile = op->hasAttr("volatile");
    if (isVolatile) {
      op->getParentOfType<gpu::GPUFuncOp>()->setAttr(lower::coherentMemoryAttrName,
                                                     code.b.getUnitAttr());
      vk::MemoryBarrierOp::create(code.b);
    }
    Value values = masks.empty() ? loadAll()
                   : all         ? either(code, bitsOf(whole), all, loadAll, loadWhereMasked, op)
                                 : loadWhereMasked();
    if (values.getType() != whole)
      values = arith::BitcastOp::create(code.b, whole, values);
    if (isVolatile) // later reads must not move before a volatile load, which may wait for a flag
      vk::MemoryBarrierOp::create(code.b);
    rewriter.replaceOp(op, values);
    return success();
  }

  /// Returns the number of a pipelined load, and the piece to which a register's access belongs.
  static Attribute pieceOf(Builder &b, tile::LoadOp op, DenseI32ArrayAttr load, size_t reg) {
    std::optional<uint64_t> piece = pieceOfRegister(
        layoutOf(op.getResult().getType()), tile::dimensionName(static_cast<unsigned>(load[1])),
        reg, static_cast<uint64_t>(load[2]));
    return b.getDenseI32ArrayAttr({load[0], piece ? static_cast<int32_t>(*piece) : -1});
  }

  /// Returns the type in which values leave branches. A type that no target computes with is passed
  /// as bits, since a wider number would take twice the registers.
  static Type bitsOf(Type type) {
    if (!getElementTypeOrSelf(type).isBF16())
      return type;
    Type bits = IntegerType::get(type.getContext(), 16);
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(bits) : bits;
  }
  static Value asBits(LaneCode &code, Value value) {
    Type bits = bitsOf(value.getType());
    return bits == value.getType() ? value
                                   : arith::BitcastOp::create(code.b, bits, value).getResult();
  }

  static Value either(LaneCode &code, Type type, Value condition, llvm::function_ref<Value()> yes,
                      llvm::function_ref<Value()> no, tile::LoadOp op) {
    auto sides = scf::IfOp::create(code.b, type, condition, /*withElseRegion=*/true);
    if (auto piece = op->getAttrOfType<DenseI32ArrayAttr>(prefetchedAttrName))
      sides->setAttr(prefetchedAttrName, code.b.getDenseI32ArrayAttr({piece[0], -1}));
    else if (Attribute prefetched = op->getAttr(prefetchedAttrName))
      sides->setAttr(prefetchedAttrName, prefetched);
    for (bool isYes : {true, false}) {
      OpBuilder::InsertionGuard guard(code.b);
      code.b.setInsertionPointToStart(isYes ? sides.thenBlock() : sides.elseBlock());
      Value value = isYes ? yes() : no();
      scf::YieldOp::create(code.b, value);
    }
    return sides.getResult(0);
  }

  bool asksForInterior;

  static Value load(LaneCode &code, Value base, Value offset, uint64_t count, Type element) {
    auto [memory, index] = placeOf(code.b, code.b.getLoc(), base, offset, element);
    if (count == 1)
      return memref::LoadOp::create(code.b, memory, index);
    auto loaded = vector::LoadOp::create(code.b, rowOf(count, element), memory, index);
    loaded.setAlignmentAttr(alignmentOf(code.b, count, element));
    return loaded;
  }

  static void append(LaneCode &code, Registers &registers, Value value) {
    if (isa<VectorType>(value.getType()))
      registers.append(code.unpack(value));
    else
      registers.push_back(value);
  }
};

struct DistributeStore final : OpConversionPattern<tile::StoreOp> {
  DistributeStore(const TypeConverter &types, MLIRContext *context, bool asksForInterior)
      : OpConversionPattern(types, context), asksForInterior(asksForInterior) {}

  LogicalResult matchAndRewrite(tile::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(op.getValue().getType());
    LaneCode code = laneCode(rewriter, op, layout);
    Registers values = code.unpack(adaptor.getValue()),
              offsets = offsetsOf(code, op, layout, adaptor.getOffsets()), masks;
    if (adaptor.getMask())
      masks = code.unpack(adaptor.getMask());
    Condition original =
        code.isOriginal(copiesIn(layout, tile::laneSpace), copiesIn(layout, tile::subgroupSpace));
    uint64_t registerCopies = copiesIn(layout, tile::registerSpace);
    uint64_t count =
        registersAtOnce(op, layout); // no copies: these registers hold different elements
    auto storeAll = [&](ArrayRef<Value> masks) {
      for (uint64_t reg = 0; reg < values.size(); reg += count) {
        if (reg & registerCopies)
          continue;
        OpBuilder::InsertionGuard guard(code.b);
        if (Value mask = code.onceWhere(original, masks, reg)) {
          auto guarded = scf::IfOp::create(code.b, mask, /*withElseRegion=*/false);
          code.b.setInsertionPointToStart(guarded.thenBlock());
        }
        store(code, adaptor.getBase(), offsets[reg], ArrayRef(values).slice(reg, count));
      }
    };
    if (Value all = isInterior(code, asksForInterior, masks, count)) {
      auto sides = scf::IfOp::create(code.b, all, /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(code.b);
      code.b.setInsertionPointToStart(sides.thenBlock());
      storeAll({});
      code.b.setInsertionPointToStart(sides.elseBlock());
      storeAll(masks);
    } else {
      storeAll(masks);
    }
    rewriter.eraseOp(op);
    return success();
  }

  static void store(LaneCode &code, Value base, Value offset, ArrayRef<Value> row) {
    Type element = row[0].getType();
    auto [memory, index] = placeOf(code.b, code.b.getLoc(), base, offset, element);
    if (row.size() == 1) {
      memref::StoreOp::create(code.b, row[0], memory, index);
      return;
    }
    auto stored = vector::StoreOp::create(code.b, code.pack(row), memory, index);
    stored.setAlignmentAttr(alignmentOf(code.b, row.size(), element));
  }

  bool asksForInterior;
};

} // namespace

void pumice::lower::tiles::addMemoryPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns, bool asksForInterior) {
  patterns.add<DistributeRange, DistributeSplat, DistributeUnsplat, DistributeAnyHeld>(
      types, patterns.getContext());
  patterns.add<DistributeLoad, DistributeStore>(types, patterns.getContext(), asksForInterior);
}
