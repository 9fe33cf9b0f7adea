//===- ConvertMemory.cpp - loads, stores, atomics ---------------------------===//
//   before: %v = tt.load %p, %m, %o : tensor<64x!tt.ptr<f32>>
//   after:  %x = memref.reinterpret_cast %base to offset: [%row], … (the uniform offset)
//           %v = tile.load from %x at %i mask %m other %o : … -> tensor<64xf32, #l>
// Loads choose layouts in which lanes follow the dimension that is contiguous in memory. A scalar
// becomes a tensor of one element, which every lane loads and one lane stores.
//===-------------------------------------------------------------------------===//
#include "compiler/dialect/tile/layout/LayoutAlgebra.h"
#include "compiler/dialect/tile/layout/TensorLayout.h"
#include "compiler/import/triton/distribute/Checks.h"
#include "compiler/import/triton/distribute/Converters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace pumice;
using namespace pumice::triton;
using namespace pumice::triton::distribute;

using Like = llvm::function_ref<Type(Type)>;

namespace {

/// The parts of a pointer that an access needs.
struct Place {
  Value memory; // null: offsets are addresses
  TensorRef offsets;
  Type stored; // the type of the elements in memory
};

} // namespace

/// Returns the dimension of a loaded tensor along which a product sums, if it is a factor.
static std::optional<unsigned> depthOf(Value value, unsigned steps = 4) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (auto product = dyn_cast<DotOp>(user); product && use.getOperandNumber() < 2)
      return 1 - use.getOperandNumber();
    bool isSwap = isa<TransOp>(user);
    if (!steps || user->getNumResults() != 1 ||
        !(isSwap || user->hasTrait<OpTrait::Elementwise>() || isa<FpToFpOp>(user)))
      continue;
    if (std::optional<unsigned> depth = depthOf(user->getResult(0), steps - 1))
      return isSwap ? 1 - *depth : *depth;
  }
  return std::nullopt;
}

/// Returns the best layout for an access to memory. If it is the load of a factor that GPUs
/// multiply, `depth` is the dimension along which the product sums.
static FailureOr<Layout> layoutFor(Distribution &d, Location loc, Value pointer,
                                   const Pointer &place, Type stored,
                                   std::optional<unsigned> depth = std::nullopt) {
  if (!place.shape)
    return d.take(loc, oneElement(d.workgroup));
  // Offsets that were loaded, or computed from loaded values, keep the layout of that load.
  if (place.offset && place.offset->home && !hasNeedlessCopies(*place.offset->home))
    return *place.offset->home;
  SmallVector<unsigned> order(place.shape->size());
  std::iota(order.rbegin(), order.rend(), 0u);
  BitFacts facts = d.facts[pointer];
  int64_t unit = tile::storedBytes(stored);
  auto contiguity = [&](unsigned dimension) {
    return facts.shape.size() == order.size() ? facts.contiguity(dimension, unit) : 1;
  };
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::pair(contiguity(a), a) > std::pair(contiguity(b), b);
  });
  uint64_t perLane = 1;
  if (d.workgroup.accessBytes > static_cast<uint64_t>(unit))
    perLane = std::min<uint64_t>(d.workgroup.accessBytes / static_cast<uint64_t>(unit),
                                 static_cast<uint64_t>(contiguity(order.front())));
  // The registers of a lane choose the piece of the depth, so that pieces can be staged one by one.
  // A row of a piece fills two transactions of 32 bytes.
  constexpr uint64_t bytesOfRow = 64;
  uint64_t most = ~uint64_t(0), across = bytesOfRow / static_cast<uint64_t>(unit);
  if (depth == order.front() && place.shape->size() == 2 && across >= perLane &&
      (*place.shape)[1 - *depth] * (across / perLane) >=
          uint64_t(d.workgroup.lanes) * d.workgroup.subgroups)
    most = across;
  return d.take(loc, blockLayout(*place.shape, d.workgroup, order, perLane, most));
}

Value triton::distribute::advance(Distribution &d, Location loc, Value base, Value uniform) {
  if (!uniform || matchPattern(uniform, m_Zero()))
    return base;
  auto layout = StridedLayoutAttr::get(d.b.getContext(), ShapedType::kDynamic, {1});
  auto element = cast<MemRefType>(base.getType()).getElementType();
  auto type = MemRefType::get({ShapedType::kDynamic}, element, layout);
  Value offset = arith::IndexCastOp::create(d.b, loc, d.b.getIndexType(), uniform);
  Value extent = arith::ConstantIndexOp::create(d.b, loc, std::numeric_limits<int32_t>::max());
  return memref::ReinterpretCastOp::create(d.b, loc, type, base, OpFoldResult(offset),
                                           ArrayRef<OpFoldResult>{extent},
                                           ArrayRef<OpFoldResult>{d.b.getIndexAttr(1)});
}

static FailureOr<Place> placeOf(Distribution &d, Location loc, const Pointer &pointer) {
  if (pointer.isPoison) {
    emitError(loc) << "the pointer has no value here; assign it before it is used";
    return failure();
  }
  Place place;
  Shape shape = pointer.shape.value_or(Shape{1});
  if (!pointer.base) {
    Pointer all = pointer;
    all.shape = shape;
    FailureOr<TensorRef> addresses = wholeOffset(d, loc, all);
    if (failed(addresses))
      return failure();
    place.offsets = *addresses;
    place.stored = pointer.pointee.isInteger(1)                ? d.b.getI8Type()
                   : isa<triton::PointerType>(pointer.pointee) ? d.b.getI64Type()
                                                               : pointer.pointee;
    return place;
  }
  place.memory = advance(d, loc, pointer.base, pointer.uniform);
  place.offsets =
      pointer.offset ? pointer.offset : d.splat(loc, shape, d.constant(loc, d.b.getI32Type(), 0));
  place.stored = cast<MemRefType>(pointer.base.getType()).getElementType();
  return place;
}

//===-------------------------------------------------------------------------===//
// Conversions between values and memory
//===-------------------------------------------------------------------------===//

/// Returns a scalar as a tensor of one element.
static TensorRef asTensor(Distribution &d, Location loc, const Distributed &value) {
  if (const auto *scalar = std::get_if<Value>(&value))
    return d.splat(loc, {1}, *scalar);
  return std::get<TensorRef>(value);
}

/// Converts a value to or from its type in memory. Memory stores an i1 as a byte. Other types of
/// the same width have the same bits.
static FailureOr<Distributed> changeType(Distribution &d, Location loc, const Distributed &value,
                                         Type from, Type to) {
  if (from == to)
    return value;
  bool isTruth = to.isInteger(1);
  if (!isTruth && !from.isInteger(1))
    return bitcast(d, loc, value, to);
  auto convert = [loc, to, isTruth](OpBuilder &b, ValueRange v, Like like) {
    Value changed = isTruth ? arith::TruncIOp::create(b, loc, like(to), v[0]).getResult()
                            : arith::ExtUIOp::create(b, loc, like(to), v[0]).getResult();
    return SmallVector<Value>{changed};
  };
  auto results = d.elementwise(loc, value, to, /*isCheap=*/true, convert);
  return failed(results) ? FailureOr<Distributed>() : results->front();
}

/// Returns an operand of an access, converted to the layout of the access, or null if the operand
/// is missing.
static FailureOr<Value> operandIn(Distribution &d, Operation *op, Value value, Type stored,
                                  const Layout &layout) {
  if (!value)
    return Value();
  FailureOr<Distributed> converted;
  if (isa<triton::PointerType>(scalarOf(value.getType()))) {
    Pointer pointer = d.pointer(value);
    if (pointer.base)
      return op->emitError(
          "unsupported pointers as values in memory accesses; pass them as integers");
    converted = addressOf(d, op->getLoc(), pointer);
  } else {
    converted = changeType(d, op->getLoc(), d[value], scalarOf(value.getType()), stored);
  }
  if (failed(converted))
    return failure();
  return d.in(asTensor(d, op->getLoc(), *converted), layout);
}

/// Records the loaded tile as the value of the kernel: a scalar, a tensor, or pointers, which are
/// loaded as addresses.
static LogicalResult setLoaded(Distribution &d, Value result, Value tile) {
  Location loc = result.getLoc();
  Type element = scalarOf(result.getType()),
       stored = cast<RankedTensorType>(tile.getType()).getElementType();
  bool isTensor = isa<RankedTensorType>(result.getType());
  Distributed value = isTensor ? Distributed(d.held(tile))
                               : tile::UnsplatOp::create(d.b, loc, stored, tile).getResult();
  if (auto pointer = dyn_cast<triton::PointerType>(element)) {
    Pointer address{.pointee = pointer.getPointee()};
    if (isTensor) {
      address.offset = std::get<TensorRef>(value);
      address.shape = address.offset->shape;
    } else {
      address.uniform = std::get<Value>(value);
    }
    d.set(result, address);
    return success();
  }
  FailureOr<Distributed> converted = changeType(d, loc, value, stored, element);
  if (succeeded(converted))
    d.set(result, *converted);
  return converted;
}

template <typename Access> static void keepHints(Access from, Operation *to) {
  Builder b(to->getContext());
  CachePolicyAttr policy = cachePolicyOf(from);
  if (policy.getCacheModifier() != CacheModifier::None)
    to->setAttr("cache", b.getStringAttr(stringifyCacheModifier(policy.getCacheModifier())));
  if (policy.getEvictionPolicy() != EvictionPolicy::Normal)
    to->setAttr("eviction", b.getStringAttr(stringifyEvictionPolicy(policy.getEvictionPolicy())));
}

//===-------------------------------------------------------------------------===//
// The accesses
//===-------------------------------------------------------------------------===//

/// Records how many neighbouring registers of a lane one access may cover. They must be contiguous
/// from an aligned place on, and have the same mask.
static void sayNeighbours(Distribution &d, Operation *access, Value pointer, Value mask,
                          const Layout &layout, Type stored) {
  uint64_t unit = tile::storedBytes(stored);
  BitFacts facts = d.facts[pointer];
  if (facts.shape.size() != layout.outputs().size() || d.checks) // a check may mask any element
    return;
  for (unsigned i = 0; i < facts.shape.size(); ++i) {
    uint64_t count =
        uint64_t(1) << tile::contiguousBits(layout, tile::registerSpace, tile::dimensionName(i));
    count = std::min<uint64_t>(count, d.workgroup.accessBytes / unit);
    count = std::min(count, static_cast<uint64_t>(facts.contiguity(i, static_cast<int64_t>(unit))));
    if (mask)
      count = std::min(count, static_cast<uint64_t>(d.facts[mask].constancy(i)));
    for (; count > 1; count /= 2)
      if (facts.alignment(i, static_cast<int64_t>(count)) % static_cast<int64_t>(count * unit) ==
          0) {
        access->setAttr(tile::neighboursAttrName,
                        d.b.getI32IntegerAttr(static_cast<int32_t>(count)));
        return;
      }
  }
}

/// Returns whether a remainder or quotient takes part in the computation of a value.
static bool comesFromDivision(Value value, unsigned steps = 8) {
  Operation *op = value.getDefiningOp();
  if (!op || !steps || isa<LoadOp>(op))
    return false;
  return isa<arith::RemSIOp, arith::RemUIOp, arith::DivSIOp, arith::DivUIOp>(op) ||
         llvm::any_of(op->getOperands(),
                      [&](Value operand) { return comesFromDivision(operand, steps - 1); });
}

/// Records that the lanes of a SIMD register access neighbours, or load one element, if the code of
/// the offsets does not show it. Offsets that are addresses count bytes.
static void sayLanes(Distribution &d, Operation *access, Value pointer, const Place &place,
                     const Layout &layout) {
  BitFacts facts = d.facts[pointer];
  if (!place.memory || d.workgroup.accessBytes || d.workgroup.lanes == 1 || d.checks ||
      facts.shape.size() != layout.outputs().size() || !comesFromDivision(pointer))
    return;
  auto lanes = static_cast<int64_t>(d.workgroup.lanes);
  for (unsigned i = 0; i < facts.shape.size(); ++i) {
    if (int64_t(1) << tile::contiguousBits(layout, tile::laneSpace, tile::dimensionName(i)) !=
        lanes)
      continue;
    int64_t inRow = facts.contiguity(i, tile::storedBytes(place.stored)), same = facts.constancy(i);
    if (inRow >= lanes)
      access->setAttr(tile::lanesInRowAttrName, d.b.getI32IntegerAttr(static_cast<int32_t>(inRow)));
    else if (same >= lanes && isa<tile::LoadOp>(access))
      access->setAttr(tile::samePlaceAttrName, d.b.getI32IntegerAttr(static_cast<int32_t>(same)));
  }
}

/// Keeps the number of the load for statistics. If lanes access memory together, also records how
/// many neighbouring lanes load neighbouring elements.
static void keepNumber(Distribution &d, LoadOp op, tile::LoadOp load, const Layout &layout,
                       Type stored) {
  auto number = op->getAttrOfType<DictionaryAttr>(tile::loadAttrName);
  if (!number)
    return;
  BitFacts facts = d.facts[op.getPointer()];
  int64_t lanes = 1;
  for (unsigned i = 0; i < layout.outputs().size() && i < facts.shape.size(); ++i)
    lanes = std::max(lanes, std::min(facts.contiguity(i, tile::storedBytes(stored)),
                                     int64_t(1) << tile::contiguousBits(layout, tile::laneSpace,
                                                                        tile::dimensionName(i))));
  NamedAttrList all(number);
  if (!d.workgroup.accessBytes)
    all.set("lanes", d.b.getI32IntegerAttr(static_cast<int32_t>(lanes)));
  load->setAttr(tile::loadAttrName, all.getDictionary(d.b.getContext()));
}

/// Emits the checks of an access if the kernel is checked. Returns the mask of the access.
static FailureOr<Value> checked(Distribution &d, Operation *op, Value pointer, const Place &place,
                                const Layout &layout, Value offsets, Value mask) {
  if (!d.checks)
    return mask;
  return d.checks->guard(d, {op, pointer, layout, place.memory, offsets, mask, place.stored});
}

static LogicalResult convertLoad(Distribution &d, LoadOp op) {
  Pointer pointer = d.pointer(op.getPointer());
  FailureOr<Place> place = placeOf(d, op.getLoc(), pointer);
  if (failed(place))
    return failure();
  std::optional<unsigned> depth;
  if (d.target && !d.target->isCpu() && isa<RankedTensorType>(op.getType()) &&
      cast<RankedTensorType>(op.getType()).getRank() == 2)
    if (unsigned products = 0;
        op->getParentOfType<FuncOp>().walk([&](DotOp) { ++products; }),
        products == 1) // pumice-pipeline-products leaves loops with more alone
      depth = depthOf(op.getResult());
  FailureOr<Layout> layout =
      layoutFor(d, op.getLoc(), op.getPointer(), pointer, place->stored, depth);
  if (failed(layout))
    return failure();
  FailureOr<Value> offsets = d.in(place->offsets, *layout),
                   mask = operandIn(d, op, op.getMask(), d.b.getI1Type(), *layout),
                   other = operandIn(d, op, op.getMask() ? op.getOther() : Value(), place->stored,
                                     *layout);
  if (failed(offsets) || failed(mask) || failed(other))
    return failure();
  mask = checked(d, op, op.getPointer(), *place, *layout, *offsets, *mask);
  if (failed(mask))
    return failure();
  auto load = tile::LoadOp::create(d.b, op.getLoc(), tile::tensorOf(place->stored, *layout),
                                   place->memory, *offsets, *mask, *other);
  keepHints(op, load);
  if (op.getIsVolatile())
    load->setAttr("volatile", d.b.getUnitAttr());
  sayNeighbours(d, load, op.getPointer(), op.getMask(), *layout, place->stored);
  sayLanes(d, load, op.getPointer(), *place, *layout);
  keepNumber(d, op, load, *layout, place->stored);
  return setLoaded(d, op.getResult(), load.getResult());
}

/// Returns whether lanes follow the fastest dimension of another layout further than they do in
/// this one.
static bool lanesFollow(const Layout &other, const Layout &layout) {
  for (unsigned i = 0; i < layout.outputs().size(); ++i) {
    unsigned lanes = tile::contiguousBits(other, tile::laneSpace, tile::dimensionName(i));
    if (lanes == other.input(tile::laneSpace).bits &&
        lanes > tile::contiguousBits(layout, tile::laneSpace, tile::dimensionName(i)))
      return true;
  }
  return false;
}

/// Returns the layout for a store. A value without needless copies is stored in the layout in which
/// it is held. The lanes of a SIMD register store their elements together only if these are
/// neighbours, so a transposed value is moved first.
static FailureOr<Layout> layoutForStore(Distribution &d, Location loc, Value pointer,
                                        const Pointer &place, Type stored,
                                        const Distributed &value) {
  const auto *tensor = std::get_if<TensorRef>(&value);
  bool isHeld = tensor && (*tensor)->home && !hasNeedlessCopies(*(*tensor)->home);
  if (isHeld && (d.workgroup.accessBytes || !place.shape || place.shape->size() != 2))
    return *(*tensor)->home;
  FailureOr<Layout> best = layoutFor(d, loc, pointer, place, stored);
  if (isHeld && succeeded(best) && !lanesFollow(*best, *(*tensor)->home))
    return *(*tensor)->home;
  return best;
}

static LogicalResult convertStore(Distribution &d, StoreOp op) {
  Pointer pointer = d.pointer(op.getPointer());
  FailureOr<Place> place = placeOf(d, op.getLoc(), pointer);
  if (failed(place))
    return failure();
  FailureOr<Layout> layout =
      layoutForStore(d, op.getLoc(), op.getPointer(), pointer, place->stored, d[op.getValue()]);
  if (failed(layout))
    return failure();
  FailureOr<Value> value = operandIn(d, op, op.getValue(), place->stored, *layout),
                   offsets = d.in(place->offsets, *layout),
                   mask = operandIn(d, op, op.getMask(), d.b.getI1Type(), *layout);
  if (failed(value) || failed(offsets) || failed(mask))
    return failure();
  mask = checked(d, op, op.getPointer(), *place, *layout, *offsets, *mask);
  if (failed(mask))
    return failure();
  auto store = tile::StoreOp::create(d.b, op.getLoc(), *value, place->memory, *offsets, *mask);
  keepHints(op, store);
  sayNeighbours(d, store, op.getPointer(), op.getMask(), *layout, place->stored);
  sayLanes(d, store, op.getPointer(), *place, *layout);
  if (d.checks)
    d.checks->checkLanes(
        d, {op, op.getPointer(), *layout, place->memory, *offsets, *mask, place->stored}, *value);
  return success();
}

static StringRef kindOf(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Max:
    return "smax";
  case AtomicKind::Min:
    return "smin";
  case AtomicKind::Exchange:
    return "exchange";
  default:
    return stringifyAtomicKind(kind);
  }
}

static LogicalResult convertAtomicRmw(Distribution &d, AtomicRMWOp op) {
  Pointer pointer = d.pointer(op.getPointer());
  FailureOr<Place> place = placeOf(d, op.getLoc(), pointer);
  if (failed(place))
    return failure();
  if (place->stored != scalarOf(op.getType()))
    return op.emitError("unsupported atomic operation on ")
           << scalarOf(op.getType()) << " in memory of " << place->stored
           << "; give the kernel a pointer to " << scalarOf(op.getType());
  FailureOr<Layout> layout =
      layoutForStore(d, op.getLoc(), op.getPointer(), pointer, place->stored, d[op.getValue()]);
  if (failed(layout))
    return failure();
  FailureOr<Value> value = operandIn(d, op, op.getValue(), place->stored, *layout),
                   offsets = d.in(place->offsets, *layout),
                   mask = operandIn(d, op, op.getMask(), d.b.getI1Type(), *layout);
  if (failed(value) || failed(offsets) || failed(mask))
    return failure();
  mask = checked(d, op, op.getPointer(), *place, *layout, *offsets, *mask);
  if (failed(mask))
    return failure();
  auto atomic = tile::AtomicRmwOp::create(d.b, op.getLoc(), value->getType(), kindOf(op.getKind()),
                                          stringifyMemoryOrder(op.getOrder()), *value,
                                          place->memory, *offsets, *mask);
  return setLoaded(d, op.getResult(), atomic.getOld());
}

/// Compares bits. If memory is given by addresses or holds integers, floats are compared as
/// integers.
static LogicalResult convertAtomicCas(Distribution &d, AtomicCASOp op) {
  Pointer pointer = d.pointer(op.getPointer());
  FailureOr<Place> place = placeOf(d, op.getLoc(), pointer);
  if (failed(place))
    return failure();
  if (!place->memory && isa<FloatType>(place->stored))
    place->stored = d.b.getIntegerType(place->stored.getIntOrFloatBitWidth());
  FailureOr<Layout> layout =
      layoutForStore(d, op.getLoc(), op.getPointer(), pointer, place->stored, d[op.getValue()]);
  if (failed(layout))
    return failure();
  FailureOr<Value> expected = operandIn(d, op, op.getExpected(), place->stored, *layout),
                   value = operandIn(d, op, op.getValue(), place->stored, *layout),
                   offsets = d.in(place->offsets, *layout);
  if (failed(expected) || failed(value) || failed(offsets))
    return failure();
  FailureOr<Value> mask = checked(d, op, op.getPointer(), *place, *layout, *offsets, Value());
  if (failed(mask))
    return failure();
  auto atomic = tile::AtomicCasOp::create(d.b, op.getLoc(), value->getType(),
                                          stringifyMemoryOrder(op.getOrder()), *expected, *value,
                                          place->memory, *offsets, *mask);
  return setLoaded(d, op.getResult(), atomic.getOld());
}

/// Loads with a compare-and-swap of zero for zero. It changes nothing, and reads the whole value at
/// once.
static LogicalResult convertAtomicLoad(Distribution &d, AtomicLoadOp op) {
  Location loc = op.getLoc();
  Pointer pointer = d.pointer(op.getPointer());
  FailureOr<Place> place = placeOf(d, loc, pointer);
  if (failed(place))
    return failure();
  if (!place->memory && isa<FloatType>(place->stored))
    place->stored = d.b.getIntegerType(place->stored.getIntOrFloatBitWidth());
  FailureOr<Layout> layout = layoutFor(d, loc, op.getPointer(), pointer, place->stored);
  if (failed(layout))
    return failure();
  TensorRef zeros = d.splat(loc, pointer.shape.value_or(Shape{1}),
                            arith::ConstantOp::create(d.b, loc, d.b.getZeroAttr(place->stored)));
  FailureOr<Value> zero = d.in(zeros, *layout), offsets = d.in(place->offsets, *layout),
                   mask = operandIn(d, op, op.getMask(), d.b.getI1Type(), *layout);
  if (failed(zero) || failed(offsets) || failed(mask))
    return failure();
  mask = checked(d, op, op.getPointer(), *place, *layout, *offsets, *mask);
  if (failed(mask))
    return failure();
  auto atomic =
      tile::AtomicCasOp::create(d.b, loc, zero->getType(), stringifyMemoryOrder(op.getOrder()),
                                *zero, *zero, place->memory, *offsets, *mask);
  return setLoaded(d, op.getResult(), atomic.getOld());
}

/// Stores with an exchange whose result is not used.
static LogicalResult convertAtomicStore(Distribution &d, AtomicStoreOp op) {
  Location loc = op.getLoc();
  Pointer pointer = d.pointer(op.getPointer());
  FailureOr<Place> place = placeOf(d, loc, pointer);
  if (failed(place))
    return failure();
  FailureOr<Layout> layout =
      layoutForStore(d, loc, op.getPointer(), pointer, place->stored, d[op.getValue()]);
  if (failed(layout))
    return failure();
  FailureOr<Value> value = operandIn(d, op, op.getValue(), place->stored, *layout),
                   offsets = d.in(place->offsets, *layout),
                   mask = operandIn(d, op, op.getMask(), d.b.getI1Type(), *layout);
  if (failed(value) || failed(offsets) || failed(mask))
    return failure();
  mask = checked(d, op, op.getPointer(), *place, *layout, *offsets, *mask);
  if (failed(mask))
    return failure();
  tile::AtomicRmwOp::create(d.b, loc, value->getType(), "exchange",
                            stringifyMemoryOrder(op.getOrder()), *value, place->memory, *offsets,
                            *mask);
  return success();
}

LogicalResult triton::distribute::convertMemory(Distribution &d, Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp op) { return convertLoad(d, op); })
      .Case([&](StoreOp op) { return convertStore(d, op); })
      .Case([&](AtomicRMWOp op) { return convertAtomicRmw(d, op); })
      .Case([&](AtomicCASOp op) { return convertAtomicCas(d, op); })
      .Case([&](AtomicLoadOp op) { return convertAtomicLoad(d, op); })
      .Case([&](AtomicStoreOp op) { return convertAtomicStore(d, op); });
}
