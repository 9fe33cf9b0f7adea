//===- Atomics.cpp - atomic operations of a subgroup ------------------------===//
// If all lanes use one address, their values are combined first, and memory is updated once. Each
// lane's old value is then the value in memory combined with the values of the lanes before it.
// Otherwise, the lanes run one after the other. Memory that no other thread accesses needs no
// atomic instructions.
//===-------------------------------------------------------------------------===//
#include "compiler/cpu/simd/Atomics.h"
#include "compiler/cpu/simd/Emitter.h"
#include "compiler/cpu/simd/Exchange.h"
#include "compiler/cpu/simd/Memory.h"
#include "compiler/cpu/simd/Rules.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace pumice;
using namespace pumice::cpu;
using LLVM::AtomicBinOp;
using LLVM::AtomicOrdering;

static AtomicOrdering orderOf(StringRef name) {
  return LLVM::symbolizeAtomicOrdering(name).value_or(AtomicOrdering::seq_cst);
}

/// Returns an order that is valid for a load, which cannot release. The next function does the same
/// for a store, which cannot acquire.
static AtomicOrdering loadOrder(AtomicOrdering order) {
  return order == AtomicOrdering::release   ? AtomicOrdering::monotonic
         : order == AtomicOrdering::acq_rel ? AtomicOrdering::acquire
                                            : order;
}

static AtomicOrdering storeOrder(AtomicOrdering order) {
  return order == AtomicOrdering::acquire   ? AtomicOrdering::monotonic
         : order == AtomicOrdering::acq_rel ? AtomicOrdering::release
                                            : order;
}

static AtomicBinOp instructionOf(StringRef kind) {
  return llvm::StringSwitch<AtomicBinOp>(kind)
      .Case("add", AtomicBinOp::add)
      .Case("sub", AtomicBinOp::sub)
      .Case("and", AtomicBinOp::_and)
      .Case("or", AtomicBinOp::_or)
      .Case("xor", AtomicBinOp::_xor)
      .Case("smin", AtomicBinOp::min)
      .Case("smax", AtomicBinOp::max)
      .Case("umin", AtomicBinOp::umin)
      .Case("umax", AtomicBinOp::umax)
      .Case("fadd", AtomicBinOp::fadd)
      .Case("fmin", AtomicBinOp::fmin)
      .Case("fmax", AtomicBinOp::fmax)
      .Case("inc_wrap", AtomicBinOp::uinc_wrap)
      .Case("dec_wrap", AtomicBinOp::udec_wrap)
      .Default(AtomicBinOp::xchg);
}

void cpu::emitFence(LaneBuilder &b, StringRef order) {
  AtomicOrdering ordering = orderOf(order);
  if (ordering != AtomicOrdering::monotonic)
    LLVM::FenceOp::create(b, ordering);
}

/// Calls `body` for each active lane, in order.
static void forEachActiveLane(SimdEmitter &e, function_ref<void(Value)> body) {
  Type word = e.b.getI64Type();
  Value rest = e.b.stackOf(word);
  Value bits = e.b.i64(e.b.lanes == 64 ? -1 : (int64_t(1) << e.b.lanes) - 1);
  if (e.control.mask)
    bits = e.b.lanes == 64 ? e.b.maskBits(e.control.mask)
                           : LLVM::ZExtOp::create(e.b, word, e.b.maskBits(e.control.mask)).getRes();
  e.b.storeTo(bits, rest);
  Block *head = e.b.newBlock(), *done = e.b.newBlock();
  e.b.branch(head);
  e.b.startBlock(head);
  bits = e.b.loadFrom(word, rest);
  body(LLVM::CountTrailingZerosOp::create(e.b, word, bits, true));
  bits = LLVM::AndOp::create(e.b, bits, LLVM::SubOp::create(e.b, bits, e.b.i64(1)));
  e.b.storeTo(bits, rest);
  e.b.branch(LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::ne, bits, e.b.i64(0)), head, done);
  e.b.startBlock(done);
}

/// Supplies one operand lane by lane. The operand is one scalar for all lanes, or a vector, which a
/// loop over lanes reads from memory.
namespace {
struct PerLane {
  Value scalar, vector, memory;
  SmallVector<Value, 4> four; // the group of four words that was extracted last
};
} // namespace

/// Stores the vector in parts of 256 bits, because loading a scalar soon after a store of 512 bits
/// is slower. The stores are volatile, so that LLVM does not join them.
static void spill(PerLane &values, LaneBuilder &b) {
  if (values.scalar)
    return;
  auto type = cast<VectorType>(values.vector.getType());
  values.memory = b.stackOf(type);
  int64_t size = bytesOf(type.getElementType()), bytes = size * type.getNumElements();
  for (int64_t at = 0; at < bytes; at += 32) {
    SmallVector<int32_t> own(std::min<int64_t>(32, bytes) / size);
    std::iota(own.begin(), own.end(), at / size);
    Value part = LLVM::ShuffleVectorOp::create(b, values.vector, values.vector, own);
    Value place = LLVM::GEPOp::create(b, values.memory.getType(), b.getI8Type(), values.memory,
                                      ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(at)));
    LLVM::StoreOp::create(b, part, place, /*alignment=*/0, /*isVolatile=*/true);
  }
}

static Value placeOf(Value memory, Type type, Value lane, LaneBuilder &b) {
  return LLVM::GEPOp::create(b, memory.getType(), type, memory, ValueRange{lane});
}

static Value ownOf(PerLane &values, Value lane, LaneBuilder &b) {
  if (values.scalar)
    return values.scalar;
  Type type = cast<VectorType>(values.vector.getType()).getElementType();
  return LLVM::LoadOp::create(b, type, placeOf(values.memory, type, lane, b));
}

/// Returns the operand of a lane whose number is known. 32-bit words are extracted four at a time,
/// so lanes must be read in order.
static Value ownOf(PerLane &values, unsigned lane, LaneBuilder &b) {
  if (values.scalar)
    return values.scalar;
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  };
  auto type = cast<VectorType>(values.vector.getType());
  if (!type.getElementType().isInteger(32) || type.getNumElements() < 4)
    return LLVM::ExtractElementOp::create(b, values.vector, constant(b.getI32Type(), lane));
  if (lane % 4)
    return values.four[lane % 4];
  values.four.clear();
  int32_t first = lane;
  Value four = LLVM::ShuffleVectorOp::create(b, values.vector, values.vector,
                                             {first, first + 1, first + 2, first + 3});
  Type word = b.getI64Type();
  four = LLVM::BitcastOp::create(b, VectorType::get({2}, word), four);
  for (int64_t half : {0, 1}) {
    Value pair = LLVM::ExtractElementOp::create(b, four, constant(b.getI32Type(), half));
    values.four.push_back(LLVM::TruncOp::create(b, b.getI32Type(), pair));
    Value high = LLVM::LShrOp::create(b, pair, constant(word, 32));
    values.four.push_back(LLVM::TruncOp::create(b, b.getI32Type(), high));
  }
  return values.four[0];
}

Value cpu::updateEach(SimdEmitter &e, Value address, ArrayRef<Value> perLane, Type type,
                      bool isShort, function_ref<Value(Value, ArrayRef<Value>)> update) {
  bool isStrided = address && e.analysis.shape(address).scalar();
  LaneAddress where = !address    ? LaneAddress()
                      : isStrided ? LaneAddress{e.values.scalar(address), Value(), 1}
                                  : addressOf(e, address);
  SmallVector<PerLane> operands; // the last one is the index of the address
  for (Value value : perLane) {
    bool uniform = e.analysis.shape(value).uniform();
    Value held = e.b.toMemory(uniform ? e.values.scalar(value) : e.values.vector(value));
    operands.push_back(uniform ? PerLane{held, {}, {}, {}} : PerLane{{}, held, {}, {}});
  }
  if (where.index)
    operands.push_back({{}, where.index, {}, {}});
  Value results = type ? e.b.stackOf(e.b.vectorOf(type)) : Value();
  auto updateLane = [&](auto lane, Value number) {
    SmallVector<Value> own;
    for (PerLane &operand : operands)
      own.push_back(ownOf(operand, lane, e.b));
    Value pointer = where.base;
    if (where.index) {
      Value index = own.pop_back_val();
      Type unit = e.b.getIntegerType(8 * where.scale);
      pointer = !pointer
                    ? index
                    : LLVM::GEPOp::create(e.b, pointer.getType(), unit, pointer, ValueRange{index})
                          .getRes();
    } else if (int64_t stride = isStrided ? e.analysis.shape(address).stride : 0) {
      pointer = e.b.offset(pointer, LLVM::MulOp::create(e.b, number, e.b.i64(stride)).getRes());
    }
    Value result = update(pointer, own);
    if (type)
      e.b.storeTo(result, placeOf(results, type, number, e.b));
  };
  auto updateActive = [&] {
    for (PerLane &operand : operands)
      spill(operand, e.b);
    forEachActiveLane(e, [&](Value lane) { updateLane(lane, lane); });
  };
  auto updateAll = [&] {
    for (unsigned lane = 0; lane < e.b.lanes; ++lane)
      updateLane(lane, e.b.i64(lane));
  };
  if (!isShort) {
    updateActive();
  } else if (!e.control.mask) {
    updateAll();
  } else { // usually all lanes are active
    Block *all = e.b.newBlock(), *some = e.b.newBlock(), *done = e.b.newBlock();
    e.b.branch(e.b.anyOf(e.b.negated(e.control.mask)), some, all);
    e.b.startBlock(all);
    updateAll();
    e.b.branch(done);
    e.b.startBlock(some);
    updateActive();
    e.b.branch(done);
    e.b.startBlock(done);
  }
  return type ? e.b.loadFrom(e.b.vectorOf(type), results) : Value();
}

//===-------------------------------------------------------------------------===//
// Updates
//===-------------------------------------------------------------------------===//

/// Updates the memory at `address` once. Returns the value that was there before.
static Value updateOne(LaneBuilder &b, lane::AtomicOp op, Value address, Value value) {
  StringRef kind = op.getKind();
  if (!op.getExclusive())
    return LLVM::AtomicRMWOp::create(b, instructionOf(kind), address, value,
                                     orderOf(op.getOrder()));
  Value old = b.loadFrom(value.getType(), address);
  b.storeTo(combine(b, kind, old, value), address);
  return old;
}

static void emitAtomic(SimdEmitter &e, lane::AtomicOp op) {
  StringRef kind = op.getKind(), merging = kind == "sub" ? "add" : kind;
  Type type = op.getValue().getType();
  bool used = !op.getOld().use_empty(), isFloat = isa<FloatType>(type);
  bool oneAddress = e.analysis.shape(op.getAddress()).uniform();
  bool merges = kind != "exchange" && !kind.ends_with("_wrap");
  if (oneAddress && merges && !(used && isFloat)) {
    Value held =
        activeOr(e, e.values.vector(op.getValue()), e.b.splat(identity(e.b, merging, type)));
    Value old = updateOne(e.b, op, e.values.scalar(op.getAddress()), reduceAll(e.b, merging, held));
    if (used)
      e.values.define(op.getOld(), combine(e.b, kind, e.b.splat(old),
                                           scanLanes(e.b, merging, held, e.b.lanes, true)));
    return;
  }
  Value old = updateEach(
      e, op.getAddress(), {op.getValue()}, used ? type : Type(), op.getExclusive() && !isFloat,
      [&](Value address, ArrayRef<Value> held) { return updateOne(e.b, op, address, held[0]); });
  if (used)
    e.values.define(op.getOld(), old);
}

static void emitCompareExchange(SimdEmitter &e, lane::CompareExchangeOp op) {
  Type type = op.getOld().getType();
  AtomicOrdering order = orderOf(op.getOrder());
  Value old = updateEach(e, op.getAddress(), {op.getCompare(), op.getValue()}, type, false,
                         [&](Value address, ArrayRef<Value> own) -> Value {
                           if (op.getExclusive()) {
                             Value found = e.b.loadFrom(type, address);
                             Value equal =
                                 LLVM::ICmpOp::create(e.b, LLVM::ICmpPredicate::eq, found, own[0]);
                             e.b.storeTo(e.b.select(equal, own[1], found), address);
                             return found;
                           }
                           Value both = LLVM::AtomicCmpXchgOp::create(e.b, address, own[0], own[1],
                                                                      order, loadOrder(order));
                           return LLVM::ExtractValueOp::create(e.b, both, 0);
                         });
  e.values.define(op.getOld(), old);
}

void cpu::emitAccessEach(SimdEmitter &e, Operation *op, StringRef order) {
  auto made = [&](auto one, AtomicOrdering ordering) {
    if (!order.empty())
      one.setOrdering(ordering);
    one.setVolatile_(op->hasAttr("volatile"));
    markAccess(e, one);
    return one;
  };
  if (auto load = dyn_cast<lane::LoadOp>(op)) {
    Type type = load.getResult(0).getType(), element = e.b.memoryType(type);
    bool oneAddress = e.analysis.shape(load.getAddress()).uniform() && !op->hasAttr("volatile");
    for (auto [i, result] : llvm::enumerate(load.getValues())) {
      int64_t bytes = static_cast<int64_t>(i) * bytesOf(element);
      int64_t alignment = alignmentAt(load.getAlignment(), bytes);
      auto loadOne = [&](Value address, ArrayRef<Value>) -> Value {
        return made(LLVM::LoadOp::create(e.b, element, e.b.offset(address, bytes), alignment),
                    loadOrder(orderOf(order)));
      };
      Value all = oneAddress ? e.b.splat(loadOne(e.values.scalar(load.getAddress()), {}))
                             : updateEach(e, load.getAddress(), {}, element, false, loadOne);
      e.values.define(result, e.b.fromMemory(all, type));
    }
    return;
  }
  auto store = cast<lane::StoreOp>(op);
  for (auto [i, value] : llvm::enumerate(store.getValues())) {
    int64_t bytes = static_cast<int64_t>(i) * bytesOf(e.b.memoryType(value.getType()));
    int64_t alignment = alignmentAt(store.getAlignment(), bytes);
    updateEach(e, store.getAddress(), {value}, Type(), false,
               [&](Value address, ArrayRef<Value> own) -> Value {
                 made(LLVM::StoreOp::create(e.b, own[0], e.b.offset(address, bytes), alignment),
                      storeOrder(orderOf(order)));
                 return {};
               });
  }
}

// Emits a barrier in a workgroup that has only one subgroup.
static void emitBarrierOfOne(SimdEmitter &e, lane::BarrierOp op) {
  if (op.getOrder())
    emitFence(e.b, *op.getOrder());
}

static void emitFenceOp(SimdEmitter &e, lane::FenceOp op) { emitFence(e.b, op.getOrder()); }

ArrayRef<simd::Rule> simd::atomicRules() {
  static const Rule rules[] = {rule<emitAtomic>(), rule<emitBarrierOfOne>(),
                               rule<emitCompareExchange>(), rule<emitFenceOp>(),
                               ruleFor<lane::SubgroupFenceOp>([](SimdEmitter &, Operation *) {})};
  return rules;
}
