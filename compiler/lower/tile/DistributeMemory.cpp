//===- DistributeMemory.cpp - what each lane makes, loads and stores --------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/vk/VkDialect.h"
#include "compiler/lower/tile/TilePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

namespace {

/// The number of element (lane, 0), and for each register what it adds to it by XOR. Where
/// registers and lanes have no bit in common this is a sum.
struct DistributeRange final : OpConversionPattern<tile::RangeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::RangeOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    if (!type.getElementType().isInteger(32))
      return op.emitOpError() << "makes i32 on lanes, not " << type.getElementType();
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

/// So many registers of a lane, from each multiple of it on, are neighbours in memory, aligned as
/// one access, and share their mask: what the access says, as far as the layout holds them so.
static uint64_t neighbours(Operation *op, const LinearLayout &layout) {
  auto hint = op->getAttrOfType<IntegerAttr>(tile::neighboursAttrName);
  bool hasBase = llvm::any_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>);
  if (!hint || !hasBase)
    return 1; // addresses are accessed one by one
  unsigned bits = 0;
  for (const tile::Space &dimension : layout.outputs())
    bits = std::max(bits, tile::contiguousBits(layout, tile::registerSpace, dimension.name));
  return std::min(static_cast<uint64_t>(hint.getInt()), uint64_t(1) << bits);
}

static VectorType rowOf(uint64_t count, Type element) {
  return VectorType::get({static_cast<int64_t>(count)}, element);
}

static IntegerAttr alignmentOf(Builder &b, uint64_t count, Type element) {
  return b.getI64IntegerAttr(static_cast<int64_t>(count * tile::storedBytes(element)));
}

struct DistributeLoad final : OpConversionPattern<tile::LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::LoadOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getResult().getType();
    LaneCode code = laneCode(rewriter, op, layoutOf(type));
    Registers offsets = code.unpack(adaptor.getOffsets()), masks, others, loaded;
    if (adaptor.getMask())
      masks = code.unpack(adaptor.getMask());
    if (adaptor.getOther())
      others = code.unpack(adaptor.getOther());
    else if (!masks.empty())
      others.assign(offsets.size(),
                    arith::ConstantOp::create(code.b, code.b.getZeroAttr(type.getElementType())));
    uint64_t count = neighbours(op, layoutOf(type));
    for (size_t reg = 0; reg < offsets.size(); reg += count) {
      if (masks.empty()) {
        Value value = load(code, adaptor.getBase(), offsets[reg], count, type.getElementType());
        append(code, loaded, value);
        continue;
      }
      Value other = count == 1 ? others[reg] : code.pack(ArrayRef(others).slice(reg, count));
      auto guarded = scf::IfOp::create(code.b, other.getType(), masks[reg],
                                       /*withElseRegion=*/true);
      for (bool isLoaded : {true, false}) {
        OpBuilder::InsertionGuard guard(code.b);
        code.b.setInsertionPointToStart(isLoaded ? guarded.thenBlock() : guarded.elseBlock());
        scf::YieldOp::create(code.b, isLoaded ? load(code, adaptor.getBase(), offsets[reg], count,
                                                     type.getElementType())
                                              : other);
      }
      append(code, loaded, guarded.getResult(0));
    }
    rewriter.replaceOp(op, code.pack(loaded));
    return success();
  }

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
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(tile::StoreOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &layout = layoutOf(op.getValue().getType());
    LaneCode code = laneCode(rewriter, op, layout);
    Registers values = code.unpack(adaptor.getValue()), offsets = code.unpack(adaptor.getOffsets()),
              masks;
    if (adaptor.getMask())
      masks = code.unpack(adaptor.getMask());
    Condition original =
        code.isOriginal(copiesIn(layout, tile::laneSpace), copiesIn(layout, tile::subgroupSpace));
    uint64_t registerCopies = copiesIn(layout, tile::registerSpace);
    uint64_t count = neighbours(op, layout); // no copies: they are different elements
    for (uint64_t reg = 0; reg < values.size(); reg += count) {
      if (reg & registerCopies)
        continue;
      OpBuilder::InsertionGuard guard(code.b);
      if (Value mask = code.onceWhere(original, masks, reg)) {
        auto guarded = scf::IfOp::create(code.b, mask, /*withElseRegion=*/false);
        code.b.setInsertionPointToStart(guarded.thenBlock());
      }
      auto [memory, index] =
          placeOf(code.b, op.getLoc(), adaptor.getBase(), offsets[reg], values[reg].getType());
      if (count == 1) {
        memref::StoreOp::create(code.b, values[reg], memory, index);
        continue;
      }
      auto stored = vector::StoreOp::create(code.b, code.pack(ArrayRef(values).slice(reg, count)),
                                            memory, index);
      stored.setAlignmentAttr(alignmentOf(code.b, count, values[reg].getType()));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void pumice::lower::tiles::addMemoryPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns) {
  patterns
      .add<DistributeRange, DistributeSplat, DistributeUnsplat, DistributeLoad, DistributeStore>(
          types, patterns.getContext());
}
