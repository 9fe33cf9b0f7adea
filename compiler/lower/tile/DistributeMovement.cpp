//===- DistributeMovement.cpp - moves elements from lane to lane ------------===//
#include "compiler/dialect/tile/plan/Gather.h"
#include "compiler/dialect/tile/plan/Scan.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupTrips.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

/// One value for each operand of a reduction or scan.
using Operands = SmallVector<Value>;

/// Emits the region for the elements of two places. `first` is the earlier one.
static Operands combineBy(LaneCode &code, Region &region, const Operands &first,
                          const Operands &second) {
  Block &block = region.front();
  IRMapping map;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), llvm::concat<const Value>(first, second)))
    map.map(argument, value);
  for (Operation &op : block.without_terminator())
    code.b.clone(op, map);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return map.lookupOrDefault(value); });
}

/// Unpacks the registers of all operands. The result has, for each register, the list of its values
/// in all operands.
static SmallVector<Operands> unpackAll(LaneCode &code, ValueRange vectors) {
  SmallVector<Operands> registers;
  for (Value vector : vectors)
    for (auto [reg, value] : llvm::enumerate(code.unpack(vector))) {
      if (registers.size() <= reg)
        registers.emplace_back();
      registers[reg].push_back(value);
    }
  return registers;
}

static SmallVector<Value> packAll(LaneCode &code, ArrayRef<Operands> registers) {
  SmallVector<Value> vectors;
  for (size_t i = 0; i < registers[0].size(); ++i)
    vectors.push_back(
        code.pack(llvm::map_to_vector(registers, [&](const Operands &all) { return all[i]; })));
  return vectors;
}

static Operands selectAll(LaneCode &code, const Condition &condition, const Operands &yes,
                          const Operands &no) {
  Operands result;
  for (auto [a, b] : llvm::zip_equal(yes, no))
    result.push_back(code.select(condition, a, b));
  return result;
}

/// Returns the result of `make` if `condition` holds, else `otherwise`. Code without side effects
/// runs unconditionally. Prints and assertions run only if the condition holds.
static Operands makeWhere(LaneCode &code, Region &region, const Condition &condition,
                          llvm::function_ref<Operands()> make, const Operands &otherwise) {
  if (condition.known && !*condition.known)
    return otherwise;
  bool isPure = llvm::all_of(region.front().without_terminator(),
                             [](Operation &op) { return isMemoryEffectFree(&op); });
  if (condition.known || isPure)
    return selectAll(code, condition, make(), otherwise);
  auto guarded = scf::IfOp::create(code.b, ValueRange(otherwise).getTypes(), condition.value,
                                   /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(code.b);
  code.b.setInsertionPointToStart(guarded.thenBlock());
  scf::YieldOp::create(code.b, make());
  code.b.setInsertionPointToStart(guarded.elseBlock());
  scf::YieldOp::create(code.b, otherwise);
  return Operands(guarded.getResults());
}

static Operands shuffleAll(LaneCode &code, const Operands &values, uint64_t laneXor) {
  if (!laneXor)
    return values;
  return llvm::map_to_vector(values, [&](Value value) { return code.shuffleXor(value, laneXor); });
}

/// Combines neighbours first, so that chains of operations are as short as possible.
static Operands combineAll(LaneCode &code, Region &region, ArrayRef<Operands> values) {
  SmallVector<Operands> rest(values);
  for (; rest.size() > 1; rest.truncate(rest.size() / 2))
    for (size_t i = 0; i < rest.size() / 2; ++i)
      rest[i] = combineBy(code, region, rest[2 * i], rest[2 * i + 1]);
  return rest[0];
}

/// Converts the registers of each operand.
template <typename Convert>
static SmallVector<Operands> convertEach(ArrayRef<Operands> registers, Convert convert) {
  SmallVector<Operands> result;
  for (size_t i = 0; i < registers[0].size(); ++i) {
    Registers one = llvm::map_to_vector(registers, [&](const Operands &all) { return all[i]; });
    for (auto [reg, value] : llvm::enumerate(convert(one))) {
      if (result.size() <= reg)
        result.emplace_back();
      result[reg].push_back(value);
    }
  }
  return result;
}

static SmallVector<Operands> convertAll(WorkgroupTrips &trips, const tile::Conversion &plan,
                                        ArrayRef<Operands> registers) {
  return convertEach(registers, [&](const Registers &one) { return trips.convert(plan, one); });
}

static unsigned widestBytes(Operation *op) {
  unsigned bytes = 1;
  for (Type type : op->getOperandTypes())
    bytes = std::max(bytes, tile::storedBytes(getElementTypeOrSelf(type)));
  return bytes;
}

namespace {

struct DistributeConversion final : MovementPattern<tile::ConvertLayoutOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::ConvertLayoutOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const tile::LinearLayout &from = layoutOf(op.getTensor().getType());
    auto plan =
        tile::planConversion(from, layoutOf(op.getResult().getType()), widestBytes(op), memory);
    if (!plan.isOk())
      return refuse(op, plan.status());
    LaneCode code = laneCode(rewriter, op, from);
    WorkgroupTrips trips(code, op);
    rewriter.replaceOp(op, code.pack(trips.convert(*plan, code.unpack(adaptor.getTensor()))));
    return success();
  }
};

struct DistributeReduction final : MovementPattern<tile::ReduceOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::ReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const tile::LinearLayout &layout = layoutOf(op->getOperand(0).getType());
    auto plan = tile::planReduction(layout, op.getAxis(), widestBytes(op), memory);
    if (!plan.isOk())
      return refuse(op, plan.status());
    LaneCode code = laneCode(rewriter, op, layout);
    SmallVector<Operands> source = unpackAll(code, adaptor.getOperands()), reduced;
    for (const std::vector<uint64_t> &group : plan->registers)
      reduced.push_back(
          combineAll(code, op.getCombine(),
                     llvm::map_to_vector(group, [&](uint64_t reg) { return source[reg]; })));
    for (const tile::Reduction::Step &step : plan->steps) {
      SmallVector<Operands> old = reduced;
      for (size_t reg = 0; reg < reduced.size(); ++reg)
        reduced[reg] = combineBy(code, op.getCombine(), old[reg],
                                 shuffleAll(code, old[reg ^ step.registerXor], step.laneXor));
    }
    if (plan->across) {
      WorkgroupTrips trips(code, op);
      SmallVector<Operands> partial = convertAll(trips, plan->across->conversion, reduced);
      for (size_t reg = 0; reg < reduced.size(); ++reg)
        reduced[reg] =
            combineAll(code, op.getCombine(),
                       ArrayRef(partial).slice(reg * plan->partialResults, plan->partialResults));
    }
    bool isScalar = !tile::isDistributed(op->getResult(0).getType());
    rewriter.replaceOp(op, isScalar ? SmallVector<Value>(reduced[0]) : packAll(code, reduced));
    return success();
  }
};

/// The combination of all values that precede a run. The first run has none.
struct Before {
  Condition exists{false, {}};
  Operands values;

  /// Prepends `earlier` to the values if `condition` holds.
  void prepend(LaneCode &code, Region &region, const Condition &condition,
               const Operands &earlier) {
    auto combine = [&] { return combineBy(code, region, earlier, values); };
    auto extend = [&] { return makeWhere(code, region, exists, combine, earlier); };
    values = values.empty() ? earlier : makeWhere(code, region, condition, extend, values);
    exists = code.either(exists, condition);
  }
};

struct DistributeScan final : MovementPattern<tile::ScanOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::ScanOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const tile::LinearLayout &layout = layoutOf(op->getOperand(0).getType());
    auto plan = tile::planScan(layout, op.getAxis(), op.getReverse(), widestBytes(op), memory);
    if (!plan.isOk())
      return refuse(op, plan.status());
    LaneCode code = laneCode(rewriter, op, layout);
    Region &region = op.getCombine();
    SmallVector<Operands> scanned = unpackAll(code, adaptor.getOperands()), totals;
    for (const std::vector<uint64_t> &run : plan->runs) {
      for (size_t i = 1; i < run.size(); ++i)
        scanned[run[i]] = combineBy(code, region, scanned[run[i - 1]], scanned[run[i]]);
      totals.push_back(scanned[run.back()]);
    }
    SmallVector<Before> before(totals.size());
    for (const tile::Scan::Level &level : plan->levels) {
      SmallVector<Operands> old = totals;
      for (size_t run = 0; run < totals.size(); ++run) {
        Operands other = shuffleAll(code, old[run ^ level.runXor], level.laneXor);
        Condition upper = code.holds(level.isUpper, plan->runs[run][0]);
        if (!upper.known || *upper.known)
          before[run].prepend(code, region, upper, other);
        totals[run] = combineInOrder(code, region, upper, other, old[run]);
      }
    }
    if (plan->subgroups)
      prependSubgroups(code, op, *plan, totals, before);
    for (auto [run, earlier] : llvm::zip_equal(plan->runs, before))
      if (!earlier.values.empty())
        for (uint64_t reg : run) {
          auto combine = [&] { return combineBy(code, region, earlier.values, scanned[reg]); };
          scanned[reg] = makeWhere(code, region, earlier.exists, combine, scanned[reg]);
        }
    SmallVector<Operands> result;
    for (uint64_t reg = 0; reg < scanned.size(); ++reg)
      result.push_back(scanned[tile::combine(plan->original, reg)]);
    rewriter.replaceOp(op, packAll(code, result));
    return success();
  }

  /// Makes every lane scan the totals of all blocks to which its runs belong. No total precedes the
  /// first block.
  static void prependSubgroups(LaneCode &code, tile::ScanOp op, const tile::Scan &plan,
                               ArrayRef<Operands> totals, MutableArrayRef<Before> before) {
    const tile::Scan::Subgroups &across = *plan.subgroups;
    WorkgroupTrips trips(code, op);
    SmallVector<Operands> all = convertAll(trips, across.totals.conversion, totals), scanned = all;
    for (size_t first = 0; first < all.size(); first += across.blocks) {
      auto block = [&](size_t i) { return first + (plan.reverse ? across.blocks - 1 - i : i); };
      for (size_t i = 1; i < across.blocks; ++i)
        scanned[block(i)] =
            i == 1 ? all[block(0)]
                   : combineBy(code, op.getCombine(), scanned[block(i - 1)], all[block(i - 1)]);
    }
    SmallVector<Operands> earlier =
        convertEach(scanned, [&](const Registers &one) { return code.exchange(across.pick, one); });
    for (size_t run = 0; run < before.size(); ++run) {
      Condition notFirst{false, {}};
      for (const tile::PlaceBit &bit : across.notFirst)
        notFirst = code.either(notFirst, code.holds(bit, plan.runs[run][0]));
      before[run].prepend(code, op.getCombine(), notFirst, earlier[run]);
    }
  }

  /// Combines a total with that of the neighbouring run. The neighbour comes first if this run is
  /// the upper one.
  static Operands combineInOrder(LaneCode &code, Region &region, const Condition &isUpper,
                                 const Operands &other, const Operands &own) {
    if (isUpper.known)
      return *isUpper.known ? combineBy(code, region, other, own)
                            : combineBy(code, region, own, other);
    return combineBy(code, region, selectAll(code, isUpper, other, own),
                     selectAll(code, isUpper, own, other));
  }
};

/// Emits the region once for each group of `pack` registers.
struct DistributeMap final : MovementPattern<tile::MapOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::MapOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LaneCode code = laneCode(rewriter, op, layoutOf(op->getOperand(0).getType()));
    SmallVector<Registers> operands = llvm::map_to_vector(
        adaptor.getOperands(), [&](Value vector) { return code.unpack(vector); });
    SmallVector<Registers> results(op->getNumResults());
    size_t count = operands[0].size(), pack = op.getPack();
    for (size_t first = 0; first < count; first += pack) {
      Operands taken;
      for (const Registers &one : operands)
        for (size_t i = 0; i < pack; ++i)
          taken.push_back(one[(first + i) % count]);
      Operands made = combineBy(code, op.getScalar(), taken, {});
      for (auto [number, result] : llvm::enumerate(results))
        for (size_t i = 0; i < std::min(pack, count); ++i)
          result.push_back(made[number * pack + i]);
    }
    rewriter.replaceOp(
        op, llvm::map_to_vector(results, [&](const Registers &one) { return code.pack(one); }));
    return success();
  }
};

struct DistributeGather final : MovementPattern<tile::GatherOp> {
  using MovementPattern::MovementPattern;

  LogicalResult matchAndRewrite(tile::GatherOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    const tile::LinearLayout &layout = layoutOf(op.getResult().getType());
    auto plan =
        tile::planGather(layoutOf(op.getSource().getType()), layout, op.getAxis(),
                         tile::storedBytes(op.getSource().getType().getElementType()), memory);
    if (!plan.isOk())
      return refuse(op, plan.status());
    if (!op.getIndices().getType().getElementType().isInteger(32))
      return op.emitOpError() << "needs indices of i32 to be distributed to lanes, got "
                              << op.getIndices().getType().getElementType();
    LaneCode code = laneCode(rewriter, op, layout);
    Registers source = code.unpack(adaptor.getSource()), result;
    Registers indices = code.unpack(adaptor.getIndices());
    WorkgroupTrips trips(code, op);
    if (plan->movement == tile::Movement::Memory)
      result = trips.read(plan->store, source, placesInMemory(code, *plan, indices));
    else
      for (auto [reg, index] : llvm::enumerate(indices))
        result.push_back(lookUp(code, *plan, source, reg, index));
    rewriter.replaceOp(op, code.pack(result));
    return success();
  }

  static Registers placesInMemory(LaneCode &code, const tile::Gather &plan,
                                  const Registers &indices) {
    Registers places;
    for (auto [reg, index] : llvm::enumerate(indices))
      places.push_back(part(code, plan, tile::offsetSpace,
                            plan.places(plan.places.input(tile::registerSpace).at(reg)), index));
    return places;
  }

  static Value lookUp(LaneCode &code, const tile::Gather &plan, const Registers &source,
                      uint64_t reg, Value index) {
    uint64_t place = plan.places(plan.places.input(tile::registerSpace).at(reg));
    Value lane = part(code, plan, tile::laneSpace, place, index);
    Value wanted = part(code, plan, tile::registerSpace, place, index);
    uint64_t first = plan.places.output(tile::registerSpace).of(place);
    Value found;
    for (uint64_t i = 0; i < plan.lookups(); ++i) {
      uint64_t candidate = first ^ tile::combine(plan.candidates, i);
      Value value = source[candidate];
      if (plan.movement == tile::Movement::Shuffles)
        value = code.shuffleFrom(value, lane);
      Value isIt =
          arith::CmpIOp::create(code.b, arith::CmpIPredicate::eq, wanted, code.constant(candidate));
      found = found ? arith::SelectOp::create(code.b, isIt, value, found).getResult() : value;
    }
    return found;
  }

  /// Returns the coordinate `which` of the place to read: a register, a lane or an offset. It is
  /// computed from the lane, the index and the result's register.
  static Value part(LaneCode &code, const tile::Gather &plan, std::string_view which,
                    uint64_t place, Value index) {
    Field of = plan.places.output(which);
    auto columns = [&](std::string_view name) {
      std::vector<uint64_t> result;
      for (uint64_t image : plan.places.columns(name))
        result.push_back(of.of(image));
      return result;
    };
    Value number = code.number({columns(tile::laneSpace), columns(tile::subgroupSpace)});
    Value ofIndex = code.linear(index, columns(tile::indexSpace));
    number = arith::XOrIOp::create(code.b, number, ofIndex);
    return arith::XOrIOp::create(code.b, number, code.constant(of.of(place)));
  }
  using Field = tile::Field;
};

} // namespace

void pumice::lower::tiles::addMovementPatterns(const TypeConverter &types,
                                               RewritePatternSet &patterns,
                                               const tile::WorkgroupMemory &memory) {
  patterns.add<DistributeConversion, DistributeReduction, DistributeScan, DistributeMap,
               DistributeGather>(types, patterns.getContext(), memory);
}
