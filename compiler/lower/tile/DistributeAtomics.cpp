//===- DistributeAtomics.cpp - atomic updates by lanes ----------------------===//
//   before: %old = tile.atomic_rmw "add" "acq_rel" %v to %x at %i : … -> tensor<16xi32, #l>
//   after:  for each register: memref.atomic_rmw addi %v0, %x[%i0] {pumice.acquire_release}
//
// If several lanes hold an element, one of them updates it. If the result is used, the other lanes
// get it through workgroup memory. An update that orders other accesses does so for all lanes of
// the program. They wait for each other before and after it, so that a lock is released only when
// all lanes have written.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/lower/structure/KernelInterface.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupTrips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;
using tile::LinearLayout;

static arith::AtomicRMWKind kindOf(StringRef name) {
  return llvm::StringSwitch<arith::AtomicRMWKind>(name)
      .Case("add", arith::AtomicRMWKind::addi)
      .Case("fadd", arith::AtomicRMWKind::addf)
      .Case("and", arith::AtomicRMWKind::andi)
      .Case("or", arith::AtomicRMWKind::ori)
      .Case("xor", arith::AtomicRMWKind::xori)
      .Case("smax", arith::AtomicRMWKind::maxs)
      .Case("smin", arith::AtomicRMWKind::mins)
      .Case("umax", arith::AtomicRMWKind::maxu)
      .Case("umin", arith::AtomicRMWKind::minu)
      .Default(arith::AtomicRMWKind::assign);
}

/// Returns the memory and the index in it of an element that is updated. Atomic operations work on
/// whole words. An element at an address may be inside a word, so its memory begins at the start of
/// that word.
static std::pair<Value, Value> placeOfUpdate(OpBuilder &b, Location loc, Value base, Value offset,
                                             Type element) {
  constexpr unsigned wordBytes = 4;
  unsigned bytes = element.getIntOrFloatBitWidth() / 8;
  if (base || bytes >= wordBytes)
    return placeOf(b, loc, base, offset, element);
  auto number = [&](int64_t value) {
    return arith::ConstantIntOp::create(b, loc, offset.getType(), value);
  };
  Value within = arith::AndIOp::create(b, loc, offset, number(wordBytes - 1));
  Value word = arith::SubIOp::create(b, loc, offset, within);
  Value index = arith::ShRUIOp::create(b, loc, within, number(llvm::Log2_32(bytes)));
  return {placeOf(b, loc, base, word, element).first,
          arith::IndexCastOp::create(b, loc, b.getIndexType(), index)};
}

namespace {

/// The code that rmw and cas share. It updates each element once, and copies the result to the
/// other holders of the element.
template <typename Op> struct DistributeAtomic : MovementPattern<Op> {
  using MovementPattern<Op>::MovementPattern;
  using Adaptor = typename Op::Adaptor;

  /// Emits the update of register `reg` at `index` of `memory`.
  virtual Value update(LaneCode &code, Op op, Adaptor adaptor, size_t reg, Value memory,
                       Value index) const = 0;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType type = op.getOld().getType();
    const LinearLayout &layout = layoutOf(type);
    LaneCode code = laneCode(rewriter, op, layout);
    std::vector<uint64_t> copies = tile::freeBits(layout);
    Condition original = code.isOriginal(copies[1], copies[2]);
    Registers offsets = code.unpack(adaptor.getOffsets()), masks, old;
    if (adaptor.getMask())
      masks = code.unpack(adaptor.getMask());
    Value zero = arith::ConstantOp::create(code.b, code.b.getZeroAttr(type.getElementType()));
    bool ordersOthers = op.getOrder() != "relaxed" && (copies[1] || copies[2]);
    if (ordersOthers)
      op->template getParentOfType<gpu::GPUFuncOp>()->setAttr(lower::coherentMemoryAttrName,
                                                              code.b.getUnitAttr());
    if (ordersOthers && op.getOrder() != "acquire")
      gpu::BarrierOp::create(code.b);
    for (uint64_t reg = 0; reg < offsets.size(); ++reg) {
      Value mask = code.onceWhere(original, masks, reg);
      old.push_back(reg & copies[0] ? Value()
                                    : guarded(code, op, adaptor, reg, offsets[reg], mask, zero));
    }
    if (!op.getOld().use_empty()) // sharing the result waits in any case
      return share(rewriter, code, op, layout, std::move(old), copies);
    if (ordersOthers && op.getOrder() != "release")
      gpu::BarrierOp::create(code.b);
    return rewriter.eraseOp(op), success();
  }

private:
  Value guarded(LaneCode &code, Op op, Adaptor adaptor, uint64_t reg, Value offset, Value mask,
                Value zero) const {
    auto here = [&] {
      auto [memory, index] =
          placeOfUpdate(code.b, op.getLoc(), adaptor.getBase(), offset, zero.getType());
      return update(code, op, adaptor, reg, memory, index);
    };
    if (!mask)
      return here();
    auto choice = scf::IfOp::create(code.b, zero.getType(), mask, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(choice.thenBlock());
    scf::YieldOp::create(code.b, here());
    code.b.setInsertionPointToStart(choice.elseBlock());
    scf::YieldOp::create(code.b, zero);
    return choice.getResult(0);
  }

  LogicalResult share(ConversionPatternRewriter &rewriter, LaneCode &code, Op op,
                      const LinearLayout &layout, Registers old,
                      const std::vector<uint64_t> &copies) const {
    tile::BitSpan held(layout.columns(tile::registerSpace));
    for (uint64_t reg = 0; reg < old.size(); ++reg)
      if (!old[reg])
        old[reg] =
            old[held.express(tile::combine(layout.columns(tile::registerSpace), reg)).value_or(0)];
    if (copies[1] || copies[2]) {
      unsigned bytes = tile::storedBytes(op.getOld().getType().getElementType());
      auto trip = tile::planMemoryTrip(layout, layout, bytes, this->memory);
      if (!trip.isOk())
        return refuse(op, trip.status());
      WorkgroupTrips trips(code, op);
      old = trips.convert({tile::Movement::Memory, *std::move(trip)}, old);
    }
    rewriter.replaceOp(op, code.pack(old));
    return success();
  }
};

struct DistributeAtomicRmw final : DistributeAtomic<tile::AtomicRmwOp> {
  using DistributeAtomic::DistributeAtomic;

  Value update(LaneCode &code, tile::AtomicRmwOp op, OpAdaptor adaptor, size_t reg, Value memory,
               Value index) const override {
    Value value = code.unpack(adaptor.getValue())[reg];
    auto made = memref::AtomicRMWOp::create(code.b, kindOf(op.getKind()), value, memory, index);
    if (op.getOrder() != "relaxed")
      made->setAttr("pumice.acquire_release", code.b.getUnitAttr());
    return made;
  }
};

struct DistributeAtomicCas final : DistributeAtomic<tile::AtomicCasOp> {
  using DistributeAtomic::DistributeAtomic;

  Value update(LaneCode &code, tile::AtomicCasOp op, OpAdaptor adaptor, size_t reg, Value memory,
               Value index) const override {
    Value compare = code.unpack(adaptor.getCompare())[reg];
    Value value = code.unpack(adaptor.getValue())[reg];
    auto made = memref::GenericAtomicRMWOp::create(code.b, memory, index);
    Value found = made.getCurrentValue();
    OpBuilder::InsertionGuard guard(code.b);
    code.b.setInsertionPointToStart(made.getBody());
    // Compares bits, since other operations may add floats to this memory.
    auto bits = [&](Value value) -> Value {
      Type type = value.getType();
      return type.isInteger()
                 ? value
                 : arith::BitcastOp::create(
                       code.b, code.b.getIntegerType(type.getIntOrFloatBitWidth()), value);
    };
    Value same =
        arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq, bits(found), bits(compare));
    Value next = arith::SelectOp::create(code.b, same, value, found);
    memref::AtomicYieldOp::create(code.b, next);
    if (op.getOrder() != "relaxed")
      made->setAttr("pumice.acquire_release", code.b.getUnitAttr());
    return made;
  }
};

/// Adds one, in workgroup memory, to the count of the number that each element holds.
struct DistributeHistogram final : MovementPattern<tile::HistogramOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::HistogramOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const LinearLayout &from = layoutOf(op.getTensor().getType());
    const LinearLayout &to = layoutOf(op.getResult().getType());
    auto trip = tile::planMemoryTrip(to, to, sizeof(int32_t), memory);
    if (!trip.isOk())
      return refuse(op, trip.status());
    if (trip->pieces > 1)
      return op.emitOpError() << "counts in " << trip->bytes * trip->pieces
                              << " bytes of workgroup memory; there are " << memory.bytes;
    LaneCode code = laneCode(rewriter, op, from);
    std::vector<uint64_t> copies = tile::freeBits(from);
    Condition original = code.isOriginal(copies[1], copies[2]);
    Registers all = code.unpack(adaptor.getTensor()), masks, values, conditions;
    if (adaptor.getMask())
      masks = code.unpack(adaptor.getMask());
    for (uint64_t reg = 0; reg < all.size(); ++reg) {
      if (reg & copies[0])
        continue;
      values.push_back(all[reg]);
      if (Value mask = code.onceWhere(original, masks, reg))
        conditions.push_back(mask);
    }
    WorkgroupTrips trips(code, op);
    rewriter.replaceOp(op, code.pack(trips.count(*trip, values, conditions)));
    return success();
  }
};

} // namespace

void pumice::lower::tiles::addAtomicPatterns(const TypeConverter &types,
                                             RewritePatternSet &patterns,
                                             const tile::WorkgroupMemory &memory) {
  patterns.add<DistributeAtomicRmw, DistributeAtomicCas, DistributeHistogram>(
      types, patterns.getContext(), memory);
}
