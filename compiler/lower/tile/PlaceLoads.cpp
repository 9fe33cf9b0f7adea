//===- PlaceLoads.cpp - reports where the values of loads are kept ----------===//
//   before: gpu.func @k(…) { … %v = tile.load … {pumice.load = {number = 0, …}} …
//             tile.array_store %v to %a … }
//   after:  gpu.func @k(…) attributes {pumice.loads = [{array_bytes = 256, registers = 4, …}]} { …
//   }
//
// Needs: NumberLoads, and FuseFragmentLoops, which decides which values are kept. Leaves: unchanged
// code.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/plan/Gather.h"
#include "compiler/lower/tile/FragmentProducts.h"
#include "compiler/lower/tile/LoadPlaces.h"
#include "compiler/lower/tile/Passes.h"
#include "compiler/lower/tile/TilePatterns.h"
#include "compiler/lower/tile/WorkgroupMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/Support/Path.h"

#include <map>

namespace pumice::lower::tiles {
#define GEN_PASS_DEF_PLACELOADS
#include "compiler/lower/tile/Passes.h.inc"
} // namespace pumice::lower::tiles

using namespace mlir;
using namespace pumice;
using namespace pumice::lower::tiles;
using tile::layoutOf;

static constexpr llvm::StringLiteral loadsAttrName = "pumice.loads";

//===-------------------------------------------------------------------------===//
// Writes and reads attributes
//===-------------------------------------------------------------------------===//

static std::string nameOf(Location location) {
  if (auto line = dyn_cast<FileLineColLoc>(location))
    return (llvm::sys::path::filename(line.getFilename()) + ":" + Twine(line.getLine()) + ":" +
            Twine(line.getColumn()))
        .str();
  if (auto named = dyn_cast<NameLoc>(location))
    return nameOf(named.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return nameOf(call.getCallee()) + " called at " + nameOf(call.getCaller());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string name = nameOf(part); name != "-")
        return name;
  return "-";
}

static std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    for (int64_t size : tensor.getShape())
      out << size << "x";
    type = tensor.getElementType();
  }
  out << type;
  return text;
}

static DictionaryAttr toAttribute(Builder &b, const LoadPlace &place) {
  auto number = [&](StringRef name, uint64_t value) {
    return b.getNamedAttr(name, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  auto text = [&](StringRef name, StringRef value) {
    return b.getNamedAttr(name, b.getStringAttr(value));
  };
  SmallVector<NamedAttribute> all{
      text("at", place.location),      text("form", place.form),
      text("type", place.type),        number("elements", place.elements),
      number("at_once", place.atOnce), number("registers", place.registers),
      number("times", place.times)};
  if (place.isAhead)
    all.push_back(b.getNamedAttr("ahead", b.getUnitAttr()));
  if (place.arrayBytes)
    all.push_back(number("array_bytes", place.arrayBytes));
  if (place.workgroupBytes)
    all.push_back(number("workgroup_bytes", place.workgroupBytes));
  if (!place.fragments.empty())
    all.push_back(text("fragments", place.fragments));
  return b.getDictionaryAttr(all);
}

std::vector<LoadPlace> pumice::lower::tiles::takeLoadPlaces(gpu::GPUFuncOp kernel) {
  std::vector<LoadPlace> places;
  auto all = dyn_cast_or_null<ArrayAttr>(kernel->removeAttr(loadsAttrName));
  if (!all)
    return places;
  for (auto one : all.getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef name) {
      auto value = one.getAs<StringAttr>(name);
      return value ? value.str() : std::string();
    };
    auto number = [&](StringRef name) -> uint64_t {
      auto value = one.getAs<IntegerAttr>(name);
      return value ? static_cast<uint64_t>(value.getInt()) : 0;
    };
    places.push_back({text("at"), text("form"), text("type"), number("elements"), number("at_once"),
                      number("registers"), static_cast<unsigned>(number("times")),
                      one.contains("ahead"), number("array_bytes"), number("workgroup_bytes"),
                      text("fragments")});
  }
  return places;
}

//===-------------------------------------------------------------------------===//
// Follows values
//===-------------------------------------------------------------------------===//

/// Returns whether an operation's result holds the operand's values. They may be moved, reshaped,
/// converted, or partly left out.
static bool holdsTheSame(Operation *op) {
  return isa<CastOpInterface, arith::SelectOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::TransOp,
             tile::ReshapeOp, tile::JoinOp, tile::SplitOp, tile::CatOp, tile::ConvertLayoutOp>(op);
}

static bool isOfWorkgroup(Value memory) {
  auto type = memory ? dyn_cast<MemRefType>(memory.getType()) : MemRefType();
  auto space = type ? dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace())
                    : gpu::AddressSpaceAttr();
  return space && space.getValue() == gpu::AddressSpace::Workgroup;
}

/// Returns the range operation that numbers elements along one dimension.
static tile::RangeOp rangeIn(Value numbers) {
  Operation *op = numbers.getDefiningOp();
  if (auto range = dyn_cast_or_null<tile::RangeOp>(op))
    return range;
  if (isa_and_nonnull<arith::AddIOp, tile::ExpandDimsOp, tile::BroadcastOp>(op))
    for (Value operand : op->getOperands())
      if (tile::RangeOp range = rangeIn(operand))
        return range;
  return {};
}

/// Returns the number of a block's elements along one dimension, and how many of them remain after
/// its mask. FuseFragmentLoops stores pieces of a factor with such masks.
static std::pair<uint64_t, uint64_t> leftOf(Value mask) {
  auto limited = mask ? mask.getDefiningOp<arith::CmpIOp>() : arith::CmpIOp();
  auto limit = limited ? limited.getRhs().getDefiningOp<tile::SplatOp>() : tile::SplatOp();
  std::optional<int64_t> most = limit ? getConstantIntValue(limit.getValue()) : std::nullopt;
  tile::RangeOp range = most ? rangeIn(limited.getLhs()) : tile::RangeOp();
  if (!range || limited.getPredicate() != arith::CmpIPredicate::ult)
    return {1, 1};
  return {static_cast<uint64_t>(range.getResult().getType().getNumElements()),
          static_cast<uint64_t>(*most)};
}

/// Returns the number of bytes that a store writes between two barriers, over all iterations of the
/// loops that are between them.
static uint64_t bytesBetweenBarriers(tile::StoreOp store) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  uint64_t bytes =
      static_cast<uint64_t>(type.getNumElements()) * tile::storedBytes(type.getElementType());
  for (Operation *op = store; op && op->getBlock()->getOps<gpu::BarrierOp>().empty();
       op = op->getParentOp()) {
    auto loop = dyn_cast_or_null<scf::ForOp>(op->getParentOp());
    if (std::optional<APInt> turns = loop ? loop.getStaticTripCount() : std::nullopt)
      bytes *= turns->getZExtValue();
    if (isa_and_nonnull<gpu::GPUFuncOp>(op->getParentOp()))
      break;
  }
  auto [count, left] = leftOf(store.getMask());
  return left < count ? bytes / count * left : bytes;
}

namespace {

/// Follows the values of one load to the places that keep them.
class Followed {
public:
  Followed(LoadPlace &place, const tile::WorkgroupMemory &memory) : place(place), memory(memory) {}

  void follow(Value value) {
    if (!seen.insert(value).second)
      return;
    for (OpOperand &use : value.getUses())
      lookAt(use);
  }

private:
  void lookAt(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto kept = dyn_cast<tile::ArrayStoreOp>(op))
      return keep(kept.getArray());
    if (auto store = dyn_cast<tile::StoreOp>(op)) {
      if (store.getValue() == use.get() && isOfWorkgroup(store.getBase()))
        takes(bytesBetweenBarriers(store));
      return;
    }
    if (auto product = dyn_cast<tile::DotOp>(op))
      return multiply(product, use.getOperandNumber());
    if (auto gather = dyn_cast<tile::GatherOp>(op)) {
      if (gather.getSource() == use.get())
        lookUp(gather);
      return;
    }
    if (auto moved = dyn_cast<tile::ConvertLayoutOp>(op))
      move(use.get().getType(), layoutOf(moved.getResult().getType()));
    if (holdsTheSame(op))
      for (Value result : op->getResults())
        follow(result);
    goRound(use);
  }

  /// Follows a value into the variables of loops, and into the results of loops and conditionals.
  void goRound(OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      if (BlockArgument variable = loop.getTiedLoopRegionIterArg(&use)) {
        follow(variable);
        follow(loop.getTiedLoopResult(&use));
      }
    } else if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        follow(loop.getRegionIterArg(use.getOperandNumber()));
      if (isa<scf::ForOp, scf::IfOp>(op->getParentOp()))
        follow(op->getParentOp()->getResult(use.getOperandNumber()));
    }
  }

  void takes(uint64_t bytes) { place.workgroupBytes = std::max(place.workgroupBytes, bytes); }

  void keep(Value array) {
    if (!seen.insert(array).second)
      return;
    auto type = cast<MemRefType>(array.getType());
    place.arrayBytes +=
        static_cast<uint64_t>(type.getNumElements()) * tile::storedBytes(type.getElementType());
    for (Operation *user : array.getUsers())
      if (auto again = dyn_cast<tile::ArrayLoadOp>(user))
        follow(again.getResult());
  }

  void move(Type from, const tile::LinearLayout &to) {
    unsigned bytes = tile::storedBytes(getElementTypeOrSelf(from));
    Result<tile::Conversion> plan = tile::planConversion(layoutOf(from), to, bytes, memory);
    if (plan.isOk() && plan->movement == tile::Movement::Memory)
      takes(plan->trip().bytes);
  }

  void lookUp(tile::GatherOp gather) {
    Result<tile::Gather> plan = tile::planGather(
        layoutOf(gather.getSource().getType()), layoutOf(gather.getResult().getType()),
        gather.getAxis(), tile::storedBytes(gather.getSource().getType().getElementType()), memory);
    if (plan.isOk() && plan->movement == tile::Movement::Memory)
      takes(plan->bytes);
  }

  void multiply(tile::DotOp product, unsigned which) {
    constexpr unsigned accumulator = 2;
    std::optional<tile::ProductFragment> fragment = fragmentOf(product);
    if (which == accumulator) {
      if (fragment && place.fragments.empty())
        place.fragments = "accumulator";
      return;
    }
    Type factor = product->getOperand(which).getType();
    if (!fragment) {
      if (Result<tile::LinearLayout> wanted = factorLayout(product, which); wanted.isOk())
        move(factor, *wanted);
      return;
    }
    StagedProduct plan = planStaging(product, *fragment, bytesForFragments(memory));
    uint64_t first = plan.factors[1].first;
    takes((which ? plan.elements - first : first) *
          tile::storedBytes(getElementTypeOrSelf(factor)));
    place.fragments = "factor";
  }

  LoadPlace &place;
  const tile::WorkgroupMemory &memory;
  llvm::DenseSet<Value> seen;
};

struct PlaceLoads final : lower::tiles::impl::PlaceLoadsBase<PlaceLoads> {
  void runOnOperation() override {
    tile::WorkgroupMemory memory = workgroupMemory(getOperation());
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      place(kernel, memory);
  }

  void place(gpu::GPUFuncOp kernel, const tile::WorkgroupMemory &memory) {
    std::map<int64_t, SmallVector<tile::LoadOp>> loads; // by their number
    kernel.walk([&](tile::LoadOp load) {
      if (auto said = load->getAttrOfType<DictionaryAttr>(tile::loadAttrName))
        if (auto number = said.getAs<IntegerAttr>("number"))
          loads[number.getInt()].push_back(load);
    });
    Builder b(&getContext());
    SmallVector<Attribute> all;
    for (const auto &[number, copies] : loads)
      all.push_back(toAttribute(b, placeOf(copies, memory)));
    if (!all.empty())
      kernel->setAttr(loadsAttrName, b.getArrayAttr(all));
  }

  static LoadPlace placeOf(ArrayRef<tile::LoadOp> copies, const tile::WorkgroupMemory &memory) {
    tile::LoadOp some = copies.front();
    auto said = some->getAttrOfType<DictionaryAttr>(tile::loadAttrName);
    LoadPlace place;
    place.location = nameOf(some.getLoc());
    if (auto form = said.getAs<StringAttr>("form"))
      place.form = form.str();
    Type type = some.getResult().getType();
    if (auto original = said.getAs<TypeAttr>("type"))
      type = original.getValue();
    place.type = nameOf(type);
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      place.elements = static_cast<uint64_t>(tensor.getNumElements());
    // The load before the loop is for the first iteration, and is not counted.
    auto isAhead = [](tile::LoadOp load) {
      return load->hasAttr(prefetchedAttrName) || isLoadedAhead(load);
    };
    auto ahead = static_cast<unsigned>(llvm::count_if(copies, isAhead));
    place.isAhead = ahead != 0;
    place.times = place.isAhead ? ahead : static_cast<unsigned>(copies.size());
    auto lanes = said.getAs<IntegerAttr>("lanes");
    Followed followed(place, memory);
    for (tile::LoadOp load : copies) {
      const tile::LinearLayout &layout = layoutOf(load.getResult().getType());
      place.registers = std::max<uint64_t>(place.registers, registerCount(layout));
      place.atOnce = std::max({place.atOnce, registersAtOnce(load, layout),
                               lanes ? static_cast<uint64_t>(lanes.getInt()) : 1});
      followed.follow(load.getResult());
    }
    return place;
  }
};

} // namespace
